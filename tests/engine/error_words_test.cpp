// What a C++ program prints of an error names what its author can write.
#include "eigenveil/engine/error_words.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "eigenveil/eigenveil.hpp"
#include "support/source_directory.hpp"

namespace eigenveil::test::error_words_test {
namespace {

namespace fs = std::filesystem;

std::string said(const std::string& message) {
  return in_words(Error{ErrorCode::BadRequest, message});
}

TEST(ErrorWords, NameWhatAProgramWrites) {
  EXPECT_EQ(said("use {neighbours zero-row} (default) or {neighbours replace-one}"),
            "use relation = Relation::ZeroRow (default) or relation = Relation::ReplaceOne");
  EXPECT_EQ(said("give {out} another name, or {replace}"),
            "give directory another name, or Existing::Replace");
  EXPECT_EQ(said("{within_subspace} goes with {method gauss}"),
            "option \"within_subspace\" goes with method = \"gauss\"");
  EXPECT_EQ(said("a column called { grid}, and {}"), "a column called { grid}, and {}");
}

TEST(ErrorWords, SayWhatIsWrongWithAPlan) {
  Request request;
  request.components = 9;
  request.budget = ApproxDp{1.0, 1e-6};
  const auto planned = plan(request, {Schema::numbered(4), *RowBound::row_norm(4, 1.0)});
  ASSERT_FALSE(planned);
  EXPECT_EQ(in_words(planned.error()),
            "components must satisfy 1 <= components <= 4, the number of columns");
}

/// Every {parameter} that the library's messages name, as its sources write them in strings.
std::set<std::string> parameters_in_sources() {
  static const std::regex kParameter("\\{\\{([a-z][a-z0-9_]*(?: [A-Za-z0-9_.:-]+)?)\\}\\}");
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(source_directory() / "src")) {
    if (entry.path().extension() != ".cpp") {
      continue;
    }
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string code = text.str();
    for (std::sregex_iterator match(code.begin(), code.end(), kParameter), end; match != end;
         ++match) {
      found.insert((*match)[1]);
    }
  }
  return found;
}

TEST(ErrorWords, LeaveNoBraces) {
  const std::set<std::string> parameters = parameters_in_sources();
  EXPECT_GT(parameters.size(), 40U);
  for (const std::string& parameter : parameters) {
    const std::string words = said("{" + parameter + "}");
    EXPECT_EQ(words.find_first_of("{}"), std::string::npos) << words;
    for (const char* foreign : {"neighbours", "row_norm R", "bad_cell", "units scaled"}) {
      EXPECT_EQ(words.find(foreign), std::string::npos) << words;
    }
  }
}

}  // namespace
}  // namespace eigenveil::test::error_words_test
