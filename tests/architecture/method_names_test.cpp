// Names of methods stand in their descriptors (src/engine/methods) and nowhere else: whoever needs
// to know something about a method asks it (MethodInfo), so that a new one needs no other edit.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "eigenveil/engine/registry.hpp"
#include "support/source_directory.hpp"

namespace eigenveil::test::method_names_test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDocs = "\"\"\"";

/// Where names may stand, and why.
const std::map<std::string, std::string> kExempt = {
    {"src/engine/methods/", "the descriptors"},
    {"src/mechanism/", "a mechanism names itself in what it draws (Release::mechanism)"},
    {"src/audit/", "audits.hpp is a list of attacks, which have names of their own"},
    {"cli/commands/audit.cpp", "an attack that has a command of its own"}};

std::string exemption(const std::string& file) {
  const auto found = std::find_if(kExempt.begin(), kExempt.end(),
                                  [&](const auto& entry) { return file.starts_with(entry.first); });
  return found == kExempt.end() ? std::string() : found->first;
}

/// Names that are words for other things too: tasks, commands, kinds of samplers. They count where
/// the line speaks of a method.
bool is_common_word(const std::string& name) {
  static const std::set<std::string> words = {"exact", "orbit", "sharp"};
  return words.contains(name) || parse_task(name).has_value();
}

/// The text without what stands from `open` to before `close`.
std::string without(std::string text, std::string_view open, std::string_view close) {
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    const std::size_t end = text.find(close, at + open.size());
    text.erase(at, end == std::string::npos ? end : end - at);
    at += close == open ? close.size() : 0;  // the end stays, and opens nothing
  }
  return text;
}

/// Without comments and the texts of Python that explain.
std::string code_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string ending = file.extension().string();
  const std::string code = ending == ".py" ? without(text.str(), kDocs, kDocs) : text.str();
  return without(code, ending == ".py" || ending == ".R" ? "#" : "//", "\n");
}

/// Lines of code that hold the name of a method as a text of its own, or recommend one in a
/// sentence: {method gauss}.
std::vector<std::string> named_in(const std::string& code) {
  static const std::regex quoted("(?:[\"']|\\{method )([a-z-]+)[\"'}]");
  std::set<std::string> names;
  for (const Method* method : methods()) {
    names.insert(method->info().name);
  }
  std::vector<std::string> found;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    for (std::sregex_iterator match(line.begin(), line.end(), quoted), end; match != end; ++match) {
      const std::string name = (*match)[1];
      if (names.contains(name) &&
          (!is_common_word(name) || line.find("method") != std::string::npos)) {
        found.push_back(line);
      }
    }
  }
  return found;
}

TEST(MethodNames, StandInTheirDescriptors) {
  std::set<std::string> used;
  std::size_t files = 0;
  for (const char* root :
       {"include", "src", "cli", "python/src", "python/eigenveil", "r/src", "r/R"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_directory() / root)) {
      const std::string ending = entry.path().extension().string();
      if (!std::set<std::string>{".cpp", ".hpp", ".py", ".R", ".js"}.contains(ending)) {
        continue;
      }
      const std::string file = fs::relative(entry.path(), source_directory()).string();
      const std::vector<std::string> lines = named_in(code_of(entry.path()));
      const std::string why = exemption(file);
      ++files;
      if (!why.empty()) {
        used.insert(lines.empty() ? std::string() : why);
        continue;
      }
      EXPECT_TRUE(lines.empty()) << file << ": " << lines.front();
    }
  }
  EXPECT_GT(files, 400U);
  for (const auto& [place, why] : kExempt) {
    EXPECT_TRUE(used.contains(place)) << place << " needs no exemption (" << why << ")";
  }
}

/// What the test above looks for is found.
TEST(MethodNames, AreFoundWhereTheyStand) {
  EXPECT_EQ(named_in("if (method == \"gauss\") {\n").size(), 1U);
  EXPECT_EQ(named_in("if self.method == 'oja':\n").size(), 1U);
  EXPECT_EQ(named_in("  NamePair{\"spiked-robust\",\n").size(), 1U);
  EXPECT_EQ(named_in("rotated = plan.method == \"mask\";\n").size(), 1U);
  EXPECT_EQ(named_in("if (document.task == \"mask\") {\n").size(), 0U);
  EXPECT_EQ(named_in("the noise of gauss\n").size(), 0U);
  EXPECT_EQ(named_in("\"or take {method gauss}\"\n").size(), 1U);
  EXPECT_EQ(named_in("fmt::format(\"take {{method gauss}} at {:.4g}\"\n").size(), 1U);
  EXPECT_EQ(named_in("fmt::format(\"take {{method {}}} at {:.4g}\"\n").size(), 0U);
}

}  // namespace
}  // namespace eigenveil::test::method_names_test
