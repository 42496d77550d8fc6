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

Result<std::string> DataTags::text() const {
  std::ifstream file(file_, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.empty()) {
    return std::string(kHeading);
  }
  if (!text.starts_with(kHeading)) {
    return bad_request(fmt::format("{} holds no tags of a ledger's data", file_.string()));
  }
  return text;
}

DataTags::Tag DataTags::tag_of(std::string_view name, std::string_view statistic) const {
  const std::string who = key_.tag("name", name);
  return {who, key_.tag("data", fmt::format("{} {}", who, statistic))};
}

Result<DataTags::Answer> DataTags::compare(std::string_view name,
                                           std::string_view statistic) const {
  return text().map([&](const std::string& text) {
    const Tag now = tag_of(name, statistic);
    const std::string earlier = latest(text, now.who);
    return earlier.empty() ? Answer::First : earlier == now.data ? Answer::Same : Answer::Other;
  });
}

Result<void> DataTags::remember(std::string_view name, std::string_view statistic) const {
  return text().and_then([&](const std::string& text) -> Result<void> {
    const Tag now = tag_of(name, statistic);
    if (latest(text, now.who) == now.data) {
      return {};
    }
    return write_file_atomically(file_, fmt::format("{}{} {}\n", text, now.who, now.data),
                                 FileAccess::OwnerOnly);
  });
}

}  // namespace eigenveil
