#include "serve/http_client.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

namespace eigenveil {
namespace inside_http_client {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Tcp = asio::ip::tcp;

struct Origin {
  bool encrypted = false;
  std::string host;
  std::string port;
};

Result<Origin> parse_origin(const std::string& text) {
  Origin origin;
  origin.encrypted = text.starts_with("https://");
  if (!origin.encrypted && !text.starts_with("http://")) {
    return bad_request("an address starts with https:// or http://");
  }
  const std::string rest = text.substr(text.find("://") + 3);
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;
  const std::size_t colon = bracket == std::string::npos ? bracket : rest.find(':', bracket);
  origin.host = rest.substr(0, colon);
  if (bracket != 0 && bracket != std::string::npos) {
    origin.host = rest.substr(1, bracket - 1);
  }
  origin.port =
      colon == std::string::npos ? (origin.encrypted ? "443" : "80") : rest.substr(colon + 1);
  if (origin.host.empty() || origin.port.empty() ||
      rest.find_first_of("/?# ") != std::string::npos) {
    return bad_request("an address is https://name:port and nothing behind it");
  }
  return origin;
}

/// What follows a step, whichever it was: the client's operations are compiled for one type.
struct After {
  beast::error_code* result;
  template <class... Rest>
  void operator()(const beast::error_code& error, Rest&&... /*of no interest*/) const {
    *result = error;
  }
};

/// How long a call that was cancelled goes on.
constexpr auto kLook = std::chrono::milliseconds(100);

/// Steps run one after the other, all before one deadline.
class Exchange {
 public:
  Exchange(asio::io_context& context, const HttpCall& wanted, const Origin& origin)
      : context_(context), wanted_(wanted), origin_(origin) {}

  template <class Stream>
  beast::error_code speak(Stream& stream) {
    http::request<http::string_body> request;
    request.version(11);
    request.method_string(wanted_.method);
    request.target(wanted_.path);
    request.set(http::field::host, origin_.host + ":" + origin_.port);
    request.set(http::field::content_type, wanted_.type);
    request.keep_alive(false);
    request.body() = wanted_.body;
    request.prepare_payload();
    beast::error_code error =
        step([&](auto&& done) { http::async_write(stream, request, std::move(done)); });
    http::response_parser<http::string_body> parser;
    parser.body_limit(wanted_.most_bytes);
    beast::flat_buffer buffer;
    // A server may refuse before it has read everything: its answer counts more than our failure.
    const beast::error_code read =
        step([&](auto&& done) { http::async_read(stream, buffer, parser, std::move(done)); });
    if (read) {
      return error ? error : read;
    }
    answer_ = {static_cast<int>(parser.get().result_int()), std::move(parser.get().body())};
    return {};
  }

  beast::error_code connect(beast::tcp_stream& stream) {
    beast::error_code error;
    Tcp::resolver resolver(context_);
    const auto places = resolver.resolve(origin_.host, origin_.port, error);
    if (error) {
      return error;
    }
    stream.expires_after(wanted_.timeout);
    return step([&](auto&& done) { stream.async_connect(places, std::move(done)); });
  }

  template <class Start>
  beast::error_code step(const Start& start) {
    beast::error_code result = asio::error::timed_out;
    start(After{&result});
    context_.restart();
    while (!context_.stopped()) {
      context_.run_for(kLook);
      if (wanted_.cancelled != nullptr && wanted_.cancelled->load()) {
        return asio::error::operation_aborted;  // the stream goes, and with it what was begun
      }
    }
    return result;
  }

  HttpAnswer take() { return std::move(answer_); }

 private:
  asio::io_context& context_;
  const HttpCall& wanted_;
  const Origin& origin_;
  HttpAnswer answer_;
};

Result<HttpAnswer> over_plain(const HttpCall& wanted, const Origin& origin) {
  asio::io_context context;
  Exchange exchange(context, wanted, origin);
  beast::tcp_stream stream(context);
  beast::error_code error = exchange.connect(stream);
  if (!error) {
    error = exchange.speak(stream);
  }
  if (error) {
    return input_output_error(fmt::format("no answer from {}: {}", wanted.origin, error.message()));
  }
  return exchange.take();
}

Result<HttpAnswer> over_tls(const HttpCall& wanted, const Origin& origin) {
  asio::io_context context;
  asio::ssl::context tls(asio::ssl::context::tls_client);
  beast::error_code error;
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  wanted.authorities.empty() ? tls.set_default_verify_paths(error)
                             : tls.load_verify_file(wanted.authorities, error);
  if (error) {
    return input_output_error(
        fmt::format("cannot read the certificates to trust: {}", error.message()));
  }
  tls.set_verify_mode(asio::ssl::verify_peer);
  beast::ssl_stream<beast::tcp_stream> stream(context, tls);
  stream.set_verify_callback(asio::ssl::host_name_verification(origin.host));
  SSL_set_tlsext_host_name(stream.native_handle(), origin.host.c_str());
  Exchange exchange(context, wanted, origin);
  error = exchange.connect(beast::get_lowest_layer(stream));
  if (!error) {
    error = exchange.step([&](auto&& done) {
      stream.async_handshake(asio::ssl::stream_base::client, std::move(done));
    });
  }
  if (!error) {
    error = exchange.speak(stream);
  }
  if (error) {
    return input_output_error(fmt::format("no answer from {}: {}", wanted.origin, error.message()));
  }
  return exchange.take();
}

}  // namespace inside_http_client

Result<HttpAnswer> call(const HttpCall& wanted) {
  return inside_http_client::parse_origin(wanted.origin)
      .and_then([&](const inside_http_client::Origin& origin) {
        return origin.encrypted ? inside_http_client::over_tls(wanted, origin)
                                : inside_http_client::over_plain(wanted, origin);
      });
}

}  // namespace eigenveil
