// The architecture is in the folder names: includes go one way only, and dangerous names stay
// where their proof pages say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/source_directory.hpp"

namespace eigenveil::test::layers_test {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = source_directory();

const std::map<std::string, std::set<std::string>> kAllowed = {
    {"core", {}},
    {"random", {"core"}},
    {"privacy", {"core"}},
    {"data", {"core"}},
    {"statistics", {"core", "privacy", "data"}},
    {"sampling", {"core", "random"}},
    {"mechanism", {"core", "random", "privacy", "data", "statistics", "sampling"}},
    {"audit", {"core", "random", "privacy", "data", "statistics", "sampling", "mechanism"}},
    {"report", {"core", "privacy"}},
    {"ledger", {"core", "privacy", "report"}},
    {"engine",
     {"core", "random", "privacy", "data", "statistics", "sampling", "mechanism", "report",
      "ledger"}},
    {"serve", {"core"}},
    {"collection",
     {"core", "random", "privacy", "data", "statistics", "sampling", "mechanism", "report",
      "ledger", "engine", "serve"}},
};

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) {  // not every layer has public headers
    return files;
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".hpp" || ending == ".cpp") {
      files.push_back(entry.path());
    }
  }
  return files;
}

/// Layers of the project headers a text includes.
std::set<std::string> included_layers(const std::string& text) {
  static const std::regex kInclude("#include \"(?:eigenveil/)?([a-z]+)/");
  std::set<std::string> layers;
  for (std::sregex_iterator match(text.begin(), text.end(), kInclude), end; match != end; ++match) {
    layers.insert((*match)[1]);
  }
  return layers;
}

std::set<std::string> forbidden_layers(const std::string& layer, const std::string& text) {
  std::set<std::string> forbidden;
  for (const std::string& other : included_layers(text)) {
    if (other != layer && !kAllowed.at(layer).contains(other)) {
      forbidden.insert(other);
    }
  }
  return forbidden;
}

