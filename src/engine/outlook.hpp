#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "eigenveil/engine/method.hpp"

namespace eigenveil {

/// What a method must know about the rows of people and of surveys, before they are read.
std::string needs_sums_alone(Task task, const MethodInfo& info);
Result<void> check_people(const MethodInfo& info, const Request& request, const PublicFacts& facts);

/// "20000 rows, 12 columns".
std::string size_in_words(std::int64_t rows, std::size_t columns);

/// Collects the facts of a plan: what all plans say first, then a method's own.
class Outlook {
 public:
  Outlook(const Request& request, const std::string& method, const Guarantee& guarantee,
          const AssumedTable& table);
  /// Of what is no request of a method: noisy counts. `size` is the table that was assumed.
  Outlook(const std::string& task, const std::string& method, const Guarantee& guarantee,
          const Budget& requested, const std::string& size);
  /// The bound, in numbers and words.
  void bound(const RowBound& bound);
  nlohmann::ordered_json& json() { return json_; }
  void line(std::string label, std::string text);
  PlanFacts finish() &&;

 private:
  nlohmann::ordered_json json_;
  PlanFacts facts_;
};

}  // namespace eigenveil
