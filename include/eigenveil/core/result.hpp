#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace eigenveil {

/// What kind of failure: decides the exit code of the program and the exception in Python.
enum class ErrorCode : std::uint8_t {
  BadRequest,   ///< the request or its input is wrong; the message says what to give (exit 2)
  InputOutput,  ///< a file could not be read or written (exit 1)
};

/// One clear sentence. A message never contains a value that was read from a row. It names
/// parameters in braces, {row_norm}; each face writes them as its users do: --row-norm, row_norm=,
/// and `in_words` (engine/error_words.hpp) as a C++ program spells them.
struct Error {
  ErrorCode code = ErrorCode::BadRequest;
  std::string message;
  std::string parameter = {};  ///< the one that is wrong, where it is one
};

/// Every failure is visible in the signature; the library throws nothing of its own.
template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> bad_request(std::string message,
                                                       std::string parameter = {}) {
  return tl::unexpected<Error>(
      Error{ErrorCode::BadRequest, std::move(message), std::move(parameter)});
}

[[nodiscard]] inline tl::unexpected<Error> input_output_error(std::string message) {
  return tl::unexpected<Error>(Error{ErrorCode::InputOutput, std::move(message), {}});
}

/// Hands the error of one result on as the error of another.
template <class T>
[[nodiscard]] tl::unexpected<Error> error_of(const Result<T>& result) {
  return tl::unexpected<Error>(result.error());
}

}  // namespace eigenveil
