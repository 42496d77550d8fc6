#pragma once

#include <string>
#include <string_view>

#include "cli/explore/question.hpp"

namespace eigenveil::cli {

/// Everything screen 3 shows for what the page sends (a question, and how it is looked at), as one
/// JSON object: the plan as `plan --json` prints it, what follows from it, pictures, code.
Result<std::string> look_json(std::string_view asked, const ExploreSource& source);

/// The two rails of the dial: for round budgets what they buy.
Result<std::string> rails_json(std::string_view asked, const ExploreSource& source);

/// Every method on the assumed data, as `plan --compare --json` prints it, with sentences.
Result<std::string> methods_json(std::string_view asked, const ExploreSource& source);

}  // namespace eigenveil::cli
