// A method in one file: linked with the program as it is, it must be found everywhere
// (test_one_more_method.py). Not part of what ships.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "eigenveil/engine/registry.hpp"
#include "engine/documents/moment_document.hpp"
#include "engine/gram_method.hpp"
#include "engine/parameters.hpp"
#include "mechanism/gauss/gauss.hpp"

namespace eigenveil {
namespace {

/// Gaussian noise on the second moment under another name, with an option of its own.
class OneMoreMethod final : public GramMethod<MomentPlan> {
 public:
  OneMoreMethod()
      : GramMethod({.name = "one-more",
                    .sentence = "a method that a test brought along",
                    .budgets = "(epsilon, delta), rho, mu",
                    .tasks = {Task::Components},
                    .options = {{.name = "one_more_share",
                                 .kind = OptionKind::Share,
                                 .sentence = "an option that a test brought along",
                                 .otherwise = 0.25},
                                {.name = "one_more_lie",
                                 .kind = OptionKind::Flag,
                                 .sentence = "states a smaller loss than was planned",
                                 .otherwise = false}}}) {}

 private:
  static double share(const Request& request) {
    return request.options.value("one_more_share", 0.25);
  }

  Result<MomentPlan> make(const Request& request, const RowBound& bound) const override {
    return plan_gauss(
        {bound, *request.budget, request.relation, Extension::Count, request.group_size});
  }

  ReleaseDocument document(const Request& request, const PublicFacts& /*facts*/,
                           const MomentPlan& plan, const Drawn& drawn) const override {
    ReleaseDocument document =
        components_document(plan, settings_of(request), drawn, request.components);
    document.method = info().name;
    if (request.options.flag("one_more_lie")) {
      trusted::guarantee_of(document).loss = GaussianDp{1e-3};
    }
    document.parameters.emplace_back("one_more_share", share(request));
    document.remarks.push_back({"one more", "words that a test brought"});
    return document;
  }

  void describe(Outlook& outlook, const Request& request, const MomentPlan& /*plan*/,
                const RowBound& bound, const AssumedTable& /*table*/) const override {
    outlook.bound(bound);
    outlook.json()["one_more_share"] = share(request);
    outlook.line("share", fmt::format("{:.2f} of it", share(request)));
  }
};

const bool kRegistered = [] {
  static const OneMoreMethod method;
  if (!register_method(method)) {
    std::fputs("the method could not be registered\n", stderr);
    std::abort();
  }
  return true;
}();

}  // namespace
}  // namespace eigenveil