TEST(Layers, IncludesGoOneWay) {
  std::size_t checked = 0;
  for (const auto& [layer, allowed] : kAllowed) {
    for (const fs::path& root : {kSource / "include/eigenveil" / layer, kSource / "src" / layer}) {
      for (const fs::path& file : sources(root)) {
        EXPECT_TRUE(forbidden_layers(layer, read(file)).empty()) << file;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 50U);
  EXPECT_FALSE(forbidden_layers("data", "#include \"eigenveil/random/stream.hpp\"\n").empty());
}

/// The papers stand on the library; of the program they may take the made-up tables alone, and
/// nothing that ships may need them.
TEST(Layers, PapersAreAProgramOfTheirOwn) {
  const std::regex program("#include \"cli/(?!sample_data/)");
  const std::vector<fs::path> papers = sources(kSource / "papers");
  EXPECT_GT(papers.size(), 20U);
  for (const fs::path& file : papers) {
    EXPECT_FALSE(std::regex_search(read(file), program)) << file;
  }
  for (const char* root : {"include/eigenveil", "src", "cli", "python/src"}) {
    for (const fs::path& file : sources(kSource / root)) {
      EXPECT_EQ(read(file).find("#include \"papers/"), std::string::npos) << file;
    }
  }
  EXPECT_TRUE(std::regex_search("#include \"cli/summary.hpp\"\n", program));
  EXPECT_FALSE(std::regex_search("#include \"cli/sample_data/sample_table.hpp\"\n", program));
}

/// What Python includes of the mechanisms themselves, beside the engine.
std::set<std::string> mechanisms_of_python() {
  static const std::regex kInclude("#include \"(mechanism/[a-z_/]+\\.hpp)\"");
  std::set<std::string> headers;
  for (const fs::path& file : sources(kSource / "python/src")) {
    const std::string text = read(file);
    for (std::sregex_iterator match(text.begin(), text.end(), kInclude), end; match != end;
         ++match) {
      headers.insert((*match)[1]);
    }
  }
  return headers;
}

/// Methods, plans, refusals and documents come from the engine: a face that plans a mechanism
/// itself would say them a second time. Left are analyses of what was released, the curator's
/// diagnostic and what an audit asks.
TEST(Layers, PythonIsAFaceOfTheEngine) {
  const std::set<std::string> left = {
      "mechanism/moment/covariance.hpp",
      "mechanism/sharp/sharp_privacy.hpp",
      "mechanism/spiked/spiked_diagnostic.hpp",
  };
  EXPECT_EQ(mechanisms_of_python(), left);  // a header that is no longer needed leaves the list
}

/// Texts in quotes that go into messages without `shown`: they are ours.
const std::map<std::string, std::size_t> kOwnWords = {
    {"src/core/npy_header.cpp", 1},                    // the header of a file
    {"src/engine/ledger_batch.cpp", 2},                // names of fields
    {"src/engine/registry.cpp", 1},                    // of a method that is registered
    {"src/engine/request_json.cpp", 1},                // of a field
    {"src/mechanism/moment/hermitian_moment.cpp", 2},  // its caller shows the names
    {"src/privacy/guarantee.cpp", 1},       // word of a release document, which is refused
    {"src/privacy/relation.cpp", 1},        // of a request, read without braces
    {"cli/interface/completion.cpp", 11}};  // scripts of shells

/// What a message puts in quotes came from outside, and passes `shown`, so that a column called
/// {row_norm} is not spelled as a parameter.
std::size_t quoted_unshown(const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = text.find("'{}'"); at != std::string::npos;
       at = text.find("'{}'", at + 1)) {
    const std::string call = text.substr(at, text.find(";\n", at) - at);
    const bool safe =
        call.find("shown(") != std::string::npos || call.find("name_of(") != std::string::npos;
    found += safe ? 0 : 1;
  }
  return found;
}

TEST(Layers, NamesFromOutsideAreShownInMessages) {
  for (const char* root : {"src", "cli"}) {
    for (const fs::path& file : sources(kSource / root)) {
      const auto own = kOwnWords.find(fs::relative(file, kSource).string());
      EXPECT_EQ(quoted_unshown(read(file)), own == kOwnWords.end() ? 0 : own->second) << file;
    }
  }
  EXPECT_EQ(quoted_unshown("bad_request(fmt::format(\"no column '{}'\", name));"), 1U);
  EXPECT_EQ(quoted_unshown("bad_request(fmt::format(\"no column '{}'\", shown(name)));"), 0U);
}

/// A number that only we know cites nothing: papers are named by their authors (docs/papers.md).
bool cites_a_number(const std::string& text) {
  const std::string number = std::string("eed ") + "00";
  for (std::size_t at = text.find(number); at != std::string::npos;
       at = text.find(number, at + 1)) {
    const std::size_t last = at + number.size();
    if (last < text.size() && text[last] >= '0' && text[last] <= '4') {
      return true;
    }
  }
  return false;
}

TEST(Layers, PapersAreCitedByTheirAuthors) {
  const std::set<std::string> endings = {".hpp", ".cpp", ".py", ".md"};
  std::size_t checked = 0;
  for (const char* root : {"include", "src", "cli", "papers", "python", "tests", "docs", "bench"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kSource / root)) {
      if (endings.contains(entry.path().extension().string())) {
        EXPECT_FALSE(cites_a_number(read(entry.path()))) << entry.path();
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 300U);
  EXPECT_TRUE(cites_a_number(std::string("Algorithm 1 of seed ") + "004"));
}

TEST(Layers, EveryFolderIsALayer) {
  for (const fs::path& root : {kSource / "include/eigenveil", kSource / "src"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
      if (entry.is_directory()) {
        EXPECT_TRUE(kAllowed.contains(entry.path().filename().string())) << entry.path();
      }
    }
  }
}

/// Files outside of `homes` that contain `pattern`.
std::vector<fs::path> strays(const std::regex& pattern, const std::set<std::string>& homes) {
  std::vector<fs::path> found;
  for (const char* root : {"include/eigenveil", "src", "cli", "papers", "python/src"}) {
    for (const fs::path& file : sources(kSource / root)) {
      const std::string home = fs::relative(file, kSource / root).begin()->string();  // the layer
      if (!homes.contains(home) && std::regex_search(read(file), pattern)) {
        found.push_back(file);
      }
    }
  }
  return found;
}

void expect_only_in(const std::string& pattern, const std::set<std::string>& homes) {
  const std::regex expression(pattern);
  for (const fs::path& file : strays(expression, homes)) {
    ADD_FAILURE() << file << " uses " << pattern;
  }
  EXPECT_FALSE(strays(expression, {}).empty())
      << pattern << " matches nothing: the test cannot fail";
}

TEST(Layers, OnlyMechanismsLookInsideAStatistic) {
  expect_only_in("statistics/trusted_totals\\.hpp",
                 {"statistics", "mechanism", "mechanism.hpp", "audit"});
}

TEST(Layers, OnlyMechanismsPromiseASensitivity) {
  expect_only_in("assume_bounded", {"privacy", "mechanism"});
}

TEST(Layers, OnlyMechanismsStateAGuarantee) {
  expect_only_in("trusted::assume_released",
                 {"privacy", "mechanism", "collection", "report", "engine"});
  expect_only_in("trusted::guarantee_of", {"report", "engine", "python", "document.cpp"});
}

/// Noise that is drawn again by its number is behind a proof page: a layer that is not here takes
/// a stream of its own by `split`. The explorer draws made-up tables from a public seed.
TEST(Layers, NoiseIsRepeatedWhereItIsProved) {
  expect_only_in("trusted::substream", {"random", "sampling", "mechanism", "audit", "explore"});
}

/// A failure that is thrown away is a shard that is missing in silence.
std::vector<std::string> dropped_without_a_word(const std::string& text) {
  static const std::regex kResult(
      "\n *(?:static |virtual |inline )*(?:Result<|tl::unexpected<)[^;={]*\\(");
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), kResult), end; match != end; ++match) {
    found.push_back(match->str());
  }
  return found;
}

