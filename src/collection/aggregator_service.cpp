#include "collection/aggregator_service.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/outside_json.hpp"
#include "core/parameter_names.hpp"
#include "ledger/ledger.hpp"
#include "serve/http_client.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kOrderBytes = 4096;
/// An entry of a proposal is 100 characters of JSON.
constexpr std::size_t kListedBytes = 128;
constexpr std::chrono::seconds kLongestPause{60};
constexpr std::size_t kMostBuckets = 100'000;

HttpResponse json_answer(int status, const nlohmann::ordered_json& json) {
  return {.status = status, .type = "application/json", .body = json.dump() + "\n", .headers = {}};
}

HttpResponse refused(int status, const Error& error) {
  return json_answer(status, {{"refused", for_command_line(error.message)}});
}

int status_of(const Error& error) {
  return error.code == ErrorCode::BadRequest ? 400 : 503;
}

/// A form opened from a file has no origin; this path is open to every page, since it takes nothing
/// but sealed reports and knows no cookies.
HttpResponse open_to_forms(HttpResponse response) {
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
  response.headers.emplace_back("Access-Control-Allow-Methods", "POST");
  response.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
  response.headers.emplace_back("Access-Control-Max-Age", "600");
  return response;
}

std::optional<std::size_t> announced_bytes(const HttpRequest& head) {
  const auto text = head.header("content-length");
  std::size_t bytes = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), bytes).ptr !=
                   text->data() + text->size()) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace

bool RateOfAddresses::admits(const std::string& address,
                             std::chrono::steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const double full_after = limit_.at_once / limit_.per_second;
  const auto seconds_since = [&](const Bucket& bucket) {
    return std::chrono::duration<double>(now - bucket.seen).count();
  };
  if (buckets_.size() >= kMostBuckets) {
    std::erase_if(buckets_,
                  [&](const auto& entry) { return seconds_since(entry.second) > full_after; });
    if (buckets_.size() >= kMostBuckets && !buckets_.contains(address)) {
      return false;  // more addresses at once than any study has
    }
  }
  auto [found, fresh] = buckets_.try_emplace(address, Bucket{limit_.at_once, now});
  Bucket& bucket = found->second;
  bucket.left = std::min(limit_.at_once, bucket.left + limit_.per_second * seconds_since(bucket));
  bucket.seen = now;
  if (bucket.left < 1.0) {
    return false;
  }
  bucket.left -= 1.0;
  return true;
}

AggregatorService::AggregatorService(Aggregator& aggregator, ServiceSetup setup)
    : aggregator_(aggregator),
      setup_(std::move(setup)),
      rate_(setup_.rate),
      list_bytes_(kOrderBytes + kListedBytes * aggregator.store().tokens().value_or(0)) {}

std::size_t AggregatorService::most_body_bytes() const {
  return std::max(report_bytes(aggregator_.study().manifest, aggregator_.role()), list_bytes_);
}

std::optional<HttpResponse> AggregatorService::admit(const HttpRequest& head) {
  if (!rate_.admits(head.source, std::chrono::steady_clock::now())) {
    return open_to_forms(json_answer(429, {{"refused",
                                            "too many requests from this address; "
                                            "wait a minute and send the same again"}}));
  }
  if (head.method == "GET" || head.method == "HEAD" || head.method == "OPTIONS") {
    return std::nullopt;
  }
  const std::size_t most = head.path == "/v1/report"
                               ? report_bytes(aggregator_.study().manifest, aggregator_.role())
                           : head.path == "/v1/proposal" ? list_bytes_
                                                         : kOrderBytes;
  const std::optional<std::size_t> bytes = announced_bytes(head);
  if (!bytes || *bytes > most) {
    return open_to_forms(json_answer(
        413, {{"refused",
               "the body is larger than this path takes (the half for the other aggregator is), or "
               "does not say its size"}}));
  }
  return std::nullopt;
}

void AggregatorService::log(std::string_view event, std::string_view outcome, int count) const {
  if (!setup_.log) {
    return;
  }
  nlohmann::ordered_json line = {{"time", utc_now()},
                                 {"role", name_of(aggregator_.role())},
                                 {"event", event},
                                 {"outcome", outcome}};
  if (count != 1) {
    line["count"] = count;
  }
  setup_.log(line.dump());
}

void AggregatorService::turn_away(TurnedAway why) {
  ++(why == TurnedAway::NoPlace ? without_place_ : too_slow_);
}

void AggregatorService::log_turned_away() {
  if (const int count = without_place_.exchange(0); count > 0) {
    log("connection", "no place", count);
  }
  if (const int count = too_slow_.exchange(0); count > 0) {
    log("connection", "too slow", count);
  }
}

