#include "serve/http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <string>

#include "serve/connection_places.hpp"

namespace eigenveil::test::http_server_test {
namespace {

using namespace std::chrono_literals;

/// A plain socket, so that requests no library would send can be sent.
class Client {
 public:
  explicit Client(std::uint16_t port, const char* from = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &address.sin_addr);
    ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }

  bool connected() const { return connected_; }
  void send(const std::string& text) const {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t bytes = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (bytes <= 0) {
        return;  // the server has closed
      }
      sent += static_cast<std::size_t>(bytes);
    }
  }
  /// The beginning of an answer.
  std::string some() const {
    char buffer[4096];
    const ssize_t bytes = ::recv(socket_, buffer, sizeof(buffer), 0);
    return {buffer, static_cast<std::size_t>(std::max<ssize_t>(0, bytes))};
  }
  /// Everything until the server closes.
  std::string rest() const {
    std::string text;
    char buffer[4096];
    for (ssize_t bytes = 0; (bytes = ::recv(socket_, buffer, sizeof(buffer), 0)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(bytes));
    }
    return text;
  }

 private:
  int socket_;
  bool connected_ = false;
};

HttpResponse echo(const HttpRequest& request) {
  return {.body = request.method + " " + request.path + " [" + request.query + "] " + request.body,
          .headers = {{"X-Peer", request.peer}}};
}

std::unique_ptr<HttpServer> server(HttpSetup setup) {
  Result<std::unique_ptr<HttpServer>> started = HttpServer::start(std::move(setup));
  EXPECT_TRUE(started.has_value()) << started.error().message;
  return std::move(*started);
}

std::string reply_to(const HttpServer& running, const std::string& request) {
  const Client client(running.port());
  client.send(request);
  return client.rest();
}

