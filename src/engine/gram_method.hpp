#pragma once

#include <memory>
#include <utility>

#include "eigenveil/engine/gram_plan.hpp"
#include "engine/outlook.hpp"

namespace eigenveil {

namespace detail {

template <class T>
struct Drawn {
  using Type = T;
};
template <class T>
struct Drawn<Result<T>> {
  using Type = T;
};

}  // namespace detail

/// A method whose statistic is the exact Gram matrix. `Made` is the mechanism's own plan, with
/// guarantee() and run(gram, stream); what is left to say is how it is made from a request, the
/// document of what it drew, and the facts of a plan.
template <class Made>
class GramMethod : public Method {
 public:
  explicit GramMethod(MethodInfo info) : info_(std::move(info)) {}
  const MethodInfo& info() const final { return info_; }

  Result<std::unique_ptr<Plan>> plan(const Request& request, const PublicFacts& facts) const final {
    return make(request, facts.bound).map([&](Made&& made) {
      return gram_plan(facts, std::move(made),
                       [this, request, facts](const Made& plan, const Drawn& drawn) {
                         return document(request, facts, plan, drawn);
                       });
    });
  }

  Result<PlanFacts> outlook(const Request& request, const AssumedTable& table) const override {
    const Result<RowBound> bound = table.bound({});
    if (!bound) {
      return error_of(bound);
    }
    return make(request, *bound).map([&](const Made& plan) {
      Outlook outlook(request, info_.name, plan.guarantee(), table);
      describe(outlook, request, plan, *bound, table);
      return std::move(outlook).finish();
    });
  }

 protected:
  using Drawn = typename detail::Drawn<decltype(std::declval<const Made&>().run(
      std::declval<const ExactGram&>(), std::declval<RandomStream&>()))>::Type;

  /// Refuses what public facts rule out.
  virtual Result<Made> make(const Request& request, const RowBound& bound) const = 0;
  /// Sees what was released and nothing else.
  virtual ReleaseDocument document(const Request& request, const PublicFacts& facts,
                                   const Made& plan, const Drawn& drawn) const = 0;
  virtual void describe(Outlook& outlook, const Request& request, const Made& plan,
                        const RowBound& bound, const AssumedTable& table) const = 0;

 private:
  MethodInfo info_;
};

}  // namespace eigenveil
