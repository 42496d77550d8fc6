#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// One request as it came. Nothing in it was checked but its grammar and its size.
struct HttpRequest {
  std::string method = {};  ///< "GET"
  std::string path = {};    ///< "/plan": the target up to its question mark, as sent, never decoded
  std::string query = {};   ///< what follows it
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< names in small letters
  std::string body = {};
  std::string peer = {};    ///< the other side's address, without its port
  std::string source = {};  ///< what limits count: the address, or the /64 network of an IPv6 one
  /// The only value of a header; none where it is absent, and none where it was sent twice, since
  /// two readers of such a request may disagree.
  std::optional<std::string_view> header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// What a stranger can make the server hold, and for how long.
struct HttpLimits {
  std::size_t head_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{1} << 20;
  /// For a head as a whole (with the handshake of TLS), or until an idle connection is closed.
  std::chrono::milliseconds head = std::chrono::seconds(10);
  std::chrono::milliseconds request = std::chrono::seconds(20);  ///< for the body behind it
  std::chrono::milliseconds response = std::chrono::seconds(60);
  int connections = 64;     ///< one more is closed at once
  int from_one_source = 0;  ///< of `ConnectionPlaces`; 0: no limit of its own
};

/// Why a connection was closed without an answer.
enum class TurnedAway : std::uint8_t { NoPlace, TooSlow };

/// Files in PEM; empty: plain HTTP.
struct HttpTls {
  std::string certificate = {};  ///< with the chain behind it
  std::string key = {};

  bool wanted() const { return !certificate.empty(); }
};

struct HttpSetup {
  std::string address = "127.0.0.1";  ///< loopback, unless somebody means otherwise
  std::uint16_t port = 0;             ///< 0: any that is free
  int threads = 2;                    ///< handlers run on them, so they must be prepared for that
  HttpLimits limits = {};
  HttpTls tls = {};
  /// Looks at a request before its body is read; an answer refuses it. May be empty.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> admit = {};
  std::function<HttpResponse(const HttpRequest&)> handle = {};
  /// Requests that may take long: they have as many threads of their own, so that nobody else waits
  /// for them. Empty: none are.
  std::function<bool(const HttpRequest&)> is_slow = {};
  /// Counts what got no answer, for a log. May be empty.
  std::function<void(TurnedAway)> turned_away = {};
};

/// HTTP/1.1 over Boost.Beast, which is included in http_server.cpp alone. A connection is a
/// template over its stream there: what encrypts goes below it.
class HttpServer {
 public:
  /// Listens when it returns. Refuses an address it cannot have.
  static Result<std::unique_ptr<HttpServer>> start(HttpSetup setup);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  std::uint16_t port() const { return port_; }
  /// Takes no more requests, lets handlers that run come to their end, and closes everything.
  void stop();

 private:
  struct Inside;
  explicit HttpServer(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
  std::uint16_t port_;
};

}  // namespace eigenveil
