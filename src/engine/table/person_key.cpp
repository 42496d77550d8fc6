#include "engine/table/person_key.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/atomic_output.hpp"
#include "core/parameter_names.hpp"
#include "eigenveil/random/stream.hpp"

namespace eigenveil {
namespace {

constexpr std::string_view kFirstLine = "eigenveil people key 1\n";

}  // namespace

HashKey fresh_person_key() {
  HashKey key = {};
  RandomStream stream = RandomStream::secure();
  for (unsigned char& byte : key) {
    byte = static_cast<unsigned char>(stream.bits64());
  }
  return key;
}

Result<void> save_person_key(const HashKey& key, const std::filesystem::path& path) {
  std::string digits(2 * key.size() + 1, '\0');
  sodium_bin2hex(digits.data(), digits.size(), key.data(), key.size());
  digits.back() = '\n';
  return check_new_file(path.string()).and_then([&] {
    return write_file_atomically(path, std::string(kFirstLine) + digits, FileAccess::OwnerOnly);
  });
}

Result<HashKey> load_person_key(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    return input_output_error(fmt::format("cannot read {}", shown(path.string())));
  }
  std::string text(std::istreambuf_iterator<char>(file), {});
  HashKey key = {};
  const std::size_t digits = 2 * key.size();
  std::size_t written = 0;
  const bool sound = text.size() == kFirstLine.size() + digits + 1 &&
                     text.starts_with(kFirstLine) && text.ends_with('\n') &&
                     sodium_hex2bin(key.data(), key.size(), text.data() + kFirstLine.size(), digits,
                                    nullptr, &written, nullptr) == 0 &&
                     written == key.size();
  sodium_memzero(text.data(), text.size());
  if (!sound) {
    return bad_request(
        fmt::format("{} is no key of people: eigenveil gram key makes one", shown(path.string())),
        "person_key");
  }
  return key;
}

}  // namespace eigenveil
