#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "serve/http_server.hpp"

namespace eigenveil::cli {

/// 128 bits of the operating system, hexadecimal.
std::string fresh_secret();

/// Who may talk to the explorer. Everything else on this machine, and every page of the web that
/// the same browser shows, is a stranger:
///  - the Host header must name this address and port, or a name was bound to 127.0.0.1 (DNS
///    rebinding);
///  - an Origin, and what the browser says of the requesting page, must be this one;
///  - what answers about the table, or spends, wants the session's secret in a header, which no
///    other page can send and no cookie carries across ports.
/// The first secret is used once, for the session's own.
class Guard {
 public:
  Guard();
  void set_port(std::uint16_t port);
  const std::string& first_secret() const { return first_secret_; }
  std::string origin() const;

  /// A refusal, or nothing. Looks at the head alone.
  std::optional<HttpResponse> refuses(const HttpRequest& head) const;
  /// The session's secret, for the first one; once.
  std::optional<std::string> exchange(const std::string& secret);

 private:
  mutable std::mutex mutex_;
  std::string host_;
  std::string first_secret_;
  std::string session_secret_;
  bool exchanged_ = false;
};

/// Headers of every answer: nothing from elsewhere, in no frame, kept nowhere, told to nobody.
void add_strict_headers(HttpResponse& response, const std::string& styles = "'self'");

}  // namespace eigenveil::cli