TEST(Layers, NoPublicFailureIsDropped) {
  for (const fs::path& file : sources(kSource / "include")) {
    for (const std::string& function : dropped_without_a_word(read(file))) {
      ADD_FAILURE() << file << " lacks [[nodiscard]]:" << function;
    }
  }
  EXPECT_EQ(dropped_without_a_word("{\n  Result<void> save(int);").size(), 1U);
  EXPECT_EQ(dropped_without_a_word("{\n  virtual Result<bool> more() = 0;").size(), 1U);
  EXPECT_TRUE(dropped_without_a_word("{\n  [[nodiscard]] Result<void> save(int);").empty());
}

/// Beast takes longer to parse than the rest of a folder: one translation unit pays for it.
TEST(Layers, OneFileSpeaksHttp) {
  std::vector<std::string> users;
  for (const char* root : {"include/eigenveil", "src", "cli", "papers", "python/src"}) {
    for (const fs::path& file : sources(kSource / root)) {
      if (std::regex_search(read(file), std::regex("<boost/(beast|asio)"))) {
        users.push_back(file.filename().string());
      }
    }
  }
  std::sort(users.begin(), users.end());
  // Compiled as one unit.
  EXPECT_EQ(users, (std::vector<std::string>{"http_client.cpp", "http_server.cpp"}));
}

TEST(Layers, HeavyHeadersStayOutOfPublicHeaders) {
  const std::regex heavy(
      "<nlohmann/|<boost/|<sodium|<sqlite|<CLI/|<lapacke|<cblas|<openssl/|<fmt/");
  for (const fs::path& file : sources(kSource / "include")) {
    EXPECT_FALSE(std::regex_search(read(file), heavy)) << file;
  }
  EXPECT_TRUE(std::regex_search("#include <fmt/format.h>\n", heavy));
}

/// What is installed includes nothing that is not.
TEST(Layers, PublicHeadersStandAlone) {
  const std::regex internal("#include \"(?!eigenveil/)");
  std::size_t checked = 0;
  for (const fs::path& file : sources(kSource / "include")) {
    EXPECT_FALSE(std::regex_search(read(file), internal)) << file;
    ++checked;
  }
  EXPECT_GT(checked, 20U);
  EXPECT_TRUE(std::regex_search("#include \"core/outward.hpp\"\n", internal));
}

/// A library may run where the host program has set a locale with a decimal comma.
TEST(Layers, NumbersAreReadWithoutTheLocale) {
  const std::regex by_locale("\\bstrtod\\(|std::stod\\(|\\bsscanf\\(|\\bsnprintf\\(");
  for (const char* root : {"include/eigenveil", "src", "python/src"}) {
    for (const fs::path& file : sources(kSource / root)) {
      EXPECT_FALSE(std::regex_search(read(file), by_locale)) << file;
    }
  }
  EXPECT_TRUE(std::regex_search("std::strtod(text, &end)", by_locale));
}

/// Options of a command line in the literals of a source; comments are not looked at.
std::vector<std::string> flags_in(const std::string& text) {
  static const std::regex kComment("//[^\n]*");
  static const std::regex kLiteral("\"(?:[^\"\\\\\n]|\\\\.)*\"");
  static const std::regex kFlag("--[a-z]|[^a-z-]-k[^a-z]");
  const std::string code = std::regex_replace(text, kComment, "");
  std::vector<std::string> found;
  for (std::sregex_iterator match(code.begin(), code.end(), kLiteral), end; match != end; ++match) {
    if (std::regex_search(match->str(), kFlag)) {
      found.push_back(match->str());
    }
  }
  return found;
}

/// The library has many faces: it names {row_norm}, and each face says --row-norm or row_norm=.
TEST(Layers, TheLibraryDoesNotSpeakOfFlags) {
  for (const char* root : {"include/eigenveil", "src"}) {
    for (const fs::path& file : sources(kSource / root)) {
      if (file.filename() == "parameter_names.cpp") {
        continue;  // where the command line's spelling is
      }
      for (const std::string& literal : flags_in(read(file))) {
        ADD_FAILURE() << file << " says " << literal;
      }
    }
  }
  EXPECT_EQ(flags_in("f(\"give --row-norm R\");  // or --range\n").size(), 1U);
  EXPECT_EQ(flags_in("f(\"a smaller -k or\");").size(), 1U);
  EXPECT_TRUE(flags_in("f(\"{row_norm}\"); // --range").empty());
}

TEST(Layers, NoInsecureRandomness) {
  const std::regex insecure("mt19937|std::rand\\b|\\bsrand\\(|normal_distribution|random_device");
  for (const fs::path& file : strays(insecure, {})) {
    ADD_FAILURE() << file << " uses a generator that must not reach a release";
  }
  EXPECT_TRUE(std::regex_search("std::mt19937 engine;", insecure));
}

}  // namespace
}  // namespace eigenveil::test::layers_test
