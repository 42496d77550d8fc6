#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <random>

#include "support/seed.hpp"
#include "table_support.hpp"

namespace eigenveil::test::poisoned_input_test {
namespace {

/// Cells hold 731.77 and relatives in every spelling; no message may show a piece of one.
const std::string kPoison = "731.77";

/// Names are public and stay whole: damage that moves a cell into the header line makes it a name.
const std::string kHeader = "age,\"net, income\",note\n";

std::string poisoned_csv() {
  std::string text;
  for (int row = 0; row < 40; ++row) {
    text += kPoison + ",\"" + kPoison + "e3\",\"said \"\"" + kPoison + "\"\"\nthen " + kPoison +
            "\"\n" + "-" + kPoison + ",7.3177e2," + kPoison + "\r\n";
  }
  return text;
}

std::string poisoned_npy() {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (30, 3), }\n";
  std::string bytes("\x93NUMPY\x01\0", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  for (int i = 0; i < 90; ++i) {
    const double cell = 731.77;
    bytes.append(reinterpret_cast<const char*>(&cell), sizeof(cell));
  }
  return bytes;
}

class Corruption {
 public:
  explicit Corruption(std::uint64_t seed) : random_(seed) {}

  std::string apply(std::string bytes) {
    for (std::size_t left = 1 + below(4); left > 0 && !bytes.empty(); --left) {
      const std::size_t at = below(bytes.size());
      switch (below(6)) {
        case 0:  // flip a bit
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes.resize(at);
          break;
        case 2:  // a letter the grammar cares about
          bytes.insert(at, 1, std::string("\",\n\r\0x", 6)[below(6)]);
          break;
        case 3:
          bytes.erase(at, 1 + below(20));
          break;
        case 4:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(60)));
          break;
        default:
          bytes[at] = std::string("\",\n\r\0xe-", 8)[below(8)];
          break;
      }
    }
    return bytes;
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

 private:
  std::mt19937_64 random_;
};

ReadOptions random_options(Corruption& random, bool header) {
  ReadOptions options;
  options.bad_cell = random.below(2) == 0 ? BadCell::Refuse : BadCell::Midpoint;
  options.missing = random.below(2) == 0 ? MissingCell::Refuse : MissingCell::Midpoint;
  using Header = ReadOptions::Header;
  const Header names = options.bad_cell == BadCell::Midpoint ? Header::Present : Header::Auto;
  options.header = header ? names : Header::Absent;
  options.chunk_bytes = random.below(3) == 0 ? 0 : 1 + random.below(200);
  if (random.below(3) == 0) {
    options.columns = {header ? "age" : "c1"};
  } else if (!header && options.bad_cell == BadCell::Midpoint) {
    options.width = 3;
  }
  return options;
}

/// True if the message shows a decimal point beside a digit or three digits of the marker.
bool leaks(const std::string& message, const std::string& path) {
  std::string text = message;
  if (const std::size_t at = text.find(path); at != std::string::npos) {
    text.erase(at, path.size());  // the process number in the path may look like anything
  }
  const bool marker = text.find("731") != std::string::npos ||
                      text.find("317") != std::string::npos ||
                      text.find("177") != std::string::npos;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '.' && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0) {
      return true;
    }
  }
  return marker;
}

struct Counts {
  int read = 0;
  int refused = 0;
};

Counts attack(const std::string& clean, const std::string& ending, bool header, bool pack,
              std::string_view name) {
  Corruption random(seed_for(name));
  Counts counts;
  for (int round = 0; round < 3000; ++round) {
    const std::string front = header ? kHeader : "";
    std::string bytes = front + random.apply(clean);
    if (pack) {
      bytes = random.below(2) == 0 ? gzip(bytes) : random.apply(gzip(front + clean));
    }
    const TemporaryFile file(bytes, ending);
    const Result<Table> table = read_table(file.path(), random_options(random, header));
    if (table) {
      ++counts.read;
      EXPECT_EQ(table->values.size(), table->rows * table->columns.size());
      EXPECT_TRUE(std::ranges::none_of(table->values, [](double x) { return std::isinf(x); }));
      continue;
    }
    ++counts.refused;
    EXPECT_FALSE(leaks(table.error().message, file.path())) << table.error().message;
    EXPECT_EQ(table.error().message.find('\n'), std::string::npos);
    EXPECT_TRUE(table.error().message.ends_with('.') || table.error().message.ends_with('?'));
  }
  return counts;
}

void expect_both_outcomes(const Counts& counts) {
  EXPECT_GT(counts.read, 30);
  EXPECT_GT(counts.refused, 300);
}

TEST(PoisonedInput, CsvWithHeader) {
  expect_both_outcomes(attack(poisoned_csv(), ".csv", true, false, "poisoned.header"));
}

TEST(PoisonedInput, CsvWithoutHeader) {
  expect_both_outcomes(attack(poisoned_csv(), ".csv", false, false, "poisoned.no-header"));
}

TEST(PoisonedInput, Gzip) {
  expect_both_outcomes(attack(poisoned_csv(), ".csv.gz", true, true, "poisoned.gzip"));
}

TEST(PoisonedInput, Npy) {
  expect_both_outcomes(attack(poisoned_npy(), ".npy", false, false, "poisoned.npy"));
}

/// A lost header line must not turn the first row into names.
TEST(PoisonedInput, AutoNeverTakesNumbersForNames) {
  for (const char* text : {"731.77,x\n1,2\n", "x,731.77,\n1,2,3\n", "731.77,731.78\nx,2\n"}) {
    const Result<Table> table = read_text(text);
    ASSERT_FALSE(table);
    EXPECT_FALSE(leaks(table.error().message, ""));
  }
}

TEST(PoisonedInput, TheScanFindsALeak) {
  EXPECT_TRUE(leaks("line 3, column age: 731.77 is not a number.", "/tmp/x"));
  EXPECT_TRUE(leaks("line 3, column age: '17731' is not a number.", "/tmp/x"));
  EXPECT_FALSE(leaks("line 3, column age: not a number (the value is not shown).", "/tmp/x"));
}

}  // namespace
}  // namespace eigenveil::test::poisoned_input_test
