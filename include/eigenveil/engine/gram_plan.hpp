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

  std::vector<Loss> further_losses() const override {
    if constexpr (requires { made_.further_losses(); }) {
      return made_.further_losses();
    } else {
      return {};
    }
  }

  double draw_error() const override {
    if constexpr (requires { made_.draw_error(); }) {
      return made_.draw_error();
    } else {
      return 0.0;
    }
  }

  double draw_seconds() const override {
    if constexpr (requires { made_.draw_seconds(); }) {
      return made_.draw_seconds();
    } else {
      return 0.0;
    }
  }

 protected:
  std::unique_ptr<Run> make_run(RandomStream& stream, int threads) const override {
    return std::make_unique<GramRun>(*this, stream, threads);
  }

 private:
  class GramRun final : public Run {
   public:
    GramRun(const GramPlan& plan, RandomStream& stream, int threads)
        : plan_(plan), stream_(stream), threads_(threads) {}
    Result<ReleaseDocument> finish() override {
      // The exact sums end with this line: they take as much room as the document.
      auto drawn =
          take_sums().and_then([&](const ExactGram& gram) { return plan_.drawn(gram, stream_); });
      return plan_.written(std::move(drawn), stream_);
    }
    Result<ExactGram> take_sums() override {
      if (stored_ && !rows_) {
        return *std::exchange(stored_, std::nullopt);
      }
      if (!rows_) {  // a table without rows
        rows_.emplace(plan_.facts_.schema, plan_.facts_.bound, threads_);
      }
      return rows_->finish().and_then([&](ExactGram&& gram) -> Result<ExactGram> {
        const Result<void> merged = stored_ ? gram.merge(*stored_) : Result<void>();
        return merged ? Result<ExactGram>(std::move(gram)) : Result<ExactGram>(error_of(merged));
      });
    }

   protected:
    Result<void> take_rows(RowReader& rows) override {
      if (!rows_) {
        rows_.emplace(plan_.facts_.schema, plan_.facts_.bound, threads_);
      }
      return rows_->add(rows);
    }
    Result<void> take_totals(const ExactGram& totals) override {
      if (!stored_) {
        stored_ = totals;
        return {};
      }
      return stored_->merge(totals);
    }

   private:
    const GramPlan& plan_;
    RandomStream& stream_;
    int threads_;
    std::optional<GramAccumulator> rows_;
    std::optional<ExactGram> stored_;
  };

  /// What the mechanism released; some of them cannot fail.
  auto drawn(const ExactGram& gram, RandomStream& stream) const {
    if constexpr (requires { made_.run(gram, stream).error(); }) {
      return made_.run(gram, stream);
    } else {
      return Result<decltype(made_.run(gram, stream))>(made_.run(gram, stream));
    }
  }
  template <class Drawn>
  Result<ReleaseDocument> written(Drawn drawn, const RandomStream& stream) const {
    return std::move(drawn).map([&](auto&& release) {
      ReleaseDocument document = document_(made_, std::forward<decltype(release)>(release));
      // Stamped here too: a mechanism that forgets it must not call seeded noise private.
      document.guarantee = as_run(std::move(document.guarantee), stream);
      return document;
    });
  }

  PublicFacts facts_;
  Made made_;
  Document document_;
};

template <class Made, class Document>
std::unique_ptr<Plan> gram_plan(const PublicFacts& facts, Made made, Document document) {
  return std::make_unique<GramPlan<Made, Document>>(facts, std::move(made), std::move(document));
}

}  // namespace eigenveil
