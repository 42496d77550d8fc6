#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "collection/aggregator.hpp"
#include "collection/noisy_sum.hpp"
#include "collection/signed_message.hpp"

// The messages of closing. Each names the study and is signed with the key the manifest has for its
// sender; B's set is stored before A hears of it, A's before B hears of that.
namespace eigenveil {
namespace {

using detail::Json;

Json json_of(const std::vector<ListedReport>& reports) {
  Json list = Json::array();
  for (const ListedReport& report : reports) {
    list.push_back({to_hex(view_of(report.id)), hex(report.commitment)});
  }
  return list;
}

Result<std::vector<ListedReport>> reports_in(const Json& message) {
  constexpr const char* kComplaint = "the list of reports is damaged";
  return detail::reading_fields<std::vector<ListedReport>>(
      kComplaint, [&]() -> Result<std::vector<ListedReport>> {
        std::vector<ListedReport> reports;
        for (const Json& entry : message.at("reports")) {
          const auto id = from_hex(entry.at(0).get<std::string>(), sizeof(ReportId));
          const auto commitment = from_hex(entry.at(1).get<std::string>(), sizeof(Digest));
          if (!id || !commitment) {
            return bad_request(kComplaint);
          }
          ListedReport& report = reports.emplace_back();
          std::copy_n(id->begin(), report.id.size(), report.id.begin());
          std::copy_n(commitment->begin(), report.commitment.size(), report.commitment.begin());
        }
        std::sort(reports.begin(), reports.end());
        if (std::adjacent_find(reports.begin(), reports.end()) != reports.end()) {
          return bad_request("the list of reports names one twice");
        }
        return reports;
      });
}

constexpr const char* kFailureNote = "note that the study failed";
/// More than any study has: what one side alone cannot count.
constexpr std::int64_t kWhateverItHas = std::numeric_limits<std::int64_t>::max();

Json head(const Study& study, Role from) {
  return {{"study", hex(study.digest)}, {"from", name_of(from)}};
}

Result<void> check_role(Role own, Role wanted) {
  if (own != wanted) {
    return bad_request(fmt::format("this message is for aggregator {}", name_of(wanted)));
  }
  return {};
}

}  // namespace

std::string closing_order(const Study& study, const SigningKey& collector) {
  return detail::signed_message(collector, "order to close",
                                {{"study", hex(study.digest)}, {"from", "collector"}});
}

Result<void> check_order(const Study& study, std::string_view order) {
  return detail::verified_message(order, "order to close", study, study.manifest.collector_key)
      .map([](const Json&) {});
}

Result<void> Aggregator::check_time(std::string_view order) const {
  if (store_->study().is_past_deadline()) {
    return {};
  }
  if (order.empty()) {
    return bad_request("the deadline has not passed: closing earlier needs the collector's order");
  }
  return check_order(store_->study(), order);
}

Result<std::string> Aggregator::proposal(std::string_view order) {
  return check_role(role(), Role::A)
      .and_then([&] { return check_time(order); })
      .and_then([&] { return store_->reports(); })
      .and_then([&](const std::vector<ListedReport>& reports) -> Result<std::string> {
        if (std::ssize(reports) < study().manifest.minimum_batch) {
          return bad_request("there are fewer reports than the study's minimum: it stays open");
        }
        Json message = head(study(), Role::A);
        message["reports"] = json_of(reports);
        message["order"] = order;
        return detail::signed_message(signing_key_, "proposal", message);
      });
}

Result<std::string> Aggregator::agreement(std::string_view proposal) {
  const std::lock_guard lock(closing_);
  const Result<Json> message =
      detail::verified_message(proposal, "proposal", study(), study().manifest.a.signing_key);
  if (const Result<void> right = check_role(role(), Role::B); !right || !message) {
    return right ? error_of(message) : error_of(right);
  }
  const CollectionState state = store_->state();
  if (state == CollectionState::Failed) {
    return failure_note();
  }
  // A draws before B does, so that A, when it proposes a set to a B that is closed, has forgotten
  // its own closing.
  if (state == CollectionState::Closed) {
    return bad_request(
        "the study is closed here, so that aggregator a has drawn its noise before: its store is "
        "older than that, and drawing again would undo the noise");
  }
  if (state == CollectionState::Open) {
    const Result<std::vector<ListedReport>> theirs = reports_in(*message);
    const Result<std::vector<ListedReport>> own = store_->reports();
    const Result<void> time = detail::reading_fields<void>("the proposal is damaged", [&] {
      return check_time(message->at("order").get<std::string>());
    });
    if (!theirs || !own || !time) {
      return !theirs ? error_of(theirs) : !own ? error_of(own) : error_of(time);
    }
    std::vector<ListedReport> both;
    std::set_intersection(theirs->begin(), theirs->end(), own->begin(), own->end(),
                          std::back_inserter(both));
    if (std::ssize(both) < study().manifest.minimum_batch) {
      if (study().is_past_deadline()) {
        return fail(kWhateverItHas).and_then([&] { return failure_note(); });
      }
      return bad_request(
          "both aggregators together have fewer whole reports than the study's minimum: it stays "
          "open");
    }
    if (const Result<void> agreed = store_->agree(both); !agreed) {
      return error_of(agreed);
    }
  }
  return store_->agreed().map([&](const std::vector<ListedReport>& set) {
    Json answer = head(study(), Role::B);
    answer["reports"] = json_of(set);
    return detail::signed_message(signing_key_, "agreement", answer);
  });
}

Result<std::string> Aggregator::stored(std::string_view agreement) {
  const std::lock_guard lock(closing_);
  const Result<Json> message =
      detail::verified_message(agreement, "agreement", study(), study().manifest.b.signing_key);
  if (const Result<void> right = check_role(role(), Role::A); !right || !message) {
    return right ? error_of(message) : error_of(right);
  }
  const Result<std::vector<ListedReport>> set = reports_in(*message);
  if (!set) {
    return error_of(set);
  }
  if (std::ssize(*set) < study().manifest.minimum_batch) {
    return bad_request("the set is smaller than the study's minimum");
  }
  return store_->agree(*set)
      .and_then([&] { return store_->agreed(); })
      .and_then([&](const std::vector<ListedReport>& own) -> Result<std::string> {
        if (own != *set) {
          return bad_request("another set was agreed before: there is one closing for a study");
        }
        return note();
      });
}

Result<std::string> Aggregator::note() {
  return store_->agreed().and_then(
      [&](const std::vector<ListedReport>& own) -> Result<std::string> {
        if (own.empty() || role() != Role::A) {
          return bad_request("no set is stored here that could be told of");
        }
        Json message = head(study(), Role::A);
        message["set"] = hex(set_hash(own));
        return detail::signed_message(signing_key_, "note that the set is stored", message);
      });
}

Result<void> Aggregator::fail(std::int64_t below) {
  return store_->fail(below).map([&] {
    if (store_->state() == CollectionState::Failed) {
      destroy_sealing_key();
    }
  });
}

Result<void> Aggregator::fail_below_minimum() {
  return study().is_past_deadline() ? fail(study().manifest.minimum_batch) : Result<void>();
}

Result<std::string> Aggregator::failure_note() {
  if (store_->state() != CollectionState::Failed) {
    return bad_request("the study has not failed here");
  }
  return detail::signed_message(signing_key_, kFailureNote, head(study(), role()));
}

Result<std::string> Aggregator::failed(std::string_view note) {
  const std::lock_guard lock(closing_);
  return detail::verified_message(note, kFailureNote, study(),
                                  study().manifest.card(other(role())).signing_key)
      .and_then([&](const Json&) { return fail(kWhateverItHas); })
      .and_then([&] { return failure_note(); });
}

Result<CollectionState> close_with(Aggregator& a, const AskPeer& ask_b, std::string_view order) {
  const auto with = [](CollectionState state) { return [state](auto&&...) { return state; }; };
  if (const Result<void> counted = a.fail_below_minimum(); !counted) {
    return error_of(counted);
  }
  if (a.store().state() == CollectionState::Failed) {
    return a.failure_note()
        .and_then([&](const std::string& note) { return ask_b("/v1/failed", note); })
        .map(with(CollectionState::Failed));
  }
  Result<std::string> note = a.note();
  if (a.store().state() == CollectionState::Open) {
    const Result<std::string> answer = a.proposal(order).and_then(
        [&](const std::string& proposal) { return ask_b("/v1/proposal", proposal); });
    if (!answer) {
      return error_of(answer);
    }
    if (a.failed(*answer)) {  // B has fewer, or the two have fewer in common
      return CollectionState::Failed;
    }
    note = a.stored(*answer);
  }
  if (!note) {
    return error_of(note);
  }
  return a.draw_and_close()
      .and_then([&] { return ask_b("/v1/stored", *note); })
      .map(with(CollectionState::Closed));
}

Result<std::string> Aggregator::closed(std::string_view stored) {
  const Result<Json> message = detail::verified_message(stored, "note that the set is stored",
                                                        study(), study().manifest.a.signing_key);
  if (const Result<void> right = check_role(role(), Role::B); !right || !message) {
    return right ? error_of(message) : error_of(right);
  }
  const Result<std::vector<ListedReport>> own = store_->agreed();
  if (!own) {
    return error_of(own);
  }
  const std::string set = hex(set_hash(*own));
  const Result<void> same =
      detail::reading_fields<void>("the note is damaged", [&]() -> Result<void> {
        if (own->empty() || message->at("set").get<std::string>() != set) {
          return bad_request("the two aggregators stored different sets: nothing is drawn");
        }
        return {};
      });
  return same.and_then([&] { return draw_and_close(); }).map([&] {
    Json answer = head(study(), Role::B);
    answer["set"] = set;
    return detail::signed_message(signing_key_, "note that the study is closed", answer);
  });
}

Result<std::string> Aggregator::sum_for(std::string_view order) {
  return check_order(study(), order).and_then([&] { return store_->sum(); });
}

Result<std::string> Aggregator::closing_list() {
  const CollectionState state = store_->state();
  if (state == CollectionState::Open || state == CollectionState::Failed) {
    return bad_request(state == CollectionState::Failed
                           ? kStudyFailed
                           : "the study is open: the list of reports that count comes at its "
                             "closing");
  }
  return store_->agreed().map([&](const std::vector<ListedReport>& set) {
    std::string text = fmt::format("study {}\nset {}\n", hex(study().digest), hex(set_hash(set)));
    for (const ListedReport& report : set) {
      text += to_hex(view_of(report.id)) + "\n";
    }
    return text;
  });
}

}  // namespace eigenveil
