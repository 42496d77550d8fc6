#include "eigenveil/mechanism/mask.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "bind.hpp"
#include "eigenveil/mechanism/pseudo_rows.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;
using ReleasedFactor = Release<PseudoFactor>;

MaskRequest request_of(const RowBound& bound, const Budget& budget, const std::string& relation,
                       bool published) {
  return {bound, unwrap(check_budget(budget)), unwrap(parse_relation(relation)), false, published};
}

/// All pseudo-rows of a released factor, n x p: post-processing.
Matrix pseudo_rows(const Matrix& factor, std::int64_t count, const Vector& scales,
                   const std::optional<std::uint64_t>& seed) {
  return interruptibly([&] {
    RandomStream stream = stream_for(seed);
    PseudoRows rows = unwrap(PseudoRows::make({count, factor}, scales, stream));
    Matrix all(count, scales.size());
    Eigen::Index next = 0;
    for (std::size_t index = 0; index < rows.blocks(); ++index) {
      const Matrix block = rows.next();  // rows as columns
      all.middleRows(next, block.cols()) = block.transpose();
      next += block.cols();
    }
    return all;
  });
}

}  // namespace

void bind_mask(nb::module_& m) {
  nb::class_<ReleasedFactor>(m, "ReleasedFactor", "A factor of the noisy Gram of masked rows.")
      .def_prop_ro("guarantee", &ReleasedFactor::guarantee, nb::rv_policy::copy)
      .def_prop_ro("rows", [](const ReleasedFactor& r) { return r.value().rows; })
      .def_prop_ro("factor", [](const ReleasedFactor& r) { return r.value().factor; });
  nb::class_<MaskPlan> plan(m, "MaskPlan", "From public parameters alone.");
  bind_run<ExactGram>(plan)
      .def_prop_ro("guarantee", &MaskPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("sigma", &MaskPlan::sigma);
  m.def(
      "check_mask",
      [](const RowBound& bound, const Budget& budget, const std::string& relation, bool published) {
        unwrap(MaskPlan::check(request_of(bound, budget, relation, published)));
      },
      "bound"_a, "budget"_a, "relation"_a, "published"_a);
  m.def(
      "plan_mask",
      [](const RowBound& bound, const Budget& budget, const std::string& relation,
         std::int64_t rows, bool published) {
        const MaskRequest request = request_of(bound, budget, relation, published);
        return interruptibly([&] { return unwrap(MaskPlan::make(request, rows)); });
      },
      "bound"_a, "budget"_a, "relation"_a, "rows"_a, "published"_a);
  m.def(
      "mask_noises",
      [](const RowBound& bound, const ApproxDp& target, std::int64_t rows) {
        const MaskShape shape{rows, static_cast<std::int64_t>(bound.dimension()), bound.radius()};
        const UnmaskedNoise unmasked = unmasked_noise(shape.row_norm, target);
        nb::dict noises;
        noises["sigma"] = unwrap(tight_mask_noise(shape, target, Relation::ZeroRow));
        noises["sigma_replace_one"] = unwrap(tight_mask_noise(shape, target, Relation::ReplaceOne));
        noises["sigma_published"] = unwrap(general_mask_noise(shape, shape.row_norm, target));
        noises["unmasked_sigma_necessary"] = unmasked.necessary;
        noises["unmasked_sigma_sufficient"] = unmasked.sufficient;
        noises["unmasked_sigma_analytic"] = unmasked.analytic;
        return noises;
      },
      "bound"_a, "target"_a, "rows"_a, "The names are those of `plan mask --json`.");
  m.def("pseudo_rows", &pseudo_rows, "factor"_a, "rows"_a, "scales"_a,
        "seed"_a.none() = nb::none());
  m.def(
      "public_rows",
      [](const ExactGram& gram, const std::string& relation) {
        return public_rows(gram, unwrap(parse_relation(relation)));
      },
      "gram"_a, "relation"_a);
}

}  // namespace eigenveil::python