HttpResponse AggregatorService::report(const HttpRequest& request) {
  const Result<AcceptedReport> accepted = aggregator_.accept(request.body);
  if (!accepted) {
    log("report", accepted.error().code == ErrorCode::BadRequest ? "refused" : "failed");
    return open_to_forms(refused(status_of(accepted.error()), accepted.error()));
  }
  log("report", accepted->already ? "repeated" : "stored");
  return open_to_forms(json_answer(200, {{"stored", true}, {"already", accepted->already}}));
}

Result<void> AggregatorService::close(std::string_view order) {
  const std::lock_guard lock(closing_);
  if (aggregator_.role() != Role::A) {
    return bad_request("aggregator a starts the closing");
  }
  const auto ask = [&](const std::string& path, const std::string& body) -> Result<std::string> {
    HttpCall wanted;
    wanted.origin = aggregator_.study().manifest.b.address;
    wanted.path = path;
    wanted.method = "POST";
    wanted.body = body;
    wanted.type = "application/json";
    wanted.authorities = setup_.authorities;
    wanted.timeout = std::chrono::minutes(5);
    wanted.cancelled = &stopping_;
    return eigenveil::call(wanted).and_then([](HttpAnswer&& got) -> Result<std::string> {
      if (got.status == 200) {
        return std::move(got.body);
      }
      const auto json = json_from_outside(got.body);
      const bool told = json.is_object() && json.contains("refused") && json["refused"].is_string();
      return bad_request("aggregator b says: " +
                         (told ? json["refused"].get<std::string>() : std::string("(nothing)")));
    });
  };
  const Result<CollectionState> done = close_with(aggregator_, ask, order);
  told_b_ = told_b_ || done.has_value();
  log("close", done ? name_of(*done) : "not closed");
  if (done && *done == CollectionState::Failed) {
    return bad_request(kStudyFailed);
  }
  return done.map([](CollectionState) {});
}

void AggregatorService::close_when_due() {
  const CollectionState state = aggregator_.store().state();
  if (stopping_) {
    return;
  }
  if (aggregator_.role() == Role::B && aggregator_.study().is_past_deadline() &&
      state == CollectionState::Open) {
    if (aggregator_.fail_below_minimum() && aggregator_.store().state() != state) {
      log("close", name_of(CollectionState::Failed));
    }
  }
  if (aggregator_.role() != Role::A || told_b_) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  const bool due = state != CollectionState::Open || aggregator_.study().is_past_deadline();
  if (due && now >= next_attempt_ && !close("") && !told_b_) {
    next_attempt_ = now + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
  }
}

Result<std::string> AggregatorService::answer(const HttpRequest& request) {
  if (request.path == "/v1/proposal") {
    return aggregator_.agreement(request.body);
  }
  if (request.path == "/v1/stored") {
    return aggregator_.closed(request.body);
  }
  if (request.path == "/v1/failed") {
    return aggregator_.failed(request.body);
  }
  if (request.path == "/v1/sum") {
    return aggregator_.sum_for(request.body);
  }
  return check_order(aggregator_.study(), request.body)
      .and_then([&] { return close(request.body); })
      .map([] { return std::string("{\"closed\":true}\n"); });
}

HttpResponse AggregatorService::handle(const HttpRequest& request) {
  const bool post = request.method == "POST";
  if (request.path == "/v1/report") {
    if (request.method == "OPTIONS") {
      return open_to_forms({.status = 204, .body = {}, .headers = {}});
    }
    return post ? report(request) : json_answer(405, {{"refused", "this path takes POST"}});
  }
  const bool get = request.method == "GET" || request.method == "HEAD";
  if (request.path == "/v1/health" && get) {
    return json_answer(200, {{"status", "ok"},
                             {"role", name_of(aggregator_.role())},
                             {"study", hex(aggregator_.study().digest)},
                             {"state", name_of(aggregator_.store().state())}});
  }
  if (request.path == "/v1/closing-list" && get) {
    const Result<std::string> list = aggregator_.closing_list();
    return list ? HttpResponse{.body = *list, .headers = {}}
                : refused(status_of(list.error()), list.error());
  }
  const bool known = request.path == "/v1/proposal" || request.path == "/v1/stored" ||
                     request.path == "/v1/failed" || request.path == "/v1/sum" ||
                     request.path == "/v1/close";
  if (!known || !post) {
    return json_answer(404, {{"refused", "there is nothing here"}});
  }
  const Result<std::string> text = answer(request);
  if (!text) {
    log(request.path, "refused");
    return refused(status_of(text.error()), text.error());
  }
  log(request.path, "answered");
  return {.type = "application/json", .body = *text, .headers = {}};
}

}  // namespace eigenveil
