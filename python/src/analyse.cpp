#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "engine/analysis.hpp"
#include "engine/estimate_answer.hpp"
#include "report/explain.hpp"

namespace eigenveil::python {
namespace {

using namespace nb::literals;

std::string answer(const Result<ReleasedMoments>& released, const std::string& question) {
  return interruptibly([&] {
    return unwrap(released.and_then([&](const ReleasedMoments& moments) {
      return estimate_answer(moments, question, AnswerForm::Json);
    }));
  });
}

}  // namespace

void bind_analyse(nb::module_& m) {
  m.def(
      "estimate",
      [](const ReleaseDocument& document, const std::string& question) {
        return answer(released_moments(document), question);
      },
      "document"_a, "question"_a, "What a release says of second moments, as JSON.");
  m.def(
      "estimate_from_files",
      [](const std::vector<std::string>& paths, const std::string& question) {
        return answer(read_released_moments(paths), question);
      },
      "paths"_a, "question"_a, "The same of files; several are shards of one table.");
  m.def(
      "released_covariance",
      [](const ReleaseDocument& document) {
        AnalysedMoments found = unwrap(released_moments(document).and_then(
            [](const ReleasedMoments& moments) { return analyse_moments(moments, false); }));
        return std::tuple(std::move(found.estimate.value), std::move(found.estimate.mean),
                          found.from_midpoints);
      },
      "document"_a,
      "Corrected for the noise; the mean, which may be empty, and whether it is from midpoints.");
  m.def(
      "explain_releases",
      [](const std::vector<std::string>& paths) {
        return unwrap(explain_releases({paths.begin(), paths.end()}));
      },
      "paths"_a);
}

}  // namespace eigenveil::python