TEST(HttpServer, AnswersAndKeepsTheConnection) {
  const auto running = server({.handle = echo});
  const std::string text =
      reply_to(*running,
               "POST /plan?x=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi"
               "GET /../../etc/passwd HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_NE(text.find("POST /plan [x=1] hi"), std::string::npos) << text;
  EXPECT_NE(text.find("GET /../../etc/passwd [] "), std::string::npos) << "the path as sent";
  EXPECT_NE(text.find("X-Peer: 127.0.0.1"), std::string::npos) << text;
}

TEST(HttpServer, AHeaderSentTwiceHasNoValue) {
  const HttpRequest request{.headers = {{"host", "a"}, {"origin", "b"}, {"host", "c"}}};
  EXPECT_FALSE(request.header("host").has_value());
  EXPECT_EQ(request.header("origin"), "b");
  EXPECT_FALSE(request.header("token").has_value());
}

TEST(HttpServer, RefusesWhatIsTooLargeOrNoRequest) {
  std::atomic<int> handled = 0;
  HttpSetup setup{.handle = [&](const HttpRequest&) {
    ++handled;
    return HttpResponse{};
  }};
  setup.limits.body_bytes = 1000;
  setup.limits.head_bytes = 2000;
  const auto running = server(setup);
  const std::string large = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n";
  EXPECT_EQ(reply_to(*running, large + std::string(1001, 'x')).substr(0, 12), "HTTP/1.1 413");
  const std::string chunks = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(reply_to(*running, chunks + "3e9\r\n" + std::string(1001, 'x') + "\r\n0\r\n\r\n")
                .substr(0, 12),
            "HTTP/1.1 413");
  EXPECT_EQ(reply_to(*running, "GET / HTTP/1.1\r\nX: " + std::string(3000, 'x') + "\r\n\r\n")
                .substr(0, 12),
            "HTTP/1.1 431");
  EXPECT_EQ(reply_to(*running, "no request at all\r\n\r\n").substr(0, 12), "HTTP/1.1 400");
  EXPECT_EQ(handled, 0);
  const std::string fits = "POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n";
  EXPECT_EQ(reply_to(*running, fits + std::string(1000, 'x')).substr(0, 12), "HTTP/1.1 200");
  EXPECT_EQ(handled, 1);
}

TEST(HttpServer, ARefusedHeadNeverReachesTheHandler) {
  std::atomic<int> handled = 0;
  const auto running =
      server({.admit = [](const HttpRequest& head) -> std::optional<HttpResponse> {
                return head.path == "/spend"
                           ? std::optional(HttpResponse{.status = 403, .body = "no"})
                           : std::nullopt;
              },
              .handle =
                  [&](const HttpRequest&) {
                    ++handled;
                    return HttpResponse{};
                  }});
  EXPECT_EQ(
      reply_to(*running, "POST /spend HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello").substr(0, 12),
      "HTTP/1.1 403");
  EXPECT_EQ(handled, 0);
  reply_to(*running, "GET /other HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(handled, 1);
}

/// A sender that never comes to an end is dropped; the test would hang if it were not.
TEST(HttpServer, SlowSendersAreDropped) {
  HttpSetup setup{.handle = echo};
  setup.limits.request = 50ms;
  const auto running = server(setup);
  EXPECT_EQ(reply_to(*running, "GET / HTTP/1.1\r\nHost"), "");
  EXPECT_EQ(reply_to(*running, "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf"), "");
}

TEST(HttpServer, OneConnectionTooManyIsClosed) {
  HttpSetup setup{.handle = echo};
  setup.limits.connections = 1;
  const auto running = server(setup);
  const Client first(running->port());
  first.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(reply_to(*running, "GET /second HTTP/1.1\r\nConnection: close\r\n\r\n").find("second"),
            std::string::npos);
  first.send("GET /again HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(first.rest().find("/again"), std::string::npos);
}

/// What 127.0.0.1 gets while two other addresses open 40 connections each and never end a head.
std::string served_beside_slow_addresses(int from_one_source, int& turned_away) {
  std::atomic<int> away = 0;
  HttpSetup setup{.handle = echo, .turned_away = [&](TurnedAway) { ++away; }};
  setup.limits.connections = 16;
  setup.limits.from_one_source = from_one_source;
  setup.limits.head = setup.limits.request = 10min;  // none is dropped for being slow
  const auto running = server(setup);
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 80; ++i) {
    slow.push_back(
        std::make_unique<Client>(running->port(), i % 2 == 0 ? "127.0.0.2" : "127.0.0.3"));
    slow.back()->send("POST /v1/report HTTP/1.1\r\nX-a: ");
  }
  std::string text =
      reply_to(*running, "GET /served HTTP/1.1\r\nConnection: close\r\n\r\n");  // after them
  turned_away = away;
  return text;
}

TEST(HttpServer, SlowAddressesLeaveRoomForOthers) {
  int away = 0;
  EXPECT_NE(served_beside_slow_addresses(4, away).find("/served"), std::string::npos);
  EXPECT_EQ(away, 80 - 3 - 2);  // a quarter of the 12 and of the 11 places that were left
  // The broken twin: without a limit for an address everybody else is locked out.
  EXPECT_EQ(served_beside_slow_addresses(0, away), "");
  EXPECT_EQ(away, 80 + 1 - 16);
}

TEST(HttpServer, PlacesOfOneSource) {
  ConnectionPlaces places(16, 4);
  int taken = 0;
  for (int source = 0; source < 16; ++source) {  // one place each is left to the end
    taken += places.take(std::to_string(source)) ? 1 : 0;
  }
  EXPECT_EQ(taken, 16);
  EXPECT_FALSE(places.take("another"));
  places.give_back("3");
  EXPECT_TRUE(places.take("another"));
}

TEST(HttpServer, AHandlerThatThrowsIsAnAnswer) {
  const auto running = server(
      {.handle = [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("a secret"); }});
  const std::string text = reply_to(*running, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(text.substr(0, 12), "HTTP/1.1 500");
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

/// The test would hang if the second quick request waited for a slow one.
TEST(HttpServer, NobodyWaitsForASlowRequest) {
  std::promise<void> promise;
  const std::shared_future<void> let_go = promise.get_future().share();
  HttpSetup setup{.threads = 1,
                  .handle =
                      [&](const HttpRequest& request) {
                        if (request.path == "/slow") {
                          let_go.wait();
                        }
                        return echo(request);
                      },
                  .is_slow = [](const HttpRequest& request) { return request.path == "/slow"; }};
  const auto running = server(setup);
  const Client one(running->port());
  const Client other(running->port());
  const std::string slow = "GET /slow HTTP/1.1\r\nConnection: close\r\n\r\n";
  one.send("GET /before HTTP/1.1\r\n\r\n" + slow);
  other.send(slow);
  for (int i = 0; i < 3; ++i) {
    const std::string quick =
        reply_to(*running, "GET /quick HTTP/1.1\r\nConnection: close\r\n\r\n");
    EXPECT_NE(quick.find("GET /quick"), std::string::npos) << quick;
  }
  promise.set_value();
  const std::string both = one.rest();
  EXPECT_NE(both.find("GET /before"), std::string::npos) << both;
  EXPECT_NE(both.find("GET /slow"), std::string::npos) << both;
  EXPECT_NE(other.rest().find("GET /slow"), std::string::npos);
}

/// One slow request runs and one waits when the server is stopped.
TEST(HttpServer, StopsBehindSlowRequests) {
  std::promise<void> begun;
  HttpSetup setup{.threads = 1,
                  .handle =
                      [&](const HttpRequest& request) {
                        begun.set_value();  // throws for a second one, which is an answer too
                        return echo(request);
                      },
                  .is_slow = [](const HttpRequest&) { return true; }};
  auto running = server(setup);
  const Client one(running->port());
  const Client other(running->port());
  one.send("GET /slow HTTP/1.1\r\n\r\n");
  other.send("GET /slow HTTP/1.1\r\n\r\n");
  begun.get_future().wait();
  running->stop();
  one.rest();
  other.rest();
}

/// A program that is started meanwhile, a browser above all, must not hold the port.
TEST(HttpServer, SocketsStayInThisProcess) {
  const auto running = server({.handle = echo});
  const Client client(running->port());
  const Client second(running->port());
  for (const Client* each : {&client, &second}) {
    each->send("GET /accepted HTTP/1.1\r\n\r\n");
    each->some();
  }
  int sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename().string());
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    const bool known = ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    if (known && address.sin_family == AF_INET && ntohs(address.sin_port) == running->port()) {
      ++sockets;
      EXPECT_NE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0) << descriptor;
    }
  }
  EXPECT_EQ(sockets, 3) << "one that listens, two that were accepted";
}

TEST(HttpServer, StopsAndLeavesThePort) {
  auto running = server({.handle = echo});
  const std::uint16_t port = running->port();
  const Client idle(port);
  EXPECT_TRUE(idle.connected());
  running->stop();
  EXPECT_EQ(idle.rest(), "");
  EXPECT_FALSE(Client(port).connected());
  EXPECT_FALSE(HttpServer::start({.address = "no address", .handle = echo}).has_value());
  const auto holder = server({.handle = echo});
  const auto second = HttpServer::start({.port = holder->port(), .handle = echo});
  EXPECT_FALSE(second.has_value());
}

}  // namespace
}  // namespace eigenveil::test::http_server_test
