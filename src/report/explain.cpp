#include "report/explain.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/plain_text.hpp"
#include "eigenveil/core/digest.hpp"
#include "eigenveil/privacy/composition.hpp"
#include "eigenveil/privacy/conversion.hpp"
#include "eigenveil/report/document.hpp"
#include "report/json_guarantee.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {  // a device or a pipe might never end
    return input_output_error(fmt::format("cannot read {}", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    return input_output_error(fmt::format("cannot read {}", path.string()));
  }
  return bytes;
}

constexpr const char* kChanged =
    "the release document was changed after it was written: its checksum does not match";

Result<void> check_document(Json json) {
  const std::string stated = json.at("checksum").get<std::string>();
  json.erase("checksum");
  if (stated != hex(sha256(json.dump()))) {
    return bad_request(kChanged);
  }
  return {};
}

Result<void> check_file(const fs::path& folder, const Json& file) {
  const std::string name = file.at("name").get<std::string>();
  if (fs::path(name).filename() != name) {
    return bad_request("the release names a file outside of its own folder");
  }
  const Result<std::string> bytes = read_file(folder / name);
  if (!bytes) {
    return error_of(bytes);
  }
  if (hex(sha256(*bytes)) != file.at("sha256").get<std::string>()) {
    return bad_request(
        fmt::format("{} was changed after it was written: its checksum does not match", name));
  }
  return {};
}

/// A text of the document, unless it could steer the terminal.
std::string printable(const Json& json) {
  const std::string text = json.get<std::string>();
  return is_plain_text(text) ? text : "(not plain text)";
}

std::string bullet_list(const Json& texts) {
  std::string lines;
  for (const Json& text : texts) {
    lines += fmt::format("    - {}\n", printable(text));
  }
  return lines;
}

/// The pair the user asked for, where the stated loss really implies it. The document's own
/// sentence is not repeated: anybody can write a sentence.
Guarantee as_requested(Guarantee guarantee, const Json& stated) {
  const Json& loss =
      stated.contains("would_be") ? stated.at("would_be").at("loss") : stated.at("loss");
  if (loss.contains("epsilon") && loss.contains("delta")) {
    const ApproxDp pair{loss.at("epsilon").get<double>(), loss.at("delta").get<double>()};
    if (delta_at(guarantee.loss, pair.epsilon) <= pair.delta) {
      guarantee.loss = pair;
    }
  }
  return guarantee;
}

std::string words(const Json& json, const Guarantee& guarantee) {
  const Json& stated = json.at("guarantee");
  std::string text = fmt::format("{} released by method {}\n", printable(json.at("task")),
                                 printable(json.at("method")));
  text += fmt::format("  guarantee   {}\n", in_words(as_requested(guarantee, stated)));
  text += fmt::format("  in words    {}\n", detection_in_words(guarantee));
  if (!stated.at("assumptions").empty()) {
    text += fmt::format(
        "  {}\n{}",
        guarantee.basis == Basis::NotPrivate ? "would rest on, with secret randomness" : "rests on",
        bullet_list(stated.at("assumptions")));
  } else if (guarantee.basis != Basis::NotPrivate) {
    text += "  rests on    nothing beyond the program: bounds are enforced, not assumed\n";
  }
  text += fmt::format("  not protected\n{}", bullet_list(json.at("not_protected")));
  text += "  checksums   the document and every file it lists are as they were written\n";
  return text;
}

bool is_sound(const Loss& loss) {
  const auto fine = [](double value) { return std::isfinite(value) && value >= 0.0; };
  if (const auto* pure = std::get_if<PureDp>(&loss)) {
    return fine(pure->epsilon);
  }
  if (const auto* approx = std::get_if<ApproxDp>(&loss)) {
    return fine(approx->epsilon) && fine(approx->delta) && approx->delta <= 1.0;
  }
  if (const auto* zcdp = std::get_if<Zcdp>(&loss)) {
    return fine(zcdp->rho);
  }
  if (const auto* gaussian = std::get_if<GaussianDp>(&loss)) {
    return fine(gaussian->mu);
  }
  return true;  // curves are checked where they are evaluated
}

/// What cannot come from this program, whatever the checksum says.
bool is_consistent(const Guarantee& guarantee, const Json& parameters) {
  const bool random = guarantee.secure_random || guarantee.basis == Basis::NotPrivate;
  const bool relation =
      !parameters.contains("neighbours") ||
      parameters.at("neighbours").get<std::string>() == name_of(guarantee.relation);
  const bool group = parameters.value("group_size", guarantee.group_size) == guarantee.group_size;
  return random && relation && group && is_sound(guarantee.loss);
}

/// A release whose files are as they were written, in words.
struct CheckedRelease {
  Guarantee guarantee;
  std::string checksum;
  std::string line;  ///< among others
  std::string words;
};

std::string line_of(const Json& json, const Guarantee& guarantee) {
  return fmt::format("{} by method {}: {}", printable(json.at("task")),
                     printable(json.at("method")),
                     in_words(as_requested(guarantee, json.at("guarantee"))));
}

