#include "cli/explore/gate.hpp"

#include <fmt/format.h>

#include "eigenveil/engine/registry.hpp"
#include "engine/verdict.hpp"

namespace eigenveil::cli {
namespace {

/// What the page says itself, of data as they are assumed.
std::string drowned_on_the_page(const Planned& plan) {
  const Question& question = plan.question;
  const bool counts = question.task == Task::Components && plan.number("noise_floor");
  if (counts && plan.above_noise == 0) {
    return question.hoped == 1 ? "the component you hope for would not rise above it"
                               : fmt::format(
                                     "none of the {} components you hope for would rise "
                                     "above it",
                                     question.hoped);
  }
  return !counts && plan.readable_chance()
             ? fmt::format("it leaves nothing of a {}", plan.accuracy_of())
             : std::string();
}

/// What the command says before it spends, by the public bounds and the number of people alone.
std::string refused_by_the_command(const Planned& plan) {
  if (plan.question.task == Task::Mask) {
    return {};
  }
  const Result<const Method*> method = choose_method(plan.request);
  const Result<RowBound> bound = plan.table.bound({});
  if (!method || !bound) {
    return {};  // the plan itself said so
  }
  Request request = plan.request;
  settle_center(**method, request);
  const Result<void> worth =
      verdict(**method, request, PublicFacts{plan.table.schema, *bound}, plan.question.people);
  return worth ? std::string() : worth.error().message;
}

}  // namespace

std::string drowned_because(const Planned& plan) {
  const std::string seen = drowned_on_the_page(plan);
  return seen.empty() ? refused_by_the_command(plan) : seen;
}

bool can_insist(const Question& question) {
  return question.task != Task::Mask;
}

bool insists(const Question& question, const std::string& drowned) {
  return question.anyway && !drowned.empty() && can_insist(question);
}

}  // namespace eigenveil::cli
