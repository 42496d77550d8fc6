#include "engine/table/publication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/atomic_output.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/engine/request_json.hpp"
#include "eigenveil/report/fields.hpp"
#include "eigenveil/report/read_release.hpp"
#include "eigenveil/statistics/exact_gram.hpp"
#include "engine/private_bounds.hpp"
#include "engine/release_cost.hpp"

namespace eigenveil {
namespace {

/// A name that ends like a table of another kind: a directory of that name is not what was meant.
bool ends_like_a_table(const std::string& name) {
  const std::string ending = std::filesystem::path(name).extension().string();
  constexpr std::array kEndings = {".tsv", ".txt", ".json", ".gz", ".xls", ".xlsx", ".parquet"};
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    list.push_back(text);
  }
}

/// "entry 3: mu 0.24 of the gaussian account"; empty without a ledger.
std::string charged_in_words(const Spending& spending) {
  const std::optional<Reservation>& made = spending.reservation();
  if (!made) {
    return {};
  }
  return fmt::format("entry {}: {} of the {} account{}{}", made->index, in_words(made->charge),
                     name_of(made->charge.account), made->note.empty() ? "" : "; ", made->note);
}

Result<void> check_chargeable(const ReleaseOutput& output) {
  if (output.out.empty() && output.kept && output.ledger_key.empty()) {
    return {};
  }
  if (output.out.empty()) {
    return bad_request("a release that is charged to a ledger must be kept: give {out} a directory",
                       "out");
  }
  if (output.target(true, 1).is_file()) {
    return bad_request(
        "a release that is charged to a ledger appears as one: give {out} a directory", "out");
  }
  return {};
}

}  // namespace

ReleaseTarget ReleaseOutput::target(bool streams, int threads) const {
  ReleaseTarget target = streams ? file_or_directory(out, arrays) : ReleaseTarget{out, arrays};
  target.existing = existing;
  target.threads = threads;
  return target;
}

Result<void> check_public_columns(const std::string& input, const ReadOptions& format) {
  if (!is_text_table(input)) {
    return {};
  }
  if (format.header == ReadOptions::Header::Auto) {
    return bad_request(
        "with a ledger nothing is read before the budget is reserved: say {header present} or "
        "{header absent}",
        "header");
  }
  if (format.header == ReadOptions::Header::Absent && format.width == 0) {
    return bad_request(
        "with a ledger nothing is read before the budget is reserved: without a header give {width "
        "N}, the public number of fields on a line",
        "width");
  }
  return {};
}

Result<Publication> Publication::open(ReleaseOutput output, const std::vector<std::string>& inputs,
                                      const ReadOptions& format) {
  Publication publication(std::move(output));
  const ReleaseOutput& asked = publication.output_;
  if (asked.ledger.empty() && !asked.ledger_key.empty()) {
    return bad_request("{ledger_key} needs {ledger}", "ledger_key");
  }
  if (asked.ledger.empty() && asked.same_data != SameData::NotCompared) {
    return bad_request("{same_data} needs {ledger}, whose key it uses", "same_data");
  }
  if (asked.same_data == SameData::No) {
    return bad_request(
        "another data set needs a {data_set} or a ledger of its own; nothing was read or spent",
        "same_data");
  }
  if (!asked.ledger.empty()) {
    if (const Result<void> fit = check_chargeable(asked); !fit) {
      return error_of(fit);
    }
    for (const std::string& input : inputs) {
      if (const Result<void> known = check_public_columns(input, format); !known) {
        return error_of(known);
      }
    }
    Result<Spending> opened = Spending::open(asked.ledger, asked.ledger_key, asked.data_set);
    if (!opened) {
      return error_of(opened);
    }
    publication.spending_ = *std::move(opened);
  }
  return publication.read_builds_on().map([&] { return std::move(publication); });
}

/// Releases that this one is made with stand in it, and in the ledger, by their checksums.
Result<void> Publication::read_builds_on() {
  for (const std::string& path : output_.builds_on) {
    const Result<ReadRelease> release = read_release(path);
    if (!release) {
      return error_of(release);
    }
    add_once(builds_on_, release->checksum);
    if (const auto* words = field<std::string>(release->document.result, kCutOffWarning)) {
      caution_ = *words;
    }
  }
  for (const std::string& checksum : output_.checksums) {
    add_once(builds_on_, checksum);
  }
  spending_.build_on(builds_on_);
  return {};
}

void Publication::build_on(const std::string& checksum) {
  std::erase(builds_on_, checksum);
  builds_on_.insert(builds_on_.begin(), checksum);
  spending_.build_on(builds_on_);
}

