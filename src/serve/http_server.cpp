#include "serve/http_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <fstream>
#include <functional>
#include <thread>

#include "serve/connection_places.hpp"

namespace eigenveil {
namespace inside_http_server {  // HttpServer::Inside holds some of these, so they have linkage

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

constexpr auto kFarewell = std::chrono::seconds(2);
constexpr std::size_t kDiscard = std::size_t{1} << 16;

/// Shared by all connections of a server.
struct Shared {
  explicit Shared(HttpSetup wanted)
      : setup(std::move(wanted)), places(setup.limits.connections, setup.limits.from_one_source) {}
  void turn_away(TurnedAway why) const {
    if (setup.turned_away) {
      setup.turned_away(why);
    }
  }

  HttpSetup setup;
  ConnectionPlaces places;
  std::optional<asio::ssl::context> tls;
  std::optional<asio::thread_pool> slow;  ///< for requests that may take long
};

/// A program that this one starts would hold the socket, and the port would answer nobody for as
/// long as that program lives.
void keep_to_this_process(int socket) {
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

/// An IPv6 network of one household has 2^64 addresses: they count as one.
std::string source_of(asio::ip::address address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  if (!address.is_v6()) {
    return address.to_string();
  }
  asio::ip::address_v6::bytes_type bytes = address.to_v6().to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;
/// One type for everything that follows a transfer: Beast's operations are then compiled once per
/// stream, not once per place that waits.
using Transferred = std::function<void(beast::error_code, std::size_t)>;

/// TLS 1.2 or later, with the certificate that was given; an error where it cannot be used.
beast::error_code load_tls(Shared& shared) {
  beast::error_code error;
  shared.tls.emplace(asio::ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(shared.tls->native_handle(), TLS1_2_VERSION);
  shared.tls->use_certificate_chain_file(shared.setup.tls.certificate, error);
  if (!error) {
    shared.tls->use_private_key_file(shared.setup.tls.key, asio::ssl::context::pem, error);
  }
  return error;
}

/// OpenSSL has no words for a file that is not there.
tl::unexpected<Error> tls_refusal(const HttpTls& files, const beast::error_code& error) {
  for (const std::string& file : {files.certificate, files.key}) {
    if (!std::ifstream(file).is_open()) {
      return input_output_error(fmt::format("cannot read {}", file));
    }
  }
  return input_output_error(
      fmt::format("{} and {} are no certificate and its key in PEM that belong together: {}",
                  files.certificate, files.key, error.message()));
}

std::string small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32)
                                          : static_cast<char>(letter);
  });
  return small;
}

std::string_view view(beast::string_view text) {
  return {text.data(), text.size()};
}

template <class Fields>
HttpRequest request_of(const http::request<http::string_body, Fields>& message) {
  HttpRequest request;
  request.method = view(message.method_string());
  const std::string_view target = view(message.target());
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  request.query = question == std::string_view::npos ? "" : target.substr(question + 1);
  for (const auto& field : message) {
    request.headers.emplace_back(small_letters(view(field.name_string())), view(field.value()));
  }
  return request;
}

/// The answer to a message that is none; nothing of it is repeated.
HttpResponse refusal(const beast::error_code& error) {
  const bool large = error == http::error::body_limit;
  const bool long_head = error == http::error::header_limit;
  return {.status = large       ? 413
                    : long_head ? 431
                                : 400,
          .body = large       ? "the body is larger than this server takes\n"
                  : long_head ? "the head of the request is longer than this server takes\n"
                              : "this is no HTTP request\n"};
}

/// One connection, from its first request to its last. `Stream` carries bytes and has deadlines:
/// `beast::tcp_stream`, or something that encrypts on top of one.
template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  /// Has its place, and gives it back.
  Connection(Stream&& stream, std::shared_ptr<Shared> shared, const asio::ip::address& peer)
      : stream_(std::move(stream)),
        shared_(std::move(shared)),
        peer_(peer.to_string()),
        source_(source_of(peer)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { shared_->places.give_back(source_); }

  void start() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      expire_head();
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](beast::error_code error) {
                                if (!error) {
                                  self->read_head();
                                } else {
                                  self->note_if_slow(error);
                                }
                              });
    } else {
      expire_head();
      read_head();
    }
  }

 private:
  /// One deadline for a head as a whole: a slow sender does not extend it byte by byte.
  void expire_head() {
    beast::get_lowest_layer(stream_).expires_after(std::min(limits().head, limits().request));
  }

  void note_if_slow(const beast::error_code& error) const {
    if (error == beast::error::timeout) {
      shared_->turn_away(TurnedAway::TooSlow);
    }
  }

  void read_head() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits().head_bytes));
    parser_->body_limit(limits().body_bytes);
    http::async_read_header(
        stream_, buffer_, *parser_,
        Transferred([self = this->shared_from_this()](beast::error_code error, std::size_t) {
          self->on_head(error);
        }));
  }

  const HttpLimits& limits() const { return shared_->setup.limits; }

  void on_head(const beast::error_code& error) {
    if (error) {
      return give_up(error);
    }
    beast::get_lowest_layer(stream_).expires_after(limits().request);
    if (shared_->setup.admit) {
      const HttpRequest head = received();
      if (std::optional<HttpResponse> refused = shared_->setup.admit(head)) {
        return answer(*refused, false);  // its body was not read, so nothing can follow it
      }
    }
    if (view(parser_->get()[http::field::expect]) != "100-continue") {
      return read_body();
    }
    reply_ = {http::status::continue_, parser_->get().version()};
    http::async_write(
        stream_, reply_,
        Transferred([self = this->shared_from_this()](beast::error_code failed, std::size_t) {
          if (!failed) {
            self->read_body();
          }
        }));
  }

  void read_body() {
    http::async_read(
        stream_, buffer_, *parser_,
        Transferred([self = this->shared_from_this()](beast::error_code error, std::size_t) {
          if (error) {
            self->give_up(error);
          } else {
            self->on_request();
          }
        }));
  }

  void on_request() {
    HttpRequest request = received();
    request.body = std::move(parser_->get().body());
    if (!shared_->slow || !shared_->setup.is_slow(request)) {
      return answer(handled(request), parser_->get().keep_alive());
    }
    asio::post(*shared_->slow, [self = this->shared_from_this(), request = std::move(request)] {
      auto response = std::make_shared<HttpResponse>(self->handled(request));
      asio::post(self->stream_.get_executor(),
                 [self, response] { self->answer(*response, self->parser_->get().keep_alive()); });
    });
  }

  HttpRequest received() const {
    HttpRequest request = request_of(parser_->get());
    request.peer = peer_;
    request.source = source_;
    return request;
  }

  HttpResponse handled(const HttpRequest& request) const {
    try {
      return shared_->setup.handle(request);
    } catch (const std::exception&) {  // its text might quote a value
      return {.status = 500, .body = "something went wrong inside the program\n"};
    }
  }

  void give_up(const beast::error_code& error) {
    note_if_slow(error);
    if (error.category() == http::make_error_code(http::error::body_limit).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      answer(refusal(error), false);
    }  // otherwise the other side has gone, or was too slow: nobody to tell
  }

  void answer(const HttpResponse& response, bool keep_alive) {
    reply_ = {static_cast<http::status>(response.status), parser_->get().version()};
    reply_.set(http::field::content_type, response.type);
    for (const auto& [name, value] : response.headers) {
      reply_.set(name, value);
    }
    const bool head = parser_->is_header_done() && parser_->get().method() == http::verb::head;
    reply_.body() = head ? std::string() : response.body;
    reply_.content_length(response.body.size());
    reply_.keep_alive(keep_alive && !head);
    beast::get_lowest_layer(stream_).expires_after(limits().response);
    http::async_write(
        stream_, reply_,
        Transferred([self = this->shared_from_this()](beast::error_code error, std::size_t) {
          self->on_answered(error);
        }));
  }

  void on_answered(const beast::error_code& error) {
    if (!error && reply_.keep_alive()) {
      expire_head();
      return read_head();
    }
    beast::error_code ignored;
    beast::get_lowest_layer(stream_).socket().shutdown(Tcp::socket::shutdown_send, ignored);
    beast::get_lowest_layer(stream_).expires_after(kFarewell);
    listen_until_silent();
  }

  /// Closing over bytes that were not read makes the other side lose the answer.
  void listen_until_silent() {
    buffer_.clear();
    beast::get_lowest_layer(stream_).async_read_some(
        buffer_.prepare(kDiscard),
        Transferred([self = this->shared_from_this()](beast::error_code error, std::size_t bytes) {
          self->discarded_ += bytes;
          if (!error && self->discarded_ < self->limits().body_bytes) {
            self->listen_until_silent();
          }
        }));
  }

  Stream stream_;
  std::shared_ptr<Shared> shared_;
  std::string peer_;
  std::string source_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> reply_;
  std::size_t discarded_ = 0;
};

}  // namespace inside_http_server

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using inside_http_server::Connection;
using inside_http_server::PlainStream;
using inside_http_server::Shared;
using inside_http_server::TlsStream;

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [other, value] : headers) {
    if (other == name) {
      if (found) {
        return std::nullopt;
      }
      found = value;
    }
  }
  return found;
}

