#include "ledger/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace eigenveil {
namespace {

double part(double spent, double cap) {
  return cap > 0.0 ? spent / cap : 0.0;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string one; std::getline(stream, one);) {
    lines.push_back(one);
  }
  return lines;
}

/// Basis and assumptions of everything that was reserved.
Guarantee whole_of(const LedgerState& state) {
  Guarantee whole;
  whole.relation = state.terms.relation;
  whole.basis = Basis::Proved;
  whole.secure_random = true;
  whole.group_size = state.terms.unit.rows;
  whole.person = state.terms.unit.person;
  std::set<std::string> seen;
  for (const LedgerLine& line : state.lines) {
    if (line.kind != EntryKind::Reserve) {
      continue;
    }
    whole.basis = std::max(whole.basis, line.basis);
    if (!seen.insert(line.assumptions).second) {
      continue;
    }
    for (const std::string& one : lines_of(line.assumptions)) {
      if (std::find(whole.assumptions.begin(), whole.assumptions.end(), one) ==
          whole.assumptions.end()) {
        whole.assumptions.push_back(one);
      }
    }
  }
  const bool drawn = std::any_of(state.lines.begin(), state.lines.end(),
                                 [](const LedgerLine& line) { return line.charge.draws > 0.0; });
  whole.loss = drawn ? whole_loss_with_draws(state.terms.caps) : whole_loss(state.terms.caps);
  if (whole.basis > Basis::ProvedRealArithmetic) {
    whole.basis = Basis::NotPrivate;
  }
  return whole;
}

std::string bar(double share) {
  constexpr int kWidth = 30;
  const int filled = std::clamp(static_cast<int>(std::ceil(kWidth * share)), 0, kWidth);
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kWidth - filled), '.');
}

std::string account_lines(const LedgerSummary& summary) {
  const LedgerCaps& caps = summary.terms.caps;
  std::string text;
  if (caps.has_gaussian()) {
    text += fmt::format("  gaussian    [{}] {:5.1f}% of mu {:.4g} spent; left: mu {:.4g}\n",
                        bar(summary.gaussian_share), 100.0 * summary.gaussian_share, caps.mu,
                        summary.left.mu);
  }
  if (caps.has_basic()) {
    const bool pure = caps.delta == 0.0;
    text += fmt::format(
        "  basic       [{}] {:5.1f}% of {} spent; left: {}\n", bar(summary.basic_share),
        100.0 * summary.basic_share,
        pure ? fmt::format("epsilon {:.4g}", caps.epsilon)
             : fmt::format("({:.4g}, {:.3g})", caps.epsilon, caps.delta),
        pure ? fmt::format("epsilon {:.4g}", summary.left.epsilon)
             : fmt::format("({:.4g}, {:.3g})", summary.left.epsilon, summary.left.delta));
  }
  if (summary.spent.draws > 0.0) {
    text += fmt::format("  draws       {:.2g} of {:.2g} spent: what doubles add to draws\n",
                        summary.spent.draws, caps.draws);
  }
  return text;
}

std::string row_text(const LedgerRow& row) {
  const LedgerLine& line = *row.line;
  return fmt::format("  {:>5}  {:<20}  {:<11} {:<13} {:<31} {:<9} {:>6.2f}%  {}\n", line.index,
                     line.time, line.task, line.method, in_words(line.charge),
                     name_of(line.charge.account), 100.0 * row.share,
                     row.release.empty() ? "no release" : row.release.substr(0, 12));
}

}  // namespace

LedgerSummary summary_of(const LedgerState& state) {
  LedgerSummary summary;
  summary.terms = state.terms;
  const std::vector<Charge> charges = charges_in(state.lines);
  summary.spent = spent_by(charges);
  summary.left = left_of(state.terms.caps, charges);
  const LedgerCaps& caps = state.terms.caps;
  summary.gaussian_share = part(summary.spent.square_mu, caps.mu * caps.mu);
  summary.basic_share =
      std::max(part(summary.spent.epsilon, caps.epsilon), part(summary.spent.delta, caps.delta));
  std::map<std::int64_t, std::size_t> places;
  for (const LedgerLine& line : state.lines) {
    if (line.kind == EntryKind::Reserve) {
      places[line.index] = summary.rows.size();
      summary.rows.push_back({&line, share_of(caps, line.charge), {}});
    } else if (const auto place = places.find(line.reservation); place != places.end()) {
      summary.rows[place->second].release = line.release;
      ++summary.released;
    }
  }
  summary.whole = whole_of(state);
  return summary;
}

