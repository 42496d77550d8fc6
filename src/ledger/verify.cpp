#include "ledger/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/report/read_release.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

/// The document itself, given its directory or its own name.
fs::path document_in(const fs::path& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("release") && name.ends_with(".json")) {
      return entry.path();
    }
  }
  return path;
}

std::string hash_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return hex(sha256(std::string(std::istreambuf_iterator<char>(file), {})));
}

/// A release that was written in more than one form names the one that was settled.
bool is_made_from(const ReleaseDocument& document, const std::string& settled) {
  return std::find(document.builds_on.begin(), document.builds_on.end(), settled) !=
         document.builds_on.end();
}

/// Whom a release protects, against what the ledger says was charged for it.
std::string other_unit(const Guarantee& release, const LedgerTerms& terms, const LedgerLine& line) {
  ReleaseCost cost;
  cost.guarantee = release;
  const Result<int> steps = steps_between(terms, cost);
  if (!steps) {
    return steps.error().message;
  }
  // Lines of earlier formats do not say for how many steps they were charged.
  if (terms.format >= 3 && *steps != line.charge.steps) {
    return fmt::format(
        "it was charged for {} step{} between the ledger's neighbours, and its own "
        "relation and unit need {}",
        line.charge.steps, line.charge.steps == 1 ? "" : "s", *steps);
  }
  return {};
}

/// Empty: the release stands in the ledger as it says.
std::string problem_of(const fs::path& path, const LedgerTerms& terms,
                       const std::vector<LedgerLine>& lines, std::size_t& other_forms) {
  const std::string name = path.string();
  const Result<ReadRelease> release = read_release(path);
  if (!release) {
    return fmt::format("{}: {}", name, release.error().message);
  }
  if (!release->document.ledger) {
    return fmt::format("{} was made without a ledger", name);
  }
  const LedgerEntry& entry = *release->document.ledger;
  if (entry.id != terms.id) {
    return fmt::format("{} belongs to another ledger ({})", name, entry.id);
  }
  if (entry.index > std::ssize(lines)) {
    return fmt::format(
        "{} is entry {}, and the ledger ends at {}: it was restored from an old copy, or its end "
        "was removed",
        name, entry.index, lines.size());
  }
  const auto place = static_cast<std::size_t>(entry.index - 1);
  if (entry.index < 1 || lines[place].hash != entry.reservation) {
    return fmt::format(
        "{} is not what entry {} says: the ledger was changed, or two copies of it were used", name,
        entry.index);
  }
  if (const std::string other = other_unit(release->document.guarantee(), terms, lines[place]);
      !other.empty()) {
    return fmt::format("{} protects others than the ledger: {}", name, other);
  }
  for (const LedgerLine& line : lines) {
    if (line.kind == EntryKind::Settle && line.reservation == entry.index) {
      if (line.release == hash_of_file(document_in(path))) {
        return {};
      }
      if (is_made_from(release->document, line.release)) {
        ++other_forms;
        return {};
      }
      return fmt::format("{} is not the release that entry {} became", name, entry.index);
    }
  }
  return fmt::format("{} was published before entry {} was settled", name, entry.index);
}

}  // namespace

Result<LedgerCheck> verify_ledger(const fs::path& ledger, const std::vector<fs::path>& releases) {
  const Result<std::unique_ptr<LedgerStore>> store = SqliteLedger::open(ledger);
  if (!store) {
    return error_of(store);
  }
  const Result<LedgerTerms> terms = (*store)->terms();
  const Result<std::vector<LedgerLine>> lines = (*store)->lines();
  if (!terms) {
    return error_of(terms);
  }
  if (!lines) {
    return error_of(lines);
  }
  LedgerCheck check{{}, lines->size(), releases.size(), 0};
  if (const Result<void> sound = check_terms(*terms); !sound) {
    check.problems.push_back(sound.error().message);
  }
  if (const Result<void> signed_terms = check_signed(*terms, *lines); !signed_terms) {
    check.problems.push_back(signed_terms.error().message);
  }
  if (const Result<void> chain = check_chain(*terms, *lines); !chain) {
    check.problems.push_back(chain.error().message);
  }
  for (const LedgerLine& line : *lines) {
    if (!signature_holds(terms->public_key, line.hash, line.signature)) {
      check.problems.push_back(
          fmt::format("entry {} does not bear the signature of the ledger's key", line.index));
      break;
    }
  }
  if (!within(terms->caps, charges_in(*lines))) {
    check.problems.emplace_back("the entries add up to more than the caps");
  }
  for (const fs::path& release : releases) {
    if (std::string problem = problem_of(release, *terms, *lines, check.other_forms);
        !problem.empty()) {
      check.problems.push_back(std::move(problem));
    }
  }
  return check;
}

}  // namespace eigenveil
