#pragma once

#include <utility>

#include "eigenveil/privacy/relation.hpp"

namespace eigenveil {

/// Norms a sensitivity can be stated in. The norm is a type, because feeding a spectral-norm or l2
/// bound to a mechanism that needs another norm is the bug templates can stop.
struct FrobeniusNorm {};
struct UpperTriangleL1Norm {};
struct SpectralNorm {};
struct NuclearNorm {};

template <class Value, class Norm>
class Bounded;

namespace trusted {
/// The caller promises that the sensitivity is right; every use is listed in a proof page.
template <class Norm, class Value>
Bounded<Value, Norm> assume_bounded(Value value, double sensitivity, Relation relation);
}  // namespace trusted

/// A value computed from private rows, with how far it can move between neighbours.
template <class Value, class Norm>
class Bounded {
 public:
  const Value& value() const { return value_; }
  double sensitivity() const { return sensitivity_; }
  Relation relation() const { return relation_; }

 private:
  Bounded(Value value, double sensitivity, Relation relation)
      : value_(std::move(value)), sensitivity_(sensitivity), relation_(relation) {}
  template <class N, class V>
  friend Bounded<V, N> trusted::assume_bounded(V, double, Relation);

  Value value_;
  double sensitivity_;
  Relation relation_;
};

namespace trusted {
template <class Norm, class Value>
Bounded<Value, Norm> assume_bounded(Value value, double sensitivity, Relation relation) {
  return Bounded<Value, Norm>(std::move(value), sensitivity, relation);
}
}  // namespace trusted

}  // namespace eigenveil
