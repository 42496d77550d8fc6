#include "mechanism/mask/mask.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

#include "bind.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/report/release_writer.hpp"
#include "engine/mask/mask_facts.hpp"
#include "engine/mask/pseudo_release.hpp"
#include "mechanism/gauss/gauss.hpp"
#include "mechanism/mask/pseudo_rows.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

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

void bind_settings(nb::module_& m) {
  nb::class_<MaskSettings>(m, "MaskSettings", "How masked data was asked for; public.")
      .def(
          "__init__",
          [](MaskSettings* self, const std::string& method, const Budget& budget,
             const std::string& relation, const RowBound& bound, std::vector<std::string> columns,
             bool intercept, bool published, bool scaled, int group_size,
             std::int64_t smallest_block) {
            new (self) MaskSettings{method,
                                    unwrap(check_budget(budget)),
                                    unwrap(parse_relation(relation)),
                                    bound,
                                    Schema{std::move(columns)},
                                    intercept,
                                    published,
                                    scaled,
                                    group_size,
                                    smallest_block};
          },
          "method"_a, "budget"_a, "relation"_a, "bound"_a, "columns"_a, "intercept"_a,
          "published"_a, "scaled"_a, "group_size"_a, "smallest_block"_a)
      .def_prop_rw(
          "fills_gaps", [](const MaskSettings& s) { return s.schema.fills_gaps; },
          [](MaskSettings& s, bool fills) { s.schema.fills_gaps = fills; })
      .def_prop_ro("columns", [](const MaskSettings& s) { return pseudo_columns(s); })
      .def_prop_ro("scales", [](const MaskSettings& s) { return pseudo_scales(s); });
}

std::int64_t block_of(const MaskSettings& s, std::int64_t rows) {
  return s.smallest_block > 0 ? s.smallest_block : rows;
}

nb::dict noises(const MaskSettings& settings, std::int64_t rows) {
  const MaskFacts facts = unwrap(mask_facts(mask_request(settings), block_of(settings, rows)));
  nb::dict all;
  all["gram_noise_sd_gauss"] = facts.gram_sd;
  if (!facts.masked) {
    all["mask_refused"] = facts.mask_refusal;
    return all;
  }
  const MaskedNoise& noise = *facts.masked;
  all["gram_noise_sd_mask"] = noise.gram_sd(static_cast<double>(rows));
  all["sigma_asked"] = noise.asked;
  all["sigma"] = noise.zero_row;
  all["sigma_replace_one"] = noise.replace_one;
  all["sigma_published"] = noise.general;
  all["unmasked_sigma_necessary"] = noise.unmasked.necessary;
  all["unmasked_sigma_sufficient"] = noise.unmasked.sufficient;
  all["unmasked_sigma_analytic"] = noise.unmasked.analytic;
  return all;
}

using ReleaseState = std::tuple<std::vector<Matrix>, std::vector<std::int64_t>, std::vector<double>,
                                Guarantee, std::optional<Matrix>>;

ReleaseState state_of(const PseudoRelease& r) {
  std::vector<Matrix> factors;
  for (const PseudoFactor& block : r.blocks) {
    factors.push_back(block.factor);
  }
  return {factors,
          r.block_rows(),
          {r.noise.cell_sd, r.noise.gram_sd_diagonal, r.noise.gram_sd_off_diagonal,
           r.noise.gram_sd_sums, r.noise.row_norm},
          r.guarantee,
          r.noisy_gram};
}

PseudoRelease from_state(const ReleaseState& state) {
  const auto& [factors, rows, noise, guarantee, noisy_gram] = state;
  PseudoRelease release{
      {}, {noise.at(0), noise.at(1), noise.at(2), noise.at(3), noise.at(4)}, guarantee, noisy_gram};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    release.blocks.push_back({rows.at(i), factors[i]});
  }
  return release;
}

void bind_release(nb::module_& m) {
  nb::class_<PseudoRelease>(m, "PseudoRelease", "Factors of the noisy Gram of masked rows.")
      .def_prop_ro("guarantee", [](const PseudoRelease& r) { return r.guarantee; })
      .def_prop_ro("factors", [](const PseudoRelease& r) { return std::get<0>(state_of(r)); })
      .def_prop_ro("block_rows", &PseudoRelease::block_rows)
      .def_prop_ro("cell_sd", [](const PseudoRelease& r) { return r.noise.cell_sd; })
      .def_prop_ro("gram_sd_diagonal",
                   [](const PseudoRelease& r) { return r.noise.gram_sd_diagonal; })
      .def("__getstate__", [](const PseudoRelease& r) { return state_of(r); })
      .def("__setstate__",
           [](PseudoRelease& r, const ReleaseState& s) { new (&r) PseudoRelease(from_state(s)); });
}

