#include "mechanism/oja/oja.hpp"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include "bind.hpp"
#include "mechanism/spiked/gap_projector.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;
using ReleasedDirection = Release<Vector>;

/// A pass over rows in their order. Noise is drawn batch by batch, and published at the end or
/// never.
class OjaSink {
 public:
  OjaSink(const OjaPlan& plan, const RowBound& bound, bool scaled,
          const std::optional<std::uint64_t>& seed)
      : plan_(plan),
        bound_(bound),
        units_(units_of(scaled)),
        stream_(stream_for(seed)),
        pass_(plan_, stream_) {}
  OjaSink(const OjaSink&) = delete;
  OjaSink& operator=(const OjaSink&) = delete;
  Result<void> add(RowReader& reader) {
    return add_rows(pass_, reader, bound_, units_).map([&](std::size_t rows) { rows_ += rows; });
  }
  ReleasedDirection finish() { return pass_.finish(); }
  std::size_t rows() const { return rows_; }

 private:
  OjaPlan plan_;
  RowBound bound_;
  Units units_;
  RandomStream stream_;
  OjaPass pass_;
  std::size_t rows_ = 0;
};

}  // namespace

void bind_oja(nb::module_& m) {
  nb::class_<ReleasedDirection>(m, "ReleasedDirection", "One private direction.")
      .def_prop_ro("guarantee", &ReleasedDirection::guarantee, nb::rv_policy::copy)
      .def_prop_ro("direction", [](const ReleasedDirection& r) { return r.value(); });
  nb::class_<OjaPlan>(m, "OjaPlan", "From public parameters alone.")
      .def_prop_ro("guarantee", &OjaPlan::guarantee, nb::rv_policy::copy)
      .def_prop_ro("sensitivity", &OjaPlan::sensitivity)
      .def_prop_ro("noise_sd", &OjaPlan::noise_sd)
      .def("for_rows", &OjaPlan::for_rows, "rows"_a);
  nb::class_<OjaSink> sink(m, "OjaPass", "Private power iteration over rows in their order.");
  bind_sink(sink)
      .def(
          "__init__",
          [](OjaSink* self, const OjaPlan& plan, const RowBound& bound, bool scaled,
             const std::optional<std::uint64_t>& seed) {
            new (self) OjaSink(plan, bound, scaled, seed);
          },
          "plan"_a, "bound"_a, "scaled"_a, "seed"_a.none() = nb::none())
      .def_prop_ro("rows", &OjaSink::rows)
      .def("finish", &OjaSink::finish, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "plan_oja",
      [](const RowBound& bound, const Budget& budget, const std::string& relation,
         std::size_t batch, const std::optional<double>& contribution, bool scaled) {
        return unwrap(OjaPlan::make({row_radius(bound, units_of(scaled)), bound.dimension(), batch,
                                     contribution, unwrap(check_budget(budget)),
                                     unwrap(parse_relation(relation))}));
      },
      "bound"_a, "budget"_a, "relation"_a, "batch"_a, "contribution"_a.none(), "scaled"_a);
  m.def(
      "predicted_oja_error",
      [](const OjaPlan& plan, double rows, const Vector& spectrum) {
        return predicted_oja_error(plan, rows, spectrum);
      },
      "plan"_a, "rows"_a, "spectrum"_a);
}

}  // namespace eigenveil::python
