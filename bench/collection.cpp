// Load on two aggregators: how many reports a second they accept, beside unsealing alone on one
// core, with slow and malicious clients at the same time; closing; memory.
//   bench_collection [PEOPLE COLUMNS]...      default 10000 20 1000 200
// Servers are processes of their own on loopback, this process is all participants at once.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "collection/aggregator_service.hpp"
#include "collection/noisy_sum.hpp"
#include "collection/participant.hpp"
#include "collection/token_list.hpp"
#include "serve/http_client.hpp"

namespace eigenveil::bench {
namespace {

namespace fs = std::filesystem;
constexpr int kSenders = 16;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint16_t free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  socklen_t size = sizeof(address);
  ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(probe);
  return ntohs(address.sin_port);
}

/// A server in a child process; never returns there.
pid_t serve(const fs::path& folder, std::uint16_t port, const std::string& tokens) {
  const pid_t child = ::fork();
  if (child != 0) {
    return child;
  }
  const auto aggregator = Aggregator::open(folder).value();
  if (!aggregator->add_tokens(tokens)) {
    std::_Exit(1);
  }
  ServiceSetup setup;
  setup.rate = {1e9, 1e9};
  AggregatorService service(*aggregator, setup);
  HttpSetup http;
  http.port = port;
  http.threads = 16;
  http.limits.connections = 256;  // all from one address
  http.limits.body_bytes = service.most_body_bytes();
  http.limits.request = std::chrono::seconds(5);
  http.limits.response = std::chrono::minutes(5);
  http.admit = [&](const HttpRequest& head) { return service.admit(head); };
  http.handle = [&](const HttpRequest& request) { return service.handle(request); };
  const auto server = HttpServer::start(http);
  for (;;) {
    ::pause();
  }
}

/// Peak resident memory of a process, in MB.
double peak_memory(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stod(line.substr(6)) / 1024.0;
    }
  }
  return 0.0;
}

HttpCall post(const std::string& origin, const std::string& path, const std::string& body) {
  HttpCall wanted;
  wanted.origin = origin;
  wanted.path = path;
  wanted.method = "POST";
  wanted.body = body;
  wanted.timeout = std::chrono::minutes(5);
  return wanted;
}

