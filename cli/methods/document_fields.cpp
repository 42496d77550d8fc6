#include "cli/methods/document_fields.hpp"

namespace eigenveil::cli {

void add_budget(Fields& fields, const Budget& budget) {
  if (const auto* pure = std::get_if<PureDp>(&budget)) {
    fields.emplace_back("epsilon", pure->epsilon);
  } else if (const auto* approx = std::get_if<ApproxDp>(&budget)) {
    fields.emplace_back("epsilon", approx->epsilon);
    fields.emplace_back("delta", approx->delta);
  } else if (const auto* zcdp = std::get_if<Zcdp>(&budget)) {
    fields.emplace_back("rho", zcdp->rho);
  } else {
    fields.emplace_back("mu", std::get<GaussianDp>(budget).mu);
  }
}

void add_bound(Fields& fields, const RowBound& bound) {
  fields.emplace_back("row_norm", bound.radius());
  fields.emplace_back("grid", bound.max_abs());
  fields.emplace_back("grid_unit", bound.unit());
  std::vector<double> low;
  std::vector<double> center;
  std::vector<double> high;
  for (std::size_t j = 0; j < bound.dimension(); ++j) {
    center.push_back(bound.midpoint(j));
    low.push_back(bound.midpoint(j) - bound.half_width(j));
    high.push_back(bound.midpoint(j) + bound.half_width(j));
  }
  if (bound.has_ranges()) {
    fields.emplace_back("range_low", low);
    fields.emplace_back("range_high", high);
  } else {
    fields.emplace_back("public_center", center);
  }
}

}  // namespace eigenveil::cli