struct HttpServer::Inside {
  explicit Inside(HttpSetup setup)
      : shared(std::make_shared<Shared>(std::move(setup))), acceptor(context) {}

  beast::error_code listen() {
    beast::error_code error;
    const auto address = asio::ip::make_address(shared->setup.address, error);
    if (error) {
      return error;
    }
    const tcp::endpoint endpoint(address, shared->setup.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) {
      inside_http_server::keep_to_this_process(acceptor.native_handle());
      acceptor.set_option(asio::socket_base::reuse_address(true), error);
    }
    if (!error) {
      acceptor.bind(endpoint, error);
    }
    if (!error) {
      acceptor.listen(asio::socket_base::max_listen_connections, error);
    }
    return error;
  }

  void accept() {
    acceptor.async_accept(asio::make_strand(context),
                          [this](beast::error_code error, tcp::socket socket) {
                            if (error == asio::error::operation_aborted) {
                              return;
                            }
                            if (!error) {
                              admit(std::move(socket));
                            }
                            accept();
                          });
  }

  /// Counted here, before a byte is read; what finds no place is closed.
  void admit(tcp::socket&& socket) {
    inside_http_server::keep_to_this_process(socket.native_handle());
    beast::error_code ignored;
    const asio::ip::address peer = socket.remote_endpoint(ignored).address();
    if (!shared->places.take(inside_http_server::source_of(peer))) {
      shared->turn_away(TurnedAway::NoPlace);
    } else if (shared->tls) {
      std::make_shared<Connection<TlsStream>>(TlsStream(std::move(socket), *shared->tls), shared,
                                              peer)
          ->start();
    } else {
      std::make_shared<Connection<PlainStream>>(PlainStream(std::move(socket)), shared, peer)
          ->start();
    }
  }

