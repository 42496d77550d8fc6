#include "statistics/merged_grams.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>

namespace eigenveil {
namespace {

Error in_file(const std::string& path, Error error) {
  if (error.message.find(path) == std::string::npos) {
    error.message = fmt::format("{}: {}", path, error.message);
  }
  return error;
}

}  // namespace

Result<void> check_each_once(const std::vector<std::string>& paths) {
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  for (const std::string& path : paths) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) {
      continue;  // said when it is opened
    }
    const auto [first, fresh] = seen.emplace(std::pair(found.st_dev, found.st_ino), path);
    if (!fresh) {
      return bad_request(
          fmt::format("{} and {} are the same file; counting its rows twice would break the "
                      "privacy guarantee",
                      first->second, path));
    }
  }
  return {};
}

Result<ExactGram> merged_grams(const std::vector<std::string>& paths, EqualTotals equal,
                               bool incomplete) {
  if (const Result<void> once = check_each_once(paths); !once) {
    return error_of(once);
  }
  const auto loaded = [](const std::string& path) {
    return ExactGram::load(path).map_error([&](Error error) { return in_file(path, error); });
  };
  Result<ExactGram> total = loaded(paths.front());
  for (std::size_t i = 1; total && i < paths.size(); ++i) {
    const Result<void> merged = loaded(paths[i]).and_then([&](const ExactGram& part) {
      return total->merge(part, equal).map_error([&](Error error) {
        return in_file(paths[i], error);
      });
    });
    if (!merged) {
      return error_of(merged);
    }
  }
  if (total && !incomplete) {
    if (const Result<void> complete = total->check_complete(); !complete) {
      return bad_request(complete.error().message + "; give the others too, or say {incomplete}");
    }
  }
  return total;
}

}  // namespace eigenveil
