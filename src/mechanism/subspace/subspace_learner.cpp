#include "mechanism/subspace/subspace_learner.hpp"

namespace eigenveil {

SubspaceLearner::SubspaceLearner(const SubspacePlan& plan, std::size_t parts, double angle,
                                 RandomStream& stream, int threads)
    : plan_(plan),
      parts_(parts),
      angle_(angle),
      stream_(&stream),
      threads_(threads),
      builder_(plan.builder(stream, threads)) {}

void SubspaceLearner::add(const double* row) {
  ++seen_;
  if (learned_.size() == parts_) {
    return;
  }
  builder_->add(row);
  if (++in_part_ == plan_.request().rows) {
    end_part();
  }
}

void SubspaceLearner::end_part() {
  last_ = plan_.run(std::move(*builder_).finish(), *stream_, threads_);
  learned_.push_back(last_->value());
  if (learned_.size() < parts_) {
    builder_ = plan_.builder(*stream_, threads_);
  }
  in_part_ = 0;
}

Release<LearnedSubspace> SubspaceLearner::finish() && {
  if (learned_.size() < parts_) {
    end_part();
  }
  if (parts_ == 1) {
    return *std::move(last_);
  }
  return trusted::assume_released<LearnedSubspace>(agreeing_subspace(learned_, 2.0 * angle_),
                                                   last_->guarantee(), last_->mechanism());
}

}  // namespace eigenveil
