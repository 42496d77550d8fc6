#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ledger/signing_key.hpp"

namespace eigenveil {

/// Whether releases under one name were made from the same rows, for the curator alone. Beside the
/// key lies FILE.data: for every name a tag of the exact sums, HMAC-SHA-256 under a key that is
/// drawn from the ledger's, so that nobody without it can check a guess of the rows. Nothing of
/// this is in the ledger or in a release.
class DataTags {
 public:
  DataTags(std::filesystem::path file, SigningKey key)
      : file_(std::move(file)), key_(std::move(key)) {}

  enum class Answer { First, Same, Other };
  /// Compares with the latest tag under this name. `name`: data set and public facts of the table;
  /// `statistic`: digest of its exact sums.
  Result<Answer> compare(std::string_view name, std::string_view statistic) const;
  /// From here on these are the rows of the name.
  Result<void> remember(std::string_view name, std::string_view statistic) const;

 private:
  struct Tag {
    std::string who;
    std::string data;
  };
  Tag tag_of(std::string_view name, std::string_view statistic) const;
  Result<std::string> text() const;

  std::filesystem::path file_;
  SigningKey key_;
};

/// "survey.ledger.data".
std::filesystem::path data_path(const std::filesystem::path& ledger);

}  // namespace eigenveil