Result<CheckedRelease> checked_json(const Json& json, const fs::path& folder) {
  if (const Result<void> intact = check_document(json); !intact) {
    return error_of(intact);
  }
  std::vector<Json> files = json.at("result").at("arrays");
  if (json.contains("report")) {
    files.push_back(json.at("report"));
  }
  for (const Json& file : files) {
    if (const Result<void> intact = check_file(folder, file); !intact) {
      return error_of(intact);
    }
  }
  const Result<Guarantee> guarantee = guarantee_from_json(json.at("guarantee"));
  if (!guarantee) {
    return error_of(guarantee);
  }
  if (!is_consistent(*guarantee, json.at("parameters"))) {
    return bad_request("the release contradicts itself: its guarantee does not fit its parameters");
  }
  return CheckedRelease{*guarantee, json.at("checksum").get<std::string>(),
                        line_of(json, *guarantee), words(json, *guarantee)};
}

/// The JSON library recurses when it copies and writes; a document of ours is a few levels deep.
bool nests_too_deep(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quoted) {
      i += letter == '\\' ? 1U : 0U;
      quoted = letter != '"';
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ']' || letter == '}') {
      --depth;
    }
    if (depth > kDeepest) {
      return true;
    }
  }
  return false;
}

/// A repeated key would show other readers another value than the one the checksum covers.
Json parse_without_repeats(const std::string& text, bool& repeated) {
  std::vector<std::set<std::string>> keys;
  return Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      repeated = !keys.back().insert(parsed.get<std::string>()).second || repeated;
    }
    return true;
  });
}

/// The document of a release that is named by its directory.
fs::path document_of(const fs::path& release) {
  std::error_code ignored;
  if (!fs::is_directory(release, ignored)) {
    return release;
  }
  const fs::path not_private = release / "release.NOT-PRIVATE.json";
  return fs::exists(not_private, ignored) ? not_private : release / "release.json";
}

Result<CheckedRelease> checked_release(const fs::path& release) {
  const fs::path release_json = document_of(release);
  const Result<std::string> text = read_file(release_json);
  if (!text) {
    return error_of(text);
  }
  const auto foreign = [&release_json] {
    return bad_request(
        fmt::format("{} is not a release document of Eigenveil", release_json.string()));
  };
  if (nests_too_deep(*text)) {
    return foreign();
  }
  // The JSON library reports a missing or mistyped field by exception; this is the one place it can
  // surface.
  try {
    bool repeated = false;
    const Json json = parse_without_repeats(*text, repeated);
    if (repeated) {
      return bad_request(kChanged);
    }
    return checked_json(json, release_json.parent_path());
  } catch (const Json::exception&) {
    return foreign();
  }
}

/// A pair says more to most readers than a curve.
constexpr double kShownDelta = 1e-6;

std::string sum_in_words(const Guarantee& sum, std::size_t count) {
  std::string text = fmt::format("{} releases of one table, together\n", count);
  text += fmt::format("  guarantee   {}\n", in_words(sum));
  if (!std::holds_alternative<PureDp>(sum.loss) && !std::holds_alternative<ApproxDp>(sum.loss)) {
    Guarantee pair = sum;
    pair.loss = ApproxDp{epsilon_at(sum.loss, kShownDelta), kShownDelta};
    text += fmt::format("  implies     {}\n", in_words(pair));
  }
  text += fmt::format("  in words    {}\n", detection_in_words(sum));
  if (!sum.assumptions.empty()) {
    text += fmt::format("  rests on\n{}", bullet_list(Json(sum.assumptions)));
  }
  text +=
      "  counted     every release once, with budgets fixed beforehand: a budget that was chosen "
      "after looking at an earlier release is not covered, nor is a release that is not named "
      "here\n";
  return text;
}

}  // namespace

Result<std::string> explain_release(const fs::path& release) {
  return checked_release(release).map([](const CheckedRelease& found) { return found.words; });
}

Result<std::string> explain_releases(const std::vector<fs::path>& releases) {
  if (releases.size() == 1) {
    return explain_release(releases.front());
  }
  std::vector<Guarantee> guarantees;
  std::set<std::string> checksums;
  std::string lines;
  for (const fs::path& release : releases) {
    const Result<CheckedRelease> found = checked_release(release);
    if (!found) {
      return error_of(found);
    }
    if (found->guarantee.basis == Basis::NotPrivate) {
      return bad_request(fmt::format(
          "{} is NOT PRIVATE: no sum with it protects anybody; leave it out", release.string()));
    }
    if (!checksums.insert(found->checksum).second) {
      return bad_request(fmt::format("{} is named twice, and one release costs once; leave it out",
                                     release.string()));
    }
    guarantees.push_back(found->guarantee);
    lines += fmt::format("  {}: {}\n", release.string(), found->line);
  }
  return compose_all(guarantees).map([&](const Guarantee& sum) {
    return lines + "\n" + sum_in_words(sum, releases.size());
  });
}

}  // namespace eigenveil
