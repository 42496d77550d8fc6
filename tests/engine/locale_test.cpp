// Files do not depend on how a country writes numbers: a program may have set LC_NUMERIC.
#include <gtest/gtest.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>

#include "data/open.hpp"
#include "eigenveil/eigenveil.hpp"
#include "report/explain.hpp"

namespace eigenveil::test::locale_test {
namespace {

namespace fs = std::filesystem;

class CommaPunctuation final : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// A folder with a table and a locale whose numbers read 1.234,5; gone at the end, with the locale.
class CommaLocale : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "table.csv") << "a,b\n0.5,1.25\n-1.75,1e-1\n1234.5,0.125\n";
    std::ofstream(folder_ / "comma.src")
        << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
  }
  void TearDown() override {
    std::setlocale(LC_ALL, "C");
    std::locale::global(std::locale::classic());
    fs::remove_all(folder_);
  }
  /// Of C and of C++; false where this machine cannot make one.
  bool set() {
    const std::string in_folder = "cd '" + folder_.string() + "' && ";
    // It warns of the categories that are missing, and says so in its exit code.
    static_cast<void>(std::system(
        (in_folder + "localedef -c -i comma.src -f ANSI_X3.4-1968 ./comma > localedef.log 2>&1")
            .c_str()));
    ::setenv("LOCPATH", folder_.c_str(), 1);
    std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
    return std::setlocale(LC_NUMERIC, "comma") != nullptr;
  }

  /// Everything that is read and written for a release, as text.
  std::string everything() const {
    const auto reader = open_rows((folder_ / "table.csv").string(), {});
    if (!reader) {
      return reader.error().message;
    }
    const RowBound bound = *RowBound::ranges({{-2.0, 2.0}, {0.0, 2.5}});
    Request request;
    request.components = 2;
    request.budget = ApproxDp{1.125, 1e-6};
    RandomStream stream = RandomStream::seeded(3);
    const auto document =
        plan(request, {(*reader)->schema(), bound}).and_then([&](const auto& planned) {
          const auto run = planned->start(stream, 1);
          return run->add(**reader).and_then([&] { return run->finish(); });
        });
    if (!document) {
      return document.error().message;
    }
    fs::remove_all(folder_ / "out");
    std::string text = summary_json(*document);
    const auto written = write_release(*document, TableFormat::Csv, folder_ / "out");
    if (!written) {
      return written.error().message;
    }
    for (const std::string& name : *written) {
      std::ostringstream bytes;
      bytes << std::ifstream(folder_ / "out" / fs::path(name).filename()).rdbuf();
      text += name + "\n" + bytes.str();
    }
    const Result<std::string> words = explain_release(folder_ / "out");
    return text + (words ? *words : words.error().message);
  }

  fs::path folder_ = fs::temp_directory_path() / ("eigenveil-locale-" + std::to_string(::getpid()));
};

TEST_F(CommaLocale, NumbersInFilesStayAsTheyAre) {
  const std::string before = everything();
  EXPECT_NE(before.find("1.125"), std::string::npos);
  const std::string words = in_words(
      Guarantee{Relation::AddRemove, ApproxDp{1.123456789, 1e-6}, Basis::Proved, {}, true});
  if (!set()) {
    GTEST_SKIP() << "localedef cannot make a locale here";
  }
  char shown[16];
  std::snprintf(shown, sizeof shown, "%.1f", 0.5);
  ASSERT_STREQ(shown, "0,5") << "the locale is in force";
  EXPECT_EQ(everything(), before);
  EXPECT_EQ(in_words(Guarantee{
                Relation::AddRemove, ApproxDp{1.123456789, 1e-6}, Basis::Proved, {}, true}),
            words);
}

}  // namespace
}  // namespace eigenveil::test::locale_test
