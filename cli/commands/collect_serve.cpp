#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/commands/collect.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/checks.hpp"
#include "collection/aggregator_service.hpp"

namespace eigenveil::cli {
namespace {

constexpr double kNoRate = 1e9;

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000.0 * std::min(seconds, 1e6)));
}

/// One aggregator of one study, until it is told to stop.
struct CollectServe {
  std::string role;
  std::string folder;
  std::vector<std::string> token_lists;
  std::string listen = "127.0.0.1";
  std::uint16_t port = 0;
  std::string certificate;
  std::string key;
  std::string authorities;
  double rate = RateLimit{}.per_second;
  int threads = 16;
  int connections = 256;
  int from_one_address = 32;
  bool behind_proxy = false;
  double head_seconds = 10.0;
  double request_seconds = 20.0;
  std::optional<std::uint64_t> seed;
  bool quiet = false;

  void declare(CLI::App& app);
  Outcome run() const;

 private:
  Result<std::unique_ptr<Aggregator>> open() const;
  HttpSetup setup(AggregatorService& service) const;
};

void CollectServe::declare(CLI::App& app) {
  app.add_option("--role", role, "a or b: must be that of the folder")
      ->required()
      ->check(one_of({"a", "b"}));
  app.add_option("--folder", folder, "keys and store of this aggregator")->required();
  app.add_option("--tokens", token_lists, "lists of tokens signed by the collector; several");
  app.add_option("--listen", listen, "address (default 127.0.0.1)");
  app.add_option("--port", port, "default: any that is free, printed");
  constexpr const char* kTls = "TLS";
  app.add_option("--tls-cert", certificate, "certificate with its chain, PEM")->group(kTls);
  app.add_option("--tls-key", key, "its key, PEM")->group(kTls);
  app.add_option("--ca", authorities,
                 "certificates to trust for the other aggregator, PEM (default: the system's)")
      ->group(kTls);
  constexpr const char* kLimits = "Limits";
  app.add_option("--rate", rate, "requests a second from one address, on average (default 10)")
      ->check(number_in(kPositive))
      ->group(kLimits);
  app.add_option("--threads", threads, "reports opened and stored at once (default 16)")
      ->check(whole_number(1, 256))
      ->group(kLimits);
  app.add_option("--connections", connections, "at once (default 256)")
      ->check(whole_number(1, 100'000))
      ->group(kLimits);
  app.add_option("--connections-per-address", from_one_address,
                 "at once from one address (IPv6: one /64 network), and never more than a quarter "
                 "of what is free (default 32)")
      ->check(whole_number(1, 100'000))
      ->group(kLimits);
  app.add_flag(
         "--behind-proxy", behind_proxy,
         "all requests come from a proxy's address: no limits for one address here, the proxy "
         "must have them")
      ->group(kLimits);
  app.add_option("--head-seconds", head_seconds,
                 "a request whose head takes longer to arrive is dropped (default 10)")
      ->check(number_in(kPositive))
      ->group(kLimits);
  app.add_option("--request-seconds", request_seconds,
                 "a request whose body takes longer to arrive is dropped (default 20)")
      ->check(number_in(kPositive))
      ->group(kLimits);
  app.add_option("--seed", seed, "for tests: the sum is then marked not private");
  app.add_flag("--quiet", quiet, "no log lines");
}

Result<std::unique_ptr<Aggregator>> CollectServe::open() const {
  Result<std::unique_ptr<Aggregator>> made = Aggregator::open(folder, seed);
  if (!made) {
    return made;
  }
  if (name_of((*made)->role()) != role) {
    return bad_request(
        fmt::format("the folder is that of aggregator {}", name_of((*made)->role())));
  }
  for (const std::string& list : token_lists) {
    const Result<void> added = read_whole_file(list).and_then(
        [&](const std::string& text) { return (*made)->add_tokens(text); });
    if (!added) {
      return error_of(added);
    }
  }
  return made;
}

HttpSetup CollectServe::setup(AggregatorService& service) const {
  HttpSetup setup;
  setup.address = listen;
  setup.port = port;
  setup.threads = threads;
  setup.limits.connections = connections;
  setup.limits.body_bytes = service.most_body_bytes();
  setup.limits.from_one_source = behind_proxy ? 0 : from_one_address;
  setup.limits.head = milliseconds_of(head_seconds);
  setup.limits.request = milliseconds_of(request_seconds);
  setup.limits.response = std::chrono::minutes(5);
  setup.tls = {certificate, key};
  setup.admit = [&service](const HttpRequest& head) { return service.admit(head); };
  setup.handle = [&service](const HttpRequest& request) { return service.handle(request); };
  setup.turned_away = [&service](TurnedAway why) { service.turn_away(why); };
  return setup;
}

Outcome CollectServe::run() const {
  if (certificate.empty() != key.empty()) {
    return bad_request("--tls-cert and --tls-key come together");
  }
  if (certificate.empty() && !is_loopback(listen)) {
    return bad_request(
        "plain HTTP is for 127.0.0.1 and ::1 alone: give --tls-cert and --tls-key, or put a server "
        "that encrypts in front");
  }
  // Signals are waited for by this thread alone, so that a report being stored is not torn.
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  signal(SIGPIPE, SIG_IGN);

  const Result<std::unique_ptr<Aggregator>> aggregator = open();
  if (!aggregator) {
    return error_of(aggregator);
  }
  ServiceSetup service_setup;
  const double allowed = behind_proxy ? kNoRate : rate;
  service_setup.rate = {.at_once = 4.0 * allowed, .per_second = allowed};
  service_setup.authorities = authorities;
  if (!quiet) {
    service_setup.log = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  }
  AggregatorService service(**aggregator, service_setup);
  const Result<std::unique_ptr<HttpServer>> server = HttpServer::start(setup(service));
  if (!server) {
    return error_of(server);
  }
  fmt::print("aggregator {} listens on {}://{}:{}\n", role, certificate.empty() ? "http" : "https",
             listen, (*server)->port());
  std::fflush(stdout);
  // Closing waits for the other aggregator, and must not keep this thread from its signals.
  std::jthread closer([&service](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any pause;
    std::unique_lock lock(mutex);
    while (!pause.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }) &&
           !stop.stop_requested()) {
      service.close_when_due();
      service.log_turned_away();
    }
  });
  int signal_number = 0;
  sigwait(&stops, &signal_number);
  service.stop();
  closer.request_stop();
  closer.join();
  (*server)->stop();
  return {};
}

}  // namespace

Command collect_serve_command() {
  return command_of<CollectServe>(
      "serve",
      "An aggregator: takes encrypted shares, adds them up, closes with the other one.\n"
      "  eigenveil collect serve --role a --folder a/ --tokens tokens.list --port 8441");
}

}  // namespace eigenveil::cli