/// What the command line would have been asked for the same release.
Request request_of(const MaskSettings& settings, bool factor_only) {
  Request request;
  request.task = Task::Mask;
  request.method = settings.method;
  request.budget = settings.requested;
  request.relation = settings.relation;
  request.group_size = settings.group_size;
  request.center = CenterChoice::None;
  request.units = settings.scaled_units ? Units::Scaled : Units::Original;
  request.table = table_fingerprint({settings.schema, settings.bound});
  for (const auto& [name, given] :
       {std::pair{"intercept", settings.intercept}, std::pair{"factor_only", factor_only}}) {
    if (given) {
      request.options.set(name, true);
    }
  }
  if (settings.published) {
    request.options.set("calibration", std::string("published"));
  }
  if (settings.smallest_block > 0) {
    request.options.set("smallest_block", settings.smallest_block);
  }
  return request;
}

void publish(const MaskSettings& settings, const PseudoRelease& release, const std::string& out,
             bool npy, bool factor_only, bool replace, int threads,
             const std::optional<std::uint64_t>& seed, const std::string& data_set,
             const std::string& date) {
  namespace fs = std::filesystem;
  ReleaseTarget target = file_or_directory(out, npy ? TableFormat::Npy : TableFormat::Csv);
  target.threads = threads_of(threads);
  target.existing = replace ? Existing::Replace : Existing::Refuse;
  if (target.is_file() && factor_only) {
    throw Failure{{ErrorCode::BadRequest, "a factor is a release: name a directory"}};
  }
  std::vector<std::string> names;
  if (target.is_file()) {
    const std::vector<std::string> tables(settings.method == "gauss" ? 1 : 0, "noisy_gram");
    names = target.names_beside(tables, release.guarantee.basis != Basis::NotPrivate);
  }
  for (const std::string& name : names) {
    if (fs::exists(fs::symlink_status(target.folder / name))) {
      throw Failure{{ErrorCode::BadRequest, name + " exists already; name another file"}};
    }
  }
  run_interruptibly([&] {
    RandomStream stream = stream_for(seed);
    unwrap(pseudo_document(settings, release, factor_only, stream)
               .and_then([&](ReleaseDocument&& document) {
                 document.request = to_json(request_of(settings, factor_only));
                 document.data_set = data_set;
                 document.date = date;
                 return write_release(std::move(document), target);
               }));
  });
}

}  // namespace

void bind_mask(nb::module_& m) {
  bind_settings(m);
  bind_release(m);
  m.def(
      "check_pseudo", [](const MaskSettings& s) { unwrap(check_pseudo(s)); }, "settings"_a);
  m.def(
      "draw_pseudo",
      [](const MaskSettings& settings, const std::vector<ExactGram>& grams,
         const std::optional<std::uint64_t>& seed) {
        return interruptibly([&] {
          RandomStream stream = stream_for(seed);
          return unwrap(draw_pseudo(settings, grams, true, stream));
        });
      },
      "settings"_a, "grams"_a, "seed"_a.none() = nb::none());
  m.def("publish_pseudo", &publish, "settings"_a, "release"_a, "out"_a, "npy"_a, "factor_only"_a,
        "replace"_a, "threads"_a, "seed"_a.none(), "data_set"_a, "date"_a);
  m.def(
      "pseudo_gram",
      [](const MaskSettings& s, const PseudoRelease& release) { return gram_of(s, release); },
      "settings"_a, "release"_a);
  m.def(
      "mask_guarantee",
      [](const MaskSettings& s, std::int64_t rows) {
        return interruptibly([&] {
          return s.method == "gauss"
                     ? unwrap(plan_gauss({s.bound, s.requested, s.relation,
                                          s.intercept ? Extension::Full : Extension::Count,
                                          s.group_size}))
                           .guarantee()
                     : unwrap(MaskPlan::make(mask_request(s), block_of(s, rows))).guarantee();
        });
      },
      "settings"_a, "rows"_a);
  m.def("mask_noises", &noises, "settings"_a, "rows"_a,
        "The names are those of `plan mask --json`.");
  m.def("pseudo_rows", &pseudo_rows, "factor"_a, "rows"_a, "scales"_a,
        "seed"_a.none() = nb::none());
}

}  // namespace eigenveil::python
