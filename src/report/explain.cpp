#include "report/explain.hpp"

#include <fmt/format.h>

#include <set>

#include "core/plain_text.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/report/read_release.hpp"
#include "report/not_protected.hpp"
#include "report/report_text.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

/// A text of the document, unless it could steer the terminal.
std::string printable(const std::string& text) {
  return is_plain_text(text) ? text : "(not plain text)";
}

std::string bullet_list(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) {
    lines += fmt::format("    - {}\n", printable(text));
  }
  return lines;
}

/// What the curator or a ledger wrote down beside the release.
std::string origin_in_words(const ReleaseDocument& document) {
  std::string text;
  if (!document.data_set.empty()) {
    text += fmt::format("  data set    {}\n", printable(document.data_set));
  }
  if (!document.date.empty()) {
    text += fmt::format("  date        {}\n", printable(document.date));
  }
  if (document.ledger) {
    text += fmt::format("  ledger      reservation {} of {}\n", document.ledger->index,
                        printable(document.ledger->id));
  }
  if (!document.builds_on.empty()) {
    text += fmt::format("  builds on   other releases, which cost beside it\n{}",
                        bullet_list(document.builds_on));
  }
  return text;
}

std::string words(const ReleaseDocument& document) {
  const Guarantee& guarantee = document.guarantee();
  std::string text = fmt::format("{} released by method {}\n", printable(document.task),
                                 printable(document.method));
  text += fmt::format("  guarantee   {}\n", in_words(stated_guarantee(document)));
  text += fmt::format("  in words    {}\n", detection_in_words(guarantee));
  if (const std::string moving = convergence_in_words(document); !moving.empty()) {
    text += fmt::format("  warning     {}\n", printable(moving));
  }
  if (!guarantee.assumptions.empty()) {
    text += fmt::format(
        "  {}\n{}",
        guarantee.basis == Basis::NotPrivate ? "would rest on, with secret randomness" : "rests on",
        bullet_list(guarantee.assumptions));
  } else if (guarantee.basis != Basis::NotPrivate) {
    text += "  rests on    nothing beyond the program: bounds are enforced, not assumed\n";
  }
  text += fmt::format("  not protected\n{}", bullet_list(not_protected(document)));
  text += origin_in_words(document);
  text += "  checksums   the document and every file it lists are as they were written\n";
  return text;
}

std::string line_of(const ReleaseDocument& document) {
  return fmt::format("{} by method {}: {}", printable(document.task), printable(document.method),
                     in_words(stated_guarantee(document)));
}

/// A pair says more to most readers than a curve.
constexpr double kShownDelta = 1e-6;

std::string sum_in_words(const Guarantee& sum, std::size_t count) {
  std::string text = fmt::format("{} releases of one table, together\n", count);
  text += fmt::format("  guarantee   {}\n", in_words(sum));
  if (!std::holds_alternative<PureDp>(sum.loss) && !std::holds_alternative<ApproxDp>(sum.loss)) {
    Guarantee pair = sum;
    pair.loss = ApproxDp{epsilon_at(sum.loss, kShownDelta), kShownDelta};
    text += fmt::format("  implies     {}\n", in_words(pair));
  }
  text += fmt::format("  in words    {}\n", detection_in_words(sum));
  if (!sum.assumptions.empty()) {
    text += fmt::format("  rests on\n{}", bullet_list(sum.assumptions));
  }
  text +=
      "  counted     every release once, with budgets fixed beforehand: a budget that was chosen "
      "after looking at an earlier release is not covered, nor is a release that is not named "
      "here\n";
  return text;
}

}  // namespace

Result<std::string> explain_release(const fs::path& release) {
  return read_release(release).map([](const ReadRelease& read) { return words(read.document); });
}

Result<std::string> explain_releases(const std::vector<fs::path>& releases) {
  if (releases.size() == 1) {
    return explain_release(releases.front());
  }
  std::vector<Guarantee> guarantees;
  std::set<std::string> checksums;
  std::string lines;
  for (const fs::path& release : releases) {
    const Result<ReadRelease> found = read_release(release);
    if (!found) {
      return error_of(found);
    }
    if (found->document.guarantee().basis == Basis::NotPrivate) {
      return bad_request(fmt::format(
          "{} is NOT PRIVATE: no sum with it protects anybody; leave it out", release.string()));
    }
    if (!checksums.insert(found->checksum).second) {
      return bad_request(fmt::format("{} is named twice, and one release costs once; leave it out",
                                     release.string()));
    }
    guarantees.push_back(found->document.guarantee());
    lines += fmt::format("  {}: {}\n", release.string(), line_of(found->document));
  }
  return compose_all(guarantees).map([&](const Guarantee& sum) {
    return lines + "\n" + sum_in_words(sum, releases.size());
  });
}

}  // namespace eigenveil
