#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "eigenveil/engine/method.hpp"
#include "eigenveil/mechanism/as_run.hpp"

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
  const PublicFacts& facts() const override { return facts_; }

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

  Result<ReleaseDocument> draw(const ExactGram& gram, RandomStream& stream) const {
    // Stamped here too: a mechanism that forgets it must not call seeded noise private.
    const auto published = [&](const auto& release) {
      ReleaseDocument document = document_(made_, release);
      document.guarantee = as_run(std::move(document.guarantee), stream);
      return document;
    };
    if constexpr (requires { made_.run(gram, stream).error(); }) {
      return made_.run(gram, stream).map(published);
    } else {
      return published(made_.run(gram, stream));
    }
  }

 private:
  class GramRun final : public Run {
   public:
    GramRun(const GramPlan& plan, RandomStream& stream, int threads)
        : plan_(plan), stream_(stream), threads_(threads) {}
    using Run::add;
    Result<void> add(RowReader& rows) override {
      if (!rows_) {
        rows_.emplace(plan_.facts_.schema, plan_.facts_.bound, threads_);
      }
      return rows_->add(rows);
    }
    Result<void> add(const ExactGram& totals) override {
      if (!stored_) {
        stored_ = totals;
        return {};
      }
      return stored_->merge(totals);
    }
    Result<ReleaseDocument> finish() override {
      if (stored_ && !rows_) {
        return plan_.draw(*stored_, stream_);
      }
      if (!rows_) {  // a table without rows
        rows_.emplace(plan_.facts_.schema, plan_.facts_.bound, threads_);
      }
      return rows_->finish().and_then([&](ExactGram&& gram) {
        const Result<void> merged = stored_ ? gram.merge(*stored_) : Result<void>();
        return merged ? plan_.draw(gram, stream_) : error_of(merged);
      });
    }

   private:
    const GramPlan& plan_;
    RandomStream& stream_;
    int threads_;
    std::optional<GramAccumulator> rows_;
    std::optional<ExactGram> stored_;
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