Result<void> Publication::check_writable(const Plan* plan) const {
  if (output_.out.empty()) {
    return {};
  }
  const bool streams = plan != nullptr;
  const ReleaseTarget where = output_.target(streams, 1);
  if (!where.is_file()) {
    if (streams && ends_like_a_table(output_.out)) {
      return bad_request("pseudo-data is written as .csv, .csv.gz or .npy, or into a directory",
                         "out");
    }
    return AtomicDirectory::create(output_.out, output_.existing).map([](const AtomicDirectory&) {
    });
  }
  if (plan->request().options.flag("factor_only")) {
    return bad_request("{factor_only} writes a release: give {out} a directory", "out");
  }
  // Nobody's file is lost, neither under the name given nor under those that go with it.
  for (const std::string& name : where.names_beside(plan->table_names(), !output_.seed)) {
    if (const Result<void> fresh = check_new_file((where.folder / name).string()); !fresh) {
      return fresh;
    }
  }
  return check_new_file(output_.out);
}

Result<bool> Publication::charge(const ReleaseCost& cost, const std::string& request) {
  promise(cost);
  const Result<std::optional<std::int64_t>> again =
      spending_.resume(cost, request, output_.out, output_.existing);
  if (!again) {
    return error_of(again);
  }
  if (!*again) {
    return check_writable().and_then([&] { return spending_.reserve(cost, request); }).map([] {
      return false;
    });
  }
  return read_release(output_.out).map([&](ReadRelease read) {
    outcome_.document = std::move(read.document);
    outcome_.again = true;
    outcome_.entry = **again;
    return true;
  });
}

Result<TableOutcome> Publication::release(const ReleaseCost& cost, const std::string& request,
                                          const std::function<Result<ReleaseDocument>()>& draw) {
  const Result<bool> found = charge(cost, request);
  if (!found) {
    return error_of(found);
  }
  if (*found) {
    return found_again();
  }
  return draw()
      .and_then([&](ReleaseDocument document) { return publish(std::move(document)); })
      .map_error([&](Error error) { return spending_.at_its_cost(std::move(error)); });
}

Result<void> Publication::compare_data(const ExactGram& sums, const AskSameData& ask) const {
  const std::string name = spending_.data_name(table_fingerprint({sums.schema(), sums.bound()}));
  const std::string statistic = hex(sums.statistic_digest());
  const Result<DataTags> tags = spending_.data_tags();
  if (!tags) {
    return error_of(tags);
  }
  return tags->compare(name, statistic)
      .and_then([&](DataTags::Answer answer) {
        return answer == DataTags::Answer::Other && ask ? ask() : Result<bool>(true);
      })
      .and_then([&](bool same) -> Result<void> {
        return same ? tags->remember(name, statistic)
                    : bad_request(
                          "another data set needs a {data_set} or a ledger of its own; nothing is "
                          "published",
                          "same_data");
      });
}

void Publication::warn(std::string sentence) {
  if (!sentence.empty()) {
    outcome_.warnings.push_back(std::move(sentence));
  }
}

Result<void> Publication::settle(std::string_view document) {
  outcome_.settled = hex(sha256(document));
  outcome_.checksum = nlohmann::json::parse(document).value("checksum", "");
  return spending_.settle(document);
}

Result<TableOutcome> Publication::publish(ReleaseDocument document, bool streams, int threads) {
  const Result<void> kept =
      promised_ ? check_kept(*promised_, document) : bad_request("nothing was promised of this");
  if (!kept) {
    return error_of(kept);
  }
  document.data_set = output_.data_set;
  document.date = output_.date;
  document.ledger = spending_.entry();
  for (const std::string& checksum : builds_on_) {
    add_once(document.builds_on, checksum);
  }
  if (!caution_.empty()) {
    set_field(document.parameters, "private_bounds_used", caution_);
    document.remarks.push_back({"warning", "of the private bounds it is made with: " + caution_});
  }
  outcome_.charged = charged_in_words(spending_);
  if (output_.out.empty()) {
    const Result<void> settled =
        charges() ? settle(release_files(document, output_.arrays).front().bytes) : Result<void>();
    outcome_.document = std::move(document);
    return settled ? Result<TableOutcome>(std::move(outcome_)) : error_of(settled);
  }
  ReleaseTarget target = output_.target(streams, threads);
  if (charges()) {
    target.before = [&](std::string_view bytes) { return settle(bytes); };
  }
  return write_release(std::move(document), target).map([&](WrittenRelease written) {
    outcome_.document = std::move(written.document);
    outcome_.files = std::move(written.files);
    return std::move(outcome_);
  });
}

}  // namespace eigenveil
