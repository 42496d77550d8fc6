#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// One request to another machine.
struct HttpCall {
  std::string origin;  ///< "https://a.example.org:8443"; plain http is not encrypted
  std::string path = "/";
  std::string method = "GET";
  std::string body = {};
  std::string type = "application/octet-stream";
  std::string authorities = {};  ///< a file of certificates to trust; empty: the system's
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  std::size_t most_bytes = std::size_t{64} << 20;  ///< of the answer
  const std::atomic<bool>* cancelled = nullptr;    ///< gives up soon after it becomes true
};

struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// Sends it and waits. With https the other side must show a certificate for its name. An error
/// says that no answer came, not what the answer was.
Result<HttpAnswer> call(const HttpCall& wanted);

}  // namespace eigenveil
