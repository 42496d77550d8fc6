#pragma once

#include <string>
#include <string_view>

#include "engine/released_input.hpp"

namespace eigenveil {

enum class AnswerForm { Json, Words };

/// The answer to a question of estimates.hpp about what was released already, as every face has it.
Result<std::string> estimate_answer(const ReleasedMoments& released, std::string_view question,
                                    AnswerForm form);

}  // namespace eigenveil
