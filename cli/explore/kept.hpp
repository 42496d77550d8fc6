#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace eigenveil::cli {

/// Answers of the session by their keys; the whole is forgotten when there are many.
template <class Value>
class Kept {
 public:
  std::optional<Value> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string& key, const Value& value) {
    constexpr std::size_t kMost = 400;
    const std::lock_guard lock(mutex_);
    if (values_.size() >= kMost) {
      values_.clear();
    }
    values_.insert_or_assign(key, value);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Value> values_;
};

}  // namespace eigenveil::cli