/// Connections that never finish a request, and requests that are garbage.
class BadClients {
 public:
  BadClients(std::uint16_t port, std::string origin, std::size_t size)
      : garbage_([this, origin = std::move(origin), size] {
          while (!stop_) {
            (void)call(post(origin, "/v1/report", std::string(size, 'x')));
            ++sent_;
          }
        }) {
    for (int i = 0; i < 50; ++i) {
      const int slow = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address = {};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      address.sin_port = htons(port);
      if (::connect(slow, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
        [[maybe_unused]] const auto sent = ::send(slow, "POST /v1/rep", 12, MSG_NOSIGNAL);
      }
      slow_.push_back(slow);
    }
  }
  ~BadClients() {
    stop_ = true;
    garbage_.join();
    for (const int one : slow_) {
      ::close(one);
    }
  }
  BadClients(const BadClients&) = delete;
  BadClients& operator=(const BadClients&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> sent_ = 0;
  std::vector<int> slow_;
  std::thread garbage_;
};

struct Load {
  std::size_t people;
  std::size_t columns;
};

Study make_study(const fs::path& folder, const Load& load, const SigningKey& collector,
                 std::uint16_t port_a, std::uint16_t port_b) {
  Manifest draft;
  draft.id = random_identifier();
  draft.title = "load";
  for (std::size_t j = 0; j < load.columns; ++j) {
    draft.columns.push_back({fmt::format("c{}", j + 1), 0.0, 10.0, ""});
  }
  draft.minimum_batch = 100;
  draft.deadline = "2099-01-01T00:00:00Z";
  draft.collector_key = collector.public_part();
  draft.issuer_key = draft.collector_key;
  const AggregatorFolder a{folder / "a"};
  const AggregatorFolder b{folder / "b"};
  draft.a = a.make(Role::A, fmt::format("http://127.0.0.1:{}", port_a)).value();
  draft.b = b.make(Role::B, fmt::format("http://127.0.0.1:{}", port_b)).value();
  Study study = Study::of(with_grid(draft).value());
  study = a.countersign(study).value();
  return b.countersign(study).value();
}

/// Messages to one role, from all people, by several senders; how many were stored.
int send_all(const std::vector<SealedReport>& reports, Role role, const std::string& origin) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> stored = 0;
  std::vector<std::thread> senders;
  for (int i = 0; i < kSenders; ++i) {
    senders.emplace_back([&] {
      for (std::size_t person = next++; person < reports.size(); person = next++) {
        const SealedReport& report = reports[person];
        const auto answer =
            call(post(origin, "/v1/report", role == Role::A ? report.to_a : report.to_b));
        stored += answer && answer->status == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread& sender : senders) {
    sender.join();
  }
  return stored;
}

/// Unsealing and reading, as an aggregator does it, on one core and without a store.
double unseal_all(const Study& study, const fs::path& folder,
                  const std::vector<SealedReport>& reports, Role role) {
  std::ifstream file(folder / "sealing.key");
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  const std::string raw = from_hex(line, hpke::kKeyBytes).value();
  hpke::PublicKey bytes = {};
  std::copy_n(raw.begin(), bytes.size(), bytes.begin());
  const hpke::SecretKey key(bytes);
  const std::string info = study.sealing_info(role);
  return seconds_of([&] {
    for (const SealedReport& report : reports) {
      const ReportMessage message =
          decode_report(role == Role::A ? report.to_a : report.to_b).value();
      const std::string associated = message.associated();
      const auto opened = hpke::open(key, {info, associated}, message.sealed);
      (void)read_plaintext(study.manifest, role, message.id, opened.value()).value();
    }
  });
}

void run(const Load& load) {
  const fs::path folder = fs::temp_directory_path() / ("bench-collection-" + random_identifier());
  fs::create_directories(folder);
  const SigningKey collector = SigningKey::make();
  const std::uint16_t port_a = free_port();
  const std::uint16_t port_b = free_port();
  const Study study = make_study(folder, load, collector, port_a, port_b);
  const std::vector<InvitationCode> codes = draw_codes(load.people);
  const std::string list = token_list(study, codes, collector);
  const pid_t a = serve(folder / "a", port_a, list);
  const pid_t b = serve(folder / "b", port_b, list);
  const CollectionPlan plan = plan_collection(study.manifest).value();
  std::vector<SealedReport> reports;
  RandomStream stream = RandomStream::secure();
  const double sealing = seconds_of([&] {
    for (std::size_t person = 0; person < load.people; ++person) {
      std::vector<double> cells;
      for (std::size_t j = 0; j < load.columns; ++j) {
        cells.push_back(static_cast<double>((person * 7 + j) % 11));
      }
      reports.push_back(seal_row(study, plan, codes[person], cells, stream).value());
    }
  });
  const auto people = static_cast<double>(load.people);
  fmt::print("\n{} people, {} columns: {} and {} bytes a report; sealed at {:.0f} a second\n",
             load.people, load.columns, reports[0].to_a.size(), reports[0].to_b.size(),
             people / sealing);
  for (const Role role : {Role::A, Role::B}) {
    const std::string& origin = study.manifest.card(role).address;
    while (!call({.origin = origin, .path = "/v1/health"})) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const double floor = unseal_all(study, folder / std::string(name_of(role)), reports, role);
    const BadClients bad(role == Role::A ? port_a : port_b, origin,
                         report_bytes(study.manifest, role));
    int stored = 0;
    const double taken = seconds_of([&] { stored = send_all(reports, role, origin); });
    fmt::print(
        "  {}  accepted {} of {}, {:.0f} a second; unsealing alone {:.0f} a second; peak "
        "memory {:.0f} MB\n",
        name_of(role), stored, load.people, people / taken, people / floor,
        peak_memory(role == Role::A ? a : b));
  }
  const double closing = seconds_of([&] {
    const auto closed =
        call(post(study.manifest.a.address, "/v1/close", closing_order(study, collector)));
    fmt::print("  closing: {}", closed ? closed->body : closed.error().message + "\n");
  });
  fmt::print("  closing took {:.2f} s; peak memory {:.0f} and {:.0f} MB\n", closing, peak_memory(a),
             peak_memory(b));
  for (const pid_t child : {a, b}) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace eigenveil::bench

int main(int count, char** words) {
  std::vector<eigenveil::bench::Load> loads;
  for (int i = 1; i + 1 < count; i += 2) {
    loads.push_back({std::stoul(words[i]), std::stoul(words[i + 1])});
  }
  if (loads.empty()) {
    loads = {{10'000, 20}, {1'000, 200}};
  }
  for (const auto& load : loads) {
    eigenveil::bench::run(load);
  }
  return 0;
}
