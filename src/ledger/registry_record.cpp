#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "eigenveil/core/version.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/report/document.hpp"
#include "ledger/summary.hpp"
#include "privacy/wide.hpp"

namespace eigenveil {
namespace {

/// Where a promise has no delta of its own.
constexpr double kDelta = 1e-6;

constexpr std::string_view kFillIn = "(to be filled in by the curator)";

/// A YAML scalar in double quotes, which JSON's escapes are a part of.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      result += '\\';
    }
    result += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  }
  return result + '"';
}

class Yaml {
 public:
  Yaml& section(int depth, std::string_view name) {
    text_ += fmt::format("{:{}}{}:\n", "", 2 * depth, name);
    return *this;
  }
  Yaml& text(int depth, std::string_view name, std::string_view value) {
    text_ += fmt::format("{:{}}{}: {}\n", "", 2 * depth, name, quoted(value));
    return *this;
  }
  Yaml& raw(int depth, std::string_view name, std::string_view value) {
    text_ += fmt::format("{:{}}{}: {}\n", "", 2 * depth, name, value);
    return *this;
  }
  std::string finish() { return std::move(text_); }

 private:
  std::string text_;
};

/// "web_slug-of-the-name".
std::string slug(const std::string& name) {
  std::string text;
  for (const char letter : name) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    const bool large = letter >= 'A' && letter <= 'Z';
    if (plain || large) {
      text += static_cast<char>(large ? letter - 'A' + 'a' : letter);
    } else if (!text.empty() && text.back() != '-') {
      text += '-';
    }
  }
  while (text.ends_with('-')) {
    text.pop_back();
  }
  return text.empty() ? "eigenveil-ledger" : text;
}

/// What the registry is told: with draws in doubles among the releases the whole of a promised pair
/// is (epsilon, delta + X), X their cap (docs/proofs/ledger.md, "Draws in doubles").
Loss stated_promise(const LedgerSummary& summary) {
  const Loss& promise = summary.terms.promise;
  if (summary.spent.draws == 0.0) {
    return promise;
  }
  const auto more = [](double delta, double draws) {
    return std::min(1.0, detail::round_up(detail::Wide(delta) + detail::Wide(draws)));
  };
  if (const auto* pure = std::get_if<PureDp>(&promise)) {
    return ApproxDp{pure->epsilon, more(0.0, summary.terms.caps.draws)};
  }
  if (const auto* pair = std::get_if<ApproxDp>(&promise)) {
    return ApproxDp{pair->epsilon, more(pair->delta, summary.terms.caps.draws)};
  }
  // Beside a mu or rho the error X is a probability: H_e <= delta(e) + (1 + e^e) X.
  const double epsilon = epsilon_at(promise, kDelta);
  return ApproxDp{epsilon, more(kDelta, draw_delta(summary.terms.caps.draws, epsilon))};
}

std::string variant_of(const Loss& promise) {
  if (std::holds_alternative<PureDp>(promise)) {
    return "Pure DP";
  }
  if (std::holds_alternative<Zcdp>(promise) || std::holds_alternative<GaussianDp>(promise)) {
    return "Zero-concentrated DP";  // mu-GDP is mu^2/2-zCDP; mu itself stands in the details
  }
  return "Approximate DP";
}

/// "1.0e-06": the shortest decimal that is this number, with the point that YAML 1.1 wants.
std::string with_point(double value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

/// The schema has room for epsilon, delta and rho.
void add_parameters(Yaml& yaml, const LedgerSummary& summary) {
  const Loss promise = stated_promise(summary);
  yaml.section(2, "privacy_parameters");
  if (const auto* pure = std::get_if<PureDp>(&promise)) {
    yaml.raw(3, "epsilon", fmt::format("{}", pure->epsilon));
    return;
  }
  if (const auto* pair = std::get_if<ApproxDp>(&promise)) {
    yaml.raw(3, "epsilon", fmt::format("{}", pair->epsilon));
    yaml.raw(3, "delta", with_point(pair->delta));
    return;
  }
  const double rho = renyi_divergence(promise, 2.0) / 2.0;
  yaml.raw(3, "epsilon", fmt::format("{}", epsilon_at(promise, kDelta)));
  yaml.raw(3, "delta", with_point(kDelta));
  yaml.raw(3, "rho", fmt::format("{}", rho));
}

std::string parameters_in_words(const LedgerSummary& summary) {
  const LedgerCaps& caps = summary.terms.caps;
  std::string text = fmt::format(
      "Promised for all releases together: {}. Caps fixed when the "
      "ledger was made:",
      promise_sentence(summary));
  if (caps.has_gaussian()) {
    text += fmt::format(" sum of mu^2 at most {:.6g} (mu = {:.6g}, Gaussian DP), {:.6g} spent;",
                        caps.mu * caps.mu, caps.mu, summary.spent.square_mu);
  }
  if (caps.has_basic()) {
    text += fmt::format(
        " sum of epsilon at most {:.6g}, {:.6g} spent; sum of delta at most "
        "{:.3g}, {:.3g} spent;",
        caps.epsilon, summary.spent.epsilon, caps.delta, summary.spent.delta);
  }
  return text + " " + detection_in_words(summary.whole) + ".";
}

std::string mechanisms_in_words(const LedgerSummary& summary) {
  std::set<std::string> methods;
  for (const LedgerRow& row : summary.rows) {
    methods.insert(row.line->task + " by method " + row.line->method);
  }
  return fmt::format(
      "Eigenveil {}: {}. Secure randomness (ChaCha20, libsodium); budget is reserved durably "
      "before a row is read. How the noise is drawn, and what that rests on, stands in each "
      "release.",
      kVersion, methods.empty() ? "nothing yet" : fmt::format("{}", fmt::join(methods, ", ")));
}

/// Ranges that were found privately are releases of this ledger themselves.
std::string bounds_in_words(const LedgerSummary& summary) {
  const bool found = std::any_of(summary.rows.begin(), summary.rows.end(),
                                 [](const LedgerRow& row) { return row.line->task == "bounds"; });
  return found ? "Bounds are declared, or were found by releases that are charged here; rows are "
                 "clipped to them."
               : "Bounds are public and declared; rows are clipped to them.";
}

std::string unit_details(const LedgerTerms& terms) {
  return fmt::format("Adjacent data sets differ by {}, for {} (relation {}).",
                     describe(terms.relation), unit_in_words(terms), name_of(terms.relation));
}

std::string releases_in_words(const LedgerSummary& summary) {
  std::string text = "Release documents, by SHA-256:";
  for (const LedgerRow& row : summary.rows) {
    if (!row.release.empty()) {
      text += " " + row.release;
    }
  }
  return summary.released == 0 ? std::string("No release yet.") : text;
}

}  // namespace

