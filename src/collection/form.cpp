#include "collection/form.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "collection/collection_plan.hpp"
#include "collection/form_script.hpp"
#include "report/html_text.hpp"

namespace eigenveil {
namespace {

/// "sha256-..." of an inline script or style, as a content security policy names it.
std::string policy_hash(std::string_view text) {
  const Digest digest = sha256(text);
  std::string base64(sodium_base64_ENCODED_LEN(sizeof(Digest), sodium_base64_VARIANT_ORIGINAL),
                     '\0');
  sodium_bin2base64(base64.data(), base64.size(), digest.data(), digest.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  base64.pop_back();
  return "'sha256-" + base64 + "'";
}

std::string study_for_script(const Study& study) {
  const nlohmann::ordered_json json = {
      {"manifest", study.text},
      {"digest", hex(study.digest)},
      {"signatures", {{"a", *study.signature_a}, {"b", *study.signature_b}}}};
  std::string text = json.dump();
  // Inside of a script element only "</" and "<!" would end or change it.
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

std::string field_of(std::size_t index, const StudyColumn& column) {
  return fmt::format(
      "<div class=\"field\"><label for=\"answer-{0}\">{1}</label>\n"
      "<p class=\"hint\" id=\"answer-{0}-hint\">A number from {2} to {3}. Left empty it counts as "
      "{4}, the middle.</p>\n"
      "<input id=\"answer-{0}\" name=\"{5}\" type=\"number\"{6} step=\"any\" "
      "min=\"{2}\" max=\"{3}\" autocomplete=\"off\" "
      "aria-describedby=\"answer-{0}-hint answer-{0}-problem\">\n"
      "<p class=\"wrong\" id=\"answer-{0}-problem\" role=\"alert\"></p></div>\n",
      index, escape_markup(column.question.empty() ? column.name : column.question), column.low,
      column.high, 0.5 * column.low + 0.5 * column.high, escape_markup(column.name),
      column.low < 0.0 ? "" : " inputmode=\"decimal\"");  // that keypad of a phone has no minus
}

/// As a sentence, in the form's words: aggregators are organisations there.
std::string sentence(std::string text) {
  constexpr std::string_view kOurs = "aggregator";
  for (std::size_t at = text.find(kOurs); at != std::string::npos; at = text.find(kOurs, at)) {
    text.replace(at, kOurs.size(), "organisation");
  }
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return escape_markup(text);
}

std::string promise_of(const Manifest& manifest, const Guarantee& guarantee) {
  std::string text = fmt::format("<p>{}.</p>", sentence(detection_in_words(guarantee)));
  for (const std::string& line : trust_in_words(manifest)) {
    text += fmt::format("<p>{}.</p>", sentence(line));
  }
  return text;
}

std::string keys_of(const Study& study) {
  const Manifest& manifest = study.manifest;
  return fmt::format(
      "<dl><dt>Study number</dt><dd><code>{}</code></dd>"
      "<dt>Organisation A</dt><dd>{}<br>key <code>{}</code></dd>"
      "<dt>Organisation B</dt><dd>{}<br>key <code>{}</code></dd>"
      "<dt>Answers are taken until</dt><dd>{}</dd></dl>",
      hex(study.digest), escape_markup(manifest.a.address), manifest.a.signing_key,
      escape_markup(manifest.b.address), manifest.b.signing_key, manifest.deadline);
}

/// What an invitation must say, too: docs/collecting.md.
std::string facts_of(const Manifest& manifest) {
  const bool servers = manifest.noise == NoiseMode::Servers;
  return fmt::format(
      "<p>Your answers are divided here, in your browser, into two parts. Each part by itself is "
      "made of random numbers. Each is encrypted for one of two organisations, which add up the "
      "parts of everybody and publish sums with noise. Neither of them receives your answers. "
      "<strong>This holds unless the two organisations work together</strong>: with both parts "
      "they could read {}.</p>\n<p>{}</p>\n"
      "<ul><li>How many people answered is public, and so are the numbers of their reports.</li>\n"
      "<li>What was sent cannot be withdrawn. Changed answers need a new code, and the first ones "
      "still count.</li>\n"
      "<li>{} gave out the codes and may know which code went to whom. The two organisations are "
      "not told, but see from which internet address a report comes, and when.</li>\n"
      "<li>Whoever gave you this page could have changed it: it is trusted. Its checksum is "
      "published with the study.</li></ul>\n",
      servers ? "your answers" : "your answers with the noise your browser added",
      servers ? "Both organisations add noise to the sums; how much the sums can still say about "
                "one person is stated below."
              : "Your browser adds noise to every answer before it is divided.",
      manifest.collector_issues() ? "Whoever runs the study"
                                  : "Somebody other than who runs the study");
}

}  // namespace

Result<std::string> form_page(const Study& study) {
  if (const Result<void> whole = check_signatures(study, "", ""); !whole) {
    return error_of(whole);
  }
  const Manifest& manifest = study.manifest;
  const Result<CollectionPlan> plan = plan_collection(manifest);
  if (!plan) {
    return error_of(plan);
  }
  std::string fields;
  for (std::size_t j = 0; j < manifest.columns.size(); ++j) {
    fields += field_of(j, manifest.columns[j]);
  }
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; connect-src {} {}; base-uri 'none'; "
      "form-action 'none'",
      policy_hash(detail::kFormScript), policy_hash(detail::kFormStyle), manifest.a.address,
      manifest.b.address);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n<style>",
      policy, escape_markup(manifest.title));
  page += detail::kFormStyle;
  page += fmt::format(
      "</style></head><body><main>\n<h1>{}</h1>\n"
      "<div class=\"box\"><h2>What is sent</h2>\n"
      "{}"
      "<details><summary>The promise, and whom it trusts</summary>{}</details>\n"
      "<details><summary>Numbers to compare with what the two organisations "
      "publish</summary>{}</details>\n"
      "<p id=\"unchecked\" hidden>This browser cannot check the signatures of the two "
      "organisations: "
      "compare the study number.</p></div>\n",
      escape_markup(manifest.title), facts_of(manifest), promise_of(manifest, plan->guarantee),
      keys_of(study));
  page += fmt::format(
      "<form id=\"form\" novalidate autocomplete=\"off\">\n{}"
      "<div class=\"field\"><label for=\"token\">Your code</label>\n"
      "<p class=\"hint\" id=\"token-hint\">From your invitation; it works once and does not say "
      "who "
      "you are to the two organisations.</p>\n"
      "<input id=\"token\" type=\"text\" autocapitalize=\"none\" spellcheck=\"false\" "
      "aria-describedby=\"token-hint token-problem\" required>\n"
      "<p class=\"wrong\" id=\"token-problem\" role=\"alert\"></p></div>\n"
      "<button id=\"send\" type=\"submit\" disabled>Send</button>\n</form>\n"
      "<p id=\"status\" role=\"status\" aria-live=\"polite\"></p>\n"
      "<section id=\"receipt\" class=\"box\" hidden>"
      "<h2 id=\"receipt-title\" tabindex=\"-1\">Thank you. Both parts have arrived.</h2>\n"
      "<p>The number of your report is <code id=\"receipt-id\"></code>. When the study is closed, "
      "both organisations publish the list of reports that count: look for it there. It says "
      "nothing about your answers.</p>\n"
      "<p><a id=\"save\" download=\"receipt.txt\" href=\"#\">Save the receipt</a></p></section>\n"
      "<noscript><p>This form divides and encrypts your answers with a script, and needs it to be "
      "allowed.</p></noscript>\n</main>\n"
      "<script type=\"application/json\" id=\"study\">",
      fields);
  page += study_for_script(study) + "</script>\n<script>";
  page += detail::kFormScript;
  return page + "</script></body></html>\n";
}

}  // namespace eigenveil
