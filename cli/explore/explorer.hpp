#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cli/explore/charged.hpp"
#include "cli/explore/guard.hpp"
#include "cli/explore/question.hpp"
#include "cli/explore/release_process.hpp"
#include "serve/http_server.hpp"

namespace eigenveil::cli {

/// In the explorer's own folder: leads a browser to the page, with the first secret.
constexpr const char* kRedirectFile = "open.html";

/// What the local page asks, answered. Screens 1 to 3 know the header, the dictionary, what was
/// typed and the ledger: no row. Releasing runs the command that the page shows.
class Explorer {
 public:
  Explorer(ExploreSource source, std::filesystem::path scratch)
      : source_(std::move(source)), scratch_(std::move(scratch)) {}

  Guard& guard() { return guard_; }
  HttpResponse answer(const HttpRequest& request);
  /// Stops a release that is under way; a line about what becomes of its charge, or nothing.
  std::string end();

 private:
  struct Pressed {
    std::string words;
    std::filesystem::path out;
    std::string key;  ///< of its entry in the ledger
    std::unique_ptr<ReleaseProcess> job;
  };
  struct Outcome {
    ReleaseProcess::Status run;
    Charged charged = Charged::Unknown;
  };

  HttpResponse page(const HttpRequest& request) const;
  Result<std::string> session(const std::string& body);
  Result<std::string> source_json() const;
  /// What the curator says of the first line; its names are known from then on.
  Result<std::string> say_header(const std::string& body);
  /// Ranges that were typed, kept as a dictionary beside where the program was started.
  Result<std::string> keep_ranges(const std::string& body);
  ExploreSource source() const;
  /// Starts the release on the screen, or finds it: pressed twice it is one release.
  Result<std::string> release(const std::string& body);
  Result<std::string> status() const;
  Result<std::string> cancel();
  Result<std::string> released() const;
  HttpResponse file(const std::string& path) const;
  std::shared_ptr<const Pressed> pressed() const;
  Outcome outcome_of(const Pressed& pressed) const;
  /// The name of a press in the ledger: the same command finds its reservation again, until a
  /// further charge for it was asked for in words.
  std::string key_of(const std::string& line, int charged_again) const;
  Result<int> charges_again(const std::string& line, const std::filesystem::path& out);

  ExploreSource source_;  ///< its ranges may be typed: read it by source()
  std::filesystem::path scratch_;
  Guard guard_;
  mutable std::mutex mutex_;
  std::string kept_ranges_;  ///< the dictionary that this page wrote, and may write again
  std::string retry_key_ = fresh_secret();
  /// By command: how often a new charge was asked for after one that came to nothing.
  std::map<std::string, int> charged_again_;
  std::string files_ = "/file/" + fresh_secret() + "/";  ///< where a browser reads the release
  std::shared_ptr<const Pressed> pressed_;
};

}  // namespace eigenveil::cli