Result<std::string> curator_type(std::string_view name) {
  for (const std::string_view known : {"Government", "Industry", "Nonprofit"}) {
    std::string lower(known);
    lower.front() = static_cast<char>(lower.front() - 'A' + 'a');
    if (name == known || name == lower) {
      return std::string(known);
    }
  }
  return bad_request("{curator} is government, industry or nonprofit", "curator");
}

std::string registry_record(const LedgerSummary& summary, const std::string& curator) {
  const LedgerTerms& terms = summary.terms;
  Yaml yaml;
  yaml.text(0, "url_slug", slug(terms.name)).section(0, "deployment");
  yaml.section(1, "basic").text(2, "name", terms.name).section(2, "data_curators");
  yaml.raw(3, "- data_curator_name", quoted(kFillIn));
  if (!curator.empty()) {  // the schema knows three kinds; which one is not ours to say
    yaml.text(4, "data_curator_type", curator);
  }
  yaml.text(2, "description", fmt::format("{} releases about {}.", summary.released, terms.name));
  yaml.text(2, "intended_use", kFillIn).text(2, "data_product_type", "Summary statistics");
  yaml.text(2, "data_product_region", kFillIn);
  yaml.text(2, "publication_date",
            (summary.rows.empty() ? terms.created : summary.rows.front().line->time).substr(0, 10));
  yaml.section(1, "dp_variant").text(2, "variant_name", variant_of(stated_promise(summary)));
  yaml.text(2, "data_domain", "Tables of numbers, clipped to public bounds.");
  std::string open;
  for (const std::string& item : not_protected(terms.relation, terms.unit.person)) {
    open += (open.empty() ? "" : "; ") + item;
  }
  yaml.text(2, "unprotected_quantities", open);
  yaml.section(1, "privacy_loss").text(2, "privacy_unit", unit_in_words(terms));
  yaml.text(2, "privacy_unit_details", unit_details(terms));
  add_parameters(yaml, summary);
  yaml.text(2, "privacy_parameters_details", parameters_in_words(summary));
  yaml.section(1, "deployment_model").text(2, "model_name", "Central");
  yaml.text(2, "actors", "The curator holds the rows and is trusted; readers see releases alone.");
  yaml.text(2, "release_type", summary.released > 1 ? "Many releases" : "One release");
  yaml.text(2, "release_type_details",
            "A ledger adds up what is spent; its caps never change and nothing is given back.");
  yaml.text(2, "data_source_type", "Static").text(2, "access_type", "Non-interactive");
  yaml.section(1, "implementation");
  yaml.text(2, "preprocessing_and_hyperparameter_tuning", bounds_in_words(summary));
  yaml.text(2, "mechanisms", mechanisms_in_words(summary));
  yaml.text(2, "composition",
            "Two accounts with caps fixed beforehand, valid for adaptively chosen budgets: sum of "
            "mu^2 (Gaussian DP) and sums of epsilon and delta; together leaky randomised response "
            "beside one Gaussian.");
  yaml.text(2, "post_processing", "Eigenvectors, shrinkage and rounding of released numbers.");
  yaml.text(2, "justification", kFillIn);
  yaml.text(2, "additional_information", releases_in_words(summary));
  yaml.section(1, "administrative").text(2, "status", "Draft").section(2, "registry_authors");
  return yaml.finish() + fmt::format("      - {}\n    tier: 3\n", quoted(kFillIn));
}

}  // namespace eigenveil
