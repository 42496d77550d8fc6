#pragma once

#include <memory>
#include <utility>

#include "engine/method.hpp"

namespace eigenveil {

/// A plan whose statistic is the exact Gram matrix: one pass over the rows, then one draw.
/// `Made` is the mechanism's own plan, with guarantee() and run(gram, stream); `document` turns
/// what it released into the document, and sees nothing else.
template <class Made, class Document>
class GramPlan final : public Plan {
 public:
  GramPlan(PublicFacts facts, Made made, Document document)
      : facts_(std::move(facts)), made_(std::move(made)), document_(std::move(document)) {}

  const Guarantee& guarantee() const override { return made_.guarantee(); }

  double draw_seconds() const override {
    if constexpr (requires { made_.draw_seconds(); }) {
      return made_.draw_seconds();
    } else {
      return 0.0;
    }
  }

  std::unique_ptr<Run> start(RandomStream& stream, int threads) const override {
    return std::make_unique<GramRun>(*this, stream, threads);
  }

  Result<ReleaseDocument> release(const ExactGram& gram, RandomStream& stream) const override {
    if constexpr (requires { made_.run(gram, stream).error(); }) {
      return made_.run(gram, stream).map([&](const auto& release) {
        return document_(made_, release);
      });
    } else {
      return document_(made_, made_.run(gram, stream));
    }
  }

 private:
  class GramRun final : public Run {
   public:
    GramRun(const GramPlan& plan, RandomStream& stream, int threads)
        : plan_(plan), stream_(stream), rows_(plan.facts_.schema, plan.facts_.bound, threads) {}
    Result<void> add(RowReader& rows) override { return rows_.add(rows); }
    Result<ReleaseDocument> finish() override {
      return rows_.finish().and_then(
          [&](const ExactGram& gram) { return plan_.release(gram, stream_); });
    }

   private:
    const GramPlan& plan_;
    RandomStream& stream_;
    GramAccumulator rows_;
  };

  PublicFacts facts_;
  Made made_;
  Document document_;
};

template <class Made, class Document>
std::unique_ptr<Plan> gram_plan(const PublicFacts& facts, Made made, Document document) {
  return std::make_unique<GramPlan<Made, Document>>(facts, std::move(made), std::move(document));
}

}  // namespace eigenveil
