#include "core/outside_json.hpp"

#include <set>
#include <string>
#include <vector>

namespace eigenveil {
namespace {

using Json = nlohmann::json;

/// Reads on until a field comes a second time.
class FieldsOnce final : public Json::json_sax_t {
 public:
  bool repeats() const { return repeats_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    fields_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    repeats_ = !fields_.back().insert(name).second;
    return !repeats_;
  }
  bool end_object() override {
    fields_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  std::vector<std::set<std::string>> fields_;
  bool repeats_ = false;
};

}  // namespace

bool repeats_a_field(std::string_view text) {
  FieldsOnce fields;
  Json::sax_parse(text, &fields);
  return fields.repeats();
}

bool nests_too_deep(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted) {
      i += letter == '\\' ? 1U : 0U;
      quoted = letter != '"';
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
    if (depth > kDeepest) {
      return true;
    }
  }
  return false;
}

}  // namespace eigenveil