  ~Inside() {
    if (shared->slow) {
      shared->slow->stop();
      shared->slow->join();
    }
    context.stop();
    for (std::thread& thread : threads) {
      thread.join();
    }
    shared->slow.reset();  // with requests that still waited, and their connections
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  std::shared_ptr<Shared> shared;
  asio::io_context context;
  tcp::acceptor acceptor;
  std::vector<std::thread> threads;
};

HttpServer::HttpServer(std::unique_ptr<Inside> inside)
    : inside_(std::move(inside)), port_(inside_->acceptor.local_endpoint().port()) {}

HttpServer::~HttpServer() = default;

void HttpServer::stop() {
  inside_.reset();
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpSetup setup) {
  auto inside = std::make_unique<Inside>(std::move(setup));
  if (inside->shared->setup.tls.wanted()) {
    if (const beast::error_code error = inside_http_server::load_tls(*inside->shared)) {
      return inside_http_server::tls_refusal(inside->shared->setup.tls, error);
    }
  }
  if (const beast::error_code error = inside->listen()) {
    return input_output_error(fmt::format("cannot listen on {}, port {}: {}",
                                          inside->shared->setup.address, inside->shared->setup.port,
                                          error.message()));
  }
  if (inside->shared->setup.is_slow) {
    inside->shared->slow.emplace(
        static_cast<std::size_t>(std::max(1, inside->shared->setup.threads)));
  }
  inside->accept();
  for (int i = 0; i < std::max(1, inside->shared->setup.threads); ++i) {
    inside->threads.emplace_back([&context = inside->context] { context.run(); });
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(inside)));
}

}  // namespace eigenveil
