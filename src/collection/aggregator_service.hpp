#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "collection/aggregator.hpp"
#include "serve/http_server.hpp"

namespace eigenveil {

/// How often one address may ask: so many at once, so many a second on average.
struct RateLimit {
  double at_once = 40.0;
  double per_second = 10.0;
};

/// Counts requests of addresses. Forgets those that have been silent long enough to start anew.
class RateOfAddresses {
 public:
  explicit RateOfAddresses(RateLimit limit) : limit_(limit) {}
  bool admits(const std::string& address, std::chrono::steady_clock::time_point now);

 private:
  struct Bucket {
    double left = 0.0;
    std::chrono::steady_clock::time_point seen;
  };
  RateLimit limit_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

struct ServiceSetup {
  RateLimit rate = {};
  std::string authorities = {};  ///< certificates to trust for the other aggregator
  /// Structured lines without content: no address, no identifier, nothing of a report.
  std::function<void(const std::string& line)> log = {};
};

/// What an aggregator answers over HTTP. Paths:
///   GET /v1/health               POST /v1/report (and OPTIONS, for forms opened from a file)
///   POST /v1/close, /v1/sum      the collector, by a signed order
///   POST /v1/proposal, /v1/stored, /v1/failed  aggregator A, by its signature
///   GET /v1/closing-list         everybody, once the set is fixed
class AggregatorService {
 public:
  AggregatorService(Aggregator& aggregator, ServiceSetup setup);

  /// Before a body is read: its size, its path, the rate of its address.
  std::optional<HttpResponse> admit(const HttpRequest& head);
  HttpResponse handle(const HttpRequest& request);
  /// The largest body there can be: a report, or the other side's list of all that have a token.
  std::size_t most_body_bytes() const;

  /// Closes where it is time to, as A, and ends a study that stayed below its minimum. Called every
  /// now and then.
  void close_when_due();
  /// A request to the other aggregator that is under way is given up, and none is begun.
  void stop() { stopping_ = true; }

  /// Counts connections that got no answer; `log_turned_away` writes the number.
  void turn_away(TurnedAway why);
  void log_turned_away();

 private:
  HttpResponse report(const HttpRequest& request);
  Result<std::string> answer(const HttpRequest& request);
  Result<void> close(std::string_view order);
  void log(std::string_view event, std::string_view outcome, int count = 1) const;

  Aggregator& aggregator_;
  ServiceSetup setup_;
  RateOfAddresses rate_;
  std::size_t list_bytes_;  ///< of a proposal, at most
  std::mutex closing_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> without_place_ = 0;
  std::atomic<int> too_slow_ = 0;
  std::atomic<bool> told_b_ = false;  ///< that the study has ended, by this process
  // Attempts to close that failed are repeated later and later, up to a minute apart.
  std::chrono::seconds pause_{1};
  std::chrono::steady_clock::time_point next_attempt_;
};

}  // namespace eigenveil