std::string promise_sentence(const LedgerSummary& summary) {
  if (summary.whole.basis == Basis::NotPrivate) {
    return "no promise for the whole: it holds a release that is not proved for every data set";
  }
  std::string text =
      fmt::format("{}; {}", promise_in_words(summary.terms), describe(summary.whole.basis));
  if (summary.spent.draws > 0.0) {
    text += fmt::format("; {}", draws_in_words(summary.terms));
  }
  return text;
}

std::string draws_in_words(const LedgerTerms& terms) {
  const bool pair = std::holds_alternative<ApproxDp>(terms.promise) ||
                    std::holds_alternative<PureDp>(terms.promise);
  return pair ? fmt::format("draws in doubles add at most {:.3g} to delta", terms.caps.draws)
              : fmt::format("draws in doubles are exact but for a probability of at most {:.3g}",
                            terms.caps.draws);
}

std::string ledger_text(const LedgerSummary& summary) {
  const LedgerTerms& terms = summary.terms;
  std::string text =
      fmt::format("Ledger of {}  ({}, made {})\n", terms.name, terms.id, terms.created);
  text += fmt::format("  promise     {}\n", promise_sentence(summary));
  text +=
      "              for all releases together, whoever makes them and whatever was seen "
      "before each was chosen\n";
  text += fmt::format("  in words    {}\n", detection_in_words(summary.whole));
  for (const std::string& assumption : summary.whole.assumptions) {
    text += fmt::format("  {:<10}  {}\n",
                        &assumption == &summary.whole.assumptions.front() ? "rests on" : "",
                        assumption);
  }
  text += account_lines(summary);
  text +=
      fmt::format("  releases    {} reserved, {} released", summary.rows.size(), summary.released);
  const std::size_t lost = summary.rows.size() - summary.released;
  text += lost == 0 ? "\n" : fmt::format(", {} without a release (spent all the same)\n", lost);
  if (!summary.rows.empty()) {
    text += fmt::format("\n  {:>5}  {:<20}  {:<11} {:<13} {:<31} {:<9} {:>7}  {}\n", "entry",
                        "time (UTC)", "task", "method", "charged", "account", "share", "release");
  }
  constexpr std::size_t kShown = 50;
  const std::size_t first = summary.rows.size() > kShown ? summary.rows.size() - kShown : 0;
  if (first > 0) {
    text += fmt::format("         {} earlier ones (as JSON all are listed)\n", first);
  }
  for (std::size_t i = first; i < summary.rows.size(); ++i) {
    text += row_text(summary.rows[i]);
  }
  return text;
}

std::string ledger_json(const LedgerSummary& summary) {
  using Json = nlohmann::ordered_json;
  const LedgerTerms& terms = summary.terms;
  Json json{{"ledger", terms.id},
            {"name", terms.name},
            {"created", terms.created},
            {"public_key", terms.public_key},
            {"promise", promise_sentence(summary)},
            {"relation", name_of(terms.relation)},
            {"group_size", terms.unit.rows},
            {"person", terms.unit.person},
            {"basis", name_of(summary.whole.basis)},
            {"assumptions", summary.whole.assumptions},
            {"max_power_at_5pct",
             summary.whole.basis == Basis::NotPrivate ? 1.0 : max_power(summary.whole.loss, 0.05)},
            {"caps",
             {{"mu", terms.caps.mu},
              {"epsilon", terms.caps.epsilon},
              {"delta", terms.caps.delta},
              {"draws", terms.caps.draws}}},
            {"spent",
             {{"mu_squared", summary.spent.square_mu},
              {"epsilon", summary.spent.epsilon},
              {"delta", summary.spent.delta},
              {"draws", summary.spent.draws}}},
            {"left",
             {{"mu", summary.left.mu},
              {"epsilon", summary.left.epsilon},
              {"delta", summary.left.delta},
              {"draws", summary.left.draws}}},
            {"format", terms.format},
            {"made_by", terms.made_by}};
  Json entries = Json::array();
  for (const LedgerRow& row : summary.rows) {
    const LedgerLine& line = *row.line;
    entries.push_back(Json{{"index", line.index},
                           {"time", line.time},
                           {"task", line.task},
                           {"method", line.method},
                           {"data_set", line.data_set},
                           {"account", name_of(line.charge.account)},
                           {"mu", line.charge.mu},
                           {"epsilon", line.charge.epsilon},
                           {"delta", line.charge.delta},
                           {"draws", line.charge.draws},
                           {"steps", line.charge.steps},
                           {"basis", name_of(line.basis)},
                           {"assumptions", lines_of(line.assumptions)},
                           {"builds_on", lines_of(line.builds_on)},
                           {"key", line.key},
                           {"hash", line.hash},
                           {"release", row.release.empty() ? Json() : Json(row.release)}});
  }
  json["entries"] = std::move(entries);
  return json.dump(2) + "\n";
}

}  // namespace eigenveil
