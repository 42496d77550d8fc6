#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "audit/sharp_trade_off.hpp"
#include "cli/audits/audits.hpp"
#include "cli/options/checks.hpp"
#include "cli/options/numbers_file.hpp"
#include "cli/options/table_options.hpp"
#include "core/symmetric_eigen.hpp"
#include "mechanism/sharp/sharp.hpp"

namespace eigenveil::cli {
namespace {

/// A table's covariance spectrum, normalised to rows of squared norm at most p.
struct AuditedSpectrum {
  Vector eigenvalues;
  double rows = 0.0;
};

struct SharpAuditOptions {
  InputOptions input;
  BoundOptions bounds;
  std::string spectrum_file;
  std::int64_t rows = 0;
  Eigen::Index components = 1;
  std::optional<double> mu;
  std::optional<double> beta;
  std::uint64_t draws = 30'000;
  std::optional<std::uint64_t> seed;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<AuditedSpectrum> spectrum() const;
  Result<double> chosen_beta(const SharpPrivacy& sharp) const;
};

void SharpAuditOptions::declare(CLI::App& app) {
  input.declare(app);
  app.get_option("INPUT")->required(false);
  bounds.declare(app);
  bounds.declare_rank_transform(app);
  app.add_option("--data-spectrum", spectrum_file,
                 "eigenvalues of the covariance, one per line (rows with squared norm at most p), "
                 "instead of a table");
  app.add_option("--rows", rows, "number of rows behind --data-spectrum")
      ->check(whole_number(1, std::uint64_t{1} << 50));
  app.add_option("-k,--components", components, "number of components (default 1)")
      ->check(whole_number(1));
  app.add_option("--mu", mu, "calibrate beta to this mu");
  app.add_option("--beta", beta, "or give beta itself");
  app.add_option("--draws", draws, "draws on each of the two tables (default 30000)")
      ->check(whole_number(100, 100'000'000));
  app.add_option("--seed", seed, "the same draws again")->check(whole_number(0));
}

Result<AuditedSpectrum> SharpAuditOptions::spectrum() const {
  if (!spectrum_file.empty()) {
    if (rows == 0 || !input.input.empty()) {
      return bad_request("give --rows N with --data-spectrum, and no table beside it");
    }
    return read_spectrum(spectrum_file).map([&](Vector values) {
      return AuditedSpectrum{std::move(values), static_cast<double>(rows)};
    });
  }
  if (input.input.empty()) {
    return bad_request("give a table with its bound, or --data-spectrum FILE with --rows N");
  }
  Result<OpenedTable> table = table_spec(input, bounds).and_then([&](TableSpec spec) {
    return OpenedTable::bounded(input.source(std::move(spec)));
  });
  if (!table) {
    return error_of(table);
  }
  return table->sums(input.thread_count()).map([](const ExactGram* sums) {
    const NormalisedSpectrum normalised = trusted::normalised_spectrum(*sums);
    return AuditedSpectrum{normalised.eigenvalues, normalised.rows};
  });
}

Result<double> SharpAuditOptions::chosen_beta(const SharpPrivacy& sharp) const {
  if (mu.has_value() == beta.has_value()) {
    return bad_request("give exactly one of --mu M and --beta B");
  }
  if (beta) {
    return *beta;
  }
  const std::optional<double> found = sharp.beta(*mu);
  if (!found) {
    return bad_request(
        fmt::format("mu = {} cannot be reached: the plateau of this spectrum is at mu = {:.4g}",
                    *mu, sharp.mu_min()));
  }
  return *found;
}

Outcome SharpAuditOptions::run() const {
  const Result<AuditedSpectrum> audited = spectrum();
  if (!audited) {
    return error_of(audited);
  }
  const Result<SharpPrivacy> sharp =
      SharpPrivacy::make(audited->eigenvalues, audited->rows, components);
  if (!sharp) {
    return error_of(sharp);
  }
  const Result<double> at = chosen_beta(*sharp);
  if (!at) {
    return error_of(at);
  }
  RandomStream stream = seed ? RandomStream::seeded(*seed) : RandomStream::secure();
  const std::vector<double> levels{0.05, 0.1, 0.2, 0.3, 0.4, 0.5};
  const Result<SharpTradeOff> measured =
      sharp_trade_off(audited->eigenvalues, audited->rows, components, *at, levels, draws,
                      1e-3 / static_cast<double>(levels.size()), stream);
  if (!measured) {
    return error_of(measured);
  }
  fmt::print(
      "Audit of sharp: {} exact draws on each of two neighbouring tables (p = {}, k = {})\n"
      "  for your eyes only: computed from the true spectrum, and not a release\n"
      "  beta {:.5g}, mu {:.4g} (asymptotic), worst-case epsilon {:.4g}\n"
      "  {:>12}{:>12}{:>22}{:>12}\n",
      draws, audited->eigenvalues.size(), components, measured->beta, measured->mu,
      sharp->worst_case_epsilon(*at), "type I", "type II", "99.9% band (all)", "predicted");
  for (const TradeOffPoint& point : measured->points) {
    fmt::print("  {:>12.2f}{:>12.4f}{:>22}{:>12.4f}\n", point.type_one, point.type_two,
               fmt::format("[{:.4f}, {:.4f}]", point.low, point.high), point.predicted);
  }
  fmt::print("  largest gap between measured and predicted: {:.4f}\n", measured->largest_gap);
  return {};
}

}  // namespace

Command sharp_audit() {
  return command_of<SharpAuditOptions>("sharp", "the asymptotic mu against draws at this size");
}

}  // namespace eigenveil::cli
