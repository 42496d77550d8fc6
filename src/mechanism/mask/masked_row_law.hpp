#pragma once

#include <cstdint>

namespace eigenveil::detail {

/// The masked release of a single row in `degrees` dimensions, reduced to the squared length w of
/// what is seen: non-central chi-square(degrees, noncentrality) with the row, chi-square(degrees)
/// without. Divergences are certified upper bounds: series of positive terms with a bound for every
/// truncation and rounding (docs/proofs/masking.md, "Evaluation").
class MaskedRowLaw {
 public:
  /// noncentrality = R^2 / sigma^2, rounded up by the caller: a larger one only separates more.
  MaskedRowLaw(std::int64_t degrees, double noncentrality);

  /// sup over S of P_row(S) - e^epsilon P_zero(S), epsilon >= 0.
  double row_against_zero(double epsilon) const;
  /// sup over S of P_zero(S) - e^epsilon P_row(S), epsilon >= 0.
  double zero_against_row(double epsilon) const;
  /// The larger of both: zero-row neighbours.
  double zero_row_delta(double epsilon) const;
  double degrees() const { return 2.0 * shape_; }
  /// The likelihood ratio row : zero is nowhere below e to this.
  double least_log_ratio() const { return -rate_; }
  /// log of the likelihood ratio row : zero at w = 2 half, and its derivative in `half`.
  struct LogRatio {
    double value;
    double slope;
    double error;  ///< bound on the rounding of `value`
  };
  LogRatio log_ratio(double half) const;

 private:
  /// Where the log ratio crosses `level`.
  struct Crossing {
    double half;
    double slope;
    double miss;  ///< bound on |log ratio(half) - level|
  };
  Crossing crossing(double level) const;
  /// Mass that a threshold off by `miss` can hide.
  double hidden_mass(const Crossing& at) const;

  double shape_;  ///< m / 2
  double rate_;   ///< noncentrality / 2
};

}  // namespace eigenveil::detail
