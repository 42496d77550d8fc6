// A sensitivity comes from a proof, not from a constructor.
#include "mechanism/moment/second_moment.hpp"

using namespace eigenveil;

Result<Bounded<SecondMoment, FrobeniusNorm>> bounded(const ExactGram& gram,
                                                     const MomentShape& shape) {
#ifdef MUST_NOT_COMPILE
  return Bounded<SecondMoment, FrobeniusNorm>(SecondMoment(gram, shape), 1.0, Relation::AddRemove);
#else
  return frobenius_bounded(gram, shape);
#endif
}
