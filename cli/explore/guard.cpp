#include "cli/explore/guard.hpp"

#include <fmt/format.h>

#include "eigenveil/random/stream.hpp"

namespace eigenveil::cli {
namespace {

/// In a time that does not depend on where they differ.
bool same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  }
  return difference == 0;
}

HttpResponse refusal(int status, std::string words) {
  HttpResponse response{.status = status, .body = std::move(words) + "\n"};
  add_strict_headers(response);
  return response;
}

bool is_api(const HttpRequest& head) {
  return head.path.starts_with("/api/");
}

}  // namespace

std::string fresh_secret() {
  RandomStream stream = RandomStream::secure();
  const std::uint64_t high = stream.bits64();
  return fmt::format("{:016x}{:016x}", high, stream.bits64());
}

void add_strict_headers(HttpResponse& response, const std::string& styles) {
  const std::string scripts =
      styles == "'self'" ? "script-src 'self'; connect-src 'self'; " : std::string();
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"Content-Security-Policy",
            fmt::format("default-src 'none'; {}style-src {}; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'",
                        scripts, styles)},
           {"X-Frame-Options", "DENY"},
           {"X-Content-Type-Options", "nosniff"},
           {"Referrer-Policy", "no-referrer"},
           {"Cache-Control", "no-store"},
           {"Cross-Origin-Opener-Policy", "same-origin"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Cross-Origin-Embedder-Policy", "require-corp"}}) {
    response.headers.emplace_back(name, value);
  }
}

Guard::Guard() : first_secret_(fresh_secret()), session_secret_(fresh_secret()) {}

void Guard::set_port(std::uint16_t port) {
  const std::lock_guard lock(mutex_);
  host_ = fmt::format("127.0.0.1:{}", port);
}

std::string Guard::origin() const {
  const std::lock_guard lock(mutex_);
  return "http://" + host_;
}

std::optional<HttpResponse> Guard::refuses(const HttpRequest& head) const {
  const std::lock_guard lock(mutex_);
  if (head.header("host") != std::string_view(host_)) {
    return refusal(403, "this address does not answer under that name");
  }
  const auto origin = head.header("origin");
  if (origin && *origin != "http://" + host_) {
    return refusal(403, "another page asked for this");
  }
  // The page itself holds nothing, and a browser comes to it from a file.
  const auto site = head.header("sec-fetch-site");
  if (head.path != "/" && site && *site != "same-origin" && *site != "none") {
    return refusal(403, "another page asked for this");
  }
  if (!is_api(head)) {
    return head.method == "GET" || head.method == "HEAD"
               ? std::nullopt
               : std::optional(refusal(405, "this is read with GET"));
  }
  if (head.method != "POST") {
    return refusal(405, "this is asked with POST alone");
  }
  if (!origin) {
    return refusal(403, "a page says where it comes from");
  }
  if (head.header("content-type") != std::string_view("application/json")) {
    return refusal(415, "JSON was expected");
  }
  if (head.path == "/api/session") {  // carries the first secret in its body
    return std::nullopt;
  }
  const auto secret = head.header("x-eigenveil-session");
  if (!exchanged_ || !secret || !same_secret(*secret, session_secret_)) {
    return refusal(401, "this page does not belong to the session: open it from the terminal");
  }
  return std::nullopt;
}

std::optional<std::string> Guard::exchange(const std::string& secret) {
  const std::lock_guard lock(mutex_);
  if (exchanged_ || !same_secret(secret, first_secret_)) {
    return std::nullopt;
  }
  exchanged_ = true;
  return session_secret_;
}

}  // namespace eigenveil::cli
