#include "ledger/data_tags.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "core/atomic_output.hpp"

namespace eigenveil {
namespace {

constexpr std::string_view kHeading = "eigenveil data tags 1: keep beside the key, not in copies\n";

/// The latest of a name's tags; empty: none.
std::string latest(const std::string& text, const std::string& name) {
  std::istringstream lines(text.substr(kHeading.size()));
  std::string found;
  for (std::string who, tag; lines >> who >> tag;) {
    found = who == name ? tag : found;
  }
  return found;
}

}  // namespace

std::filesystem::path data_path(const std::filesystem::path& ledger) {
  std::filesystem::path path = ledger;
  path += ".data";
  return path;
}

Result<DataTags::Answer> DataTags::compare(std::string_view name,
                                           std::string_view statistic) const {
  const std::string who = key_.tag("name", name);
  const std::string tag = key_.tag("data", fmt::format("{} {}", who, statistic));
  std::ifstream file(file_, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!text.starts_with(kHeading)) {
    if (!text.empty()) {
      return bad_request(fmt::format("{} holds no tags of a ledger's data", file_.string()));
    }
    text = kHeading;
  }
  const std::string earlier = latest(text, who);
  if (earlier == tag) {
    return Answer::Same;
  }
  text += fmt::format("{} {}\n", who, tag);
  return write_file_atomically(file_, text, FileAccess::OwnerOnly).map([&] {
    return earlier.empty() ? Answer::First : Answer::Other;
  });
}

}  // namespace eigenveil
