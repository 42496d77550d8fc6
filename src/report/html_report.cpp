#include "report/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eigenveil/core/digest.hpp"
#include "eigenveil/core/version.hpp"
#include "report/html_style.hpp"
#include "report/html_text.hpp"
#include "report/not_protected.hpp"
#include "report/pictures.hpp"
#include "report/report_figures.hpp"
#include "report/report_pictures.hpp"
#include "report/report_text.hpp"

namespace eigenveil {
namespace {

constexpr std::size_t kShortList = 6;

/// Four digits, or all before the point; release.json has the rest.
std::string number_text(double value) {
  if (std::isnan(value)) {
    return "none";
  }
  const double size = std::abs(value);
  return size >= 1e3 && size < 1e12 ? fmt::format("{:.0f}", value)
                                    : fmt::format("{:.4g}", value == 0.0 ? 0.0 : value);
}

template <class Value, class Text>
std::string list_html(const std::vector<Value>& values, Text&& text) {
  std::string all;
  std::string first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    all += (i > 0 ? ", " : "") + escape_markup(text(values[i]));
    if (i + 1 == kShortList) {
      first = all;
    }
  }
  if (values.size() <= kShortList) {
    return all;
  }
  return fmt::format("<details><summary>{}, … ({} in all)</summary>{}</details>", first,
                     values.size(), all);
}

struct FieldHtml {
  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return escape_markup(value); }
  std::string operator()(const std::vector<double>& values) const {
    const bool constant =
        values.size() > 1 &&
        std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
    if (constant) {
      return fmt::format("{} (all {})", number_text(values.front()), values.size());
    }
    return list_html(values, number_text);
  }
  std::string operator()(const std::vector<std::string>& values) const {
    return values.empty() ? "none"
                          : list_html(values, [](const std::string& value) { return value; });
  }
};

std::string fields_table(const Fields& fields, std::string_view attributes = {}) {
  std::string rows;
  for (const auto& [name, value] : fields) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                        escape_markup(field_title(name)), std::visit(FieldHtml{}, value));
  }
  return fmt::format("<table{}>\n{}</table>\n", attributes, rows);
}

std::string bullets(const std::vector<std::string>& texts, const char* tag = "ul") {
  std::string items;
  for (const std::string& text : texts) {
    items += fmt::format("<li>{}</li>\n", escape_markup(text));
  }
  return fmt::format("<{0}>\n{1}</{0}>\n", tag, items);
}

std::string section(const std::string& title, const std::string& body) {
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", title, body);
}

/// What is there for those who ask; `printed`: on paper too.
std::string folded(const std::string& title, const std::string& body, bool printed) {
  return fmt::format(
      "<section class=\"{}\">\n<details><summary><h2>{}</h2></summary>\n{}</details></section>\n",
      printed ? "fold" : "fold screen", title, body);
}

std::string banner(const ReleaseDocument& document) {
  if (document.is_private()) {
    return "";
  }
  return fmt::format(
      "<div class=\"banner\" role=\"alert\"><strong>NOT PRIVATE</strong>"
      "Do not publish this. {} For tests and reproduction only.</div>\n",
      escape_markup(not_private_reason(document.guarantee())));
}

/// Neighbours that differ in membership and neighbours that differ in content ask the adversary
/// different questions.
struct AdversaryWords {
  std::string_view question;
  std::string_view errors;
};
AdversaryWords adversary_words(Relation relation) {
  if (relation == Relation::AddRemove) {
    return {"whether a given person is in the data",
            "A false alarm is calling someone a member of the data who is not; power is the chance "
            "to recognise someone who is."};
  }
  return {"which of two possible records a given person contributed",
          "A false alarm is deciding for a suspected record that was not contributed; power is the "
          "chance to recognise it when it was."};
}

std::string guarantee_section(const ReleaseDocument& document) {
  const std::string detection = sentence(detection_in_words(document.guarantee()));
  return fmt::format(
      "<section class=\"guarantee{}\">\n<h2>The guarantee</h2>\n<p class=\"statement\">{}</p>\n"
      "{}<p class=\"formal\">{} {}</p>\n<p class=\"muted\">{} Guessing without "
      "looking has 5% power at 5% false alarms.</p>\n</section>\n",
      document.is_private() ? "" : " void",
      document.is_private() ? people_headline(document) : escape_markup(detection),
      people_html(document),
      escape_markup(sentence(headline(document.guarantee(), document.requested))),
      escape_markup(document.is_private() ? detection : std::string()),
      adversary_words(document.guarantee().relation).errors);
}

/// Date, data set and ledger, where the curator gave them; nothing is filled in by the program.
std::string facts_header(const ReleaseDocument& document) {
  std::string facts;
  const auto add = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) {
      facts += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, escape_markup(text));
    }
  };
  add("Data set", document.data_set);
  add("Released", document.date);
  add("Ledger entry", document.ledger ? fmt::format("{}", document.ledger->index) : "");
  add("Method", document.method);
  add("Made with", fmt::format("Eigenveil {}", kVersion));
  return "<dl class=\"facts\">\n" + facts + "</dl>\n";
}

std::string ledger_section(const ReleaseDocument& document) {
  if (!document.ledger) {
    return "";
  }
  return section(
      "What has been spent",
      fmt::format("<p>Entry {} of the ledger <code>{}</code>, charged before a row was read. What "
                  "all its releases promise, spent and left: <code>eigenveil ledger show</code>. "
                  "What is spent cannot be taken back.</p>\n",
                  document.ledger->index, escape_markup(document.ledger->id)));
}

/// Room for a decision on paper.
std::string decision_section(const ReleaseDocument& document) {
  if (!document.is_private()) {
    return "";
  }
  constexpr std::string_view kBoxes =
      "<ul class=\"boxes\">\n<li>\u25a1 May be published</li>\n<li>\u25a1 May be given to:</li>\n"
      "<li>\u25a1 Not approved, because:</li>\n</ul>\n";
  std::string lines;
  for (const char* label : {"Prepared by", "Data held by", "For the committee"}) {
    lines += fmt::format("<p><b>{}</b>Name, date, signature</p>\n", label);
  }
  return section("Decision",
                 fmt::format("{}<div class=\"signatures\">\n{}</div>\n", kBoxes, lines));
}

std::string figure_html(const Figure& figure, std::string_view caption = {}) {
  const std::string words =
      caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>\n", escape_markup(caption));
  constexpr double kOneColumn = 500.0;
  return fmt::format("<figure{}>\n{}{}</figure>\n",
                     figure.width > kOneColumn ? " class=\"wide\"" : "", figure_svg(figure), words);
}

std::string trade_off_section(const ReleaseDocument& document) {
  const Guarantee& guarantee = document.guarantee();
  const BasisCondition condition =
      condition_of(document.is_private() ? guarantee.basis : guarantee.would_be);
  const std::string reach = condition.empty()
                                ? "whatever else they know"
                                : fmt::format("{}; {}", condition.supposing, condition.not_covered);
  const std::string title =
      fmt::format("How well a person {} hidden{}", document.is_private() ? "is" : "would have been",
                  condition.empty() ? "" : fmt::format(", {}", condition.supposing));
  const std::string body = fmt::format(
      "<div class=\"figures\">\n{}"
      "<div><p>Anyone who tries to tell from this release {} makes two kinds of errors. For each "
      "false alarm rate the curve is the smallest miss rate that is possible, {}. A curve close to "
      "the diagonal means that they do hardly better than guessing.</p>\n<p>{}</p></div>\n</div>\n",
      figure_html(trade_off_figure(document.guarantee())),
      adversary_words(document.guarantee().relation).question, reach, reference_curves_in_words());
  return folded(title, body, false);
}

std::string result_section(const ReleaseDocument& document) {
  std::string pictures;
  for (auto* draw : {null_html, components_html, directions_html, ranges_html, subspace_html}) {
    if (pictures.empty()) {
      pictures = draw(document);
    }
  }
  std::string figures;
  if (pictures.empty()) {
    for (const Figure& figure : result_figures(document)) {
      figures += figure_html(figure);
    }
  } else if (const std::optional<Figure> entries = covariance_figure(document)) {
    figures = figure_html(*entries);
  }
  const std::string drawn =
      figures.empty() ? "" : "<div class=\"figures\">\n" + figures + "</div>\n";
  const std::string numbers = fields_table(document.result, " class=\"numbers\"");
  if (pictures.empty() && drawn.empty()) {
    return section("What is released", numbers);
  }
  return section(
      "What is released",
      pictures + drawn +
          fmt::format("<details class=\"more\"><summary>Every released number, to four "
                      "digits; all of them are in release.json</summary>\n{}</details>\n",
                      numbers));
}

std::string assumption_section(const ReleaseDocument& document) {
  const std::vector<std::string>& assumptions = document.guarantee().assumptions;
  if (!document.is_private()) {
    return section("What the guarantee rests on", "<p>No guarantee holds.</p>\n");
  }
  return section("What the guarantee rests on",
                 assumptions.empty() ? "<p>Nothing beyond the program: the bounds on the data are "
                                       "enforced, not assumed.</p>\n"
                                     : bullets(assumptions));
}

std::string files_section(const ReleaseDocument& document, const std::vector<ReleaseFile>& arrays) {
  std::string rows;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::string what = i < document.tables.size() ? document.tables[i].description : "";
    rows += fmt::format(
        "<tr><td>{}<br><span class=\"muted\">{}</span></td><td><code>{}</code></td></tr>\n",
        escape_markup(arrays[i].name), escape_markup(what), hex(sha256(arrays[i].bytes)));
  }
  for (const StreamedArray& array : document.streamed) {
    rows += fmt::format(
        "<tr><td>{}<br><span class=\"muted\">{}</span></td><td><code>{}</code></td></tr>\n",
        escape_markup(array.name), escape_markup(array.description), array.sha256);
  }
  const std::string table =
      rows.empty() ? ""
                   : "<table class=\"files\">\n<thead><tr><th>file</th><th>SHA-256</th></tr>"
                     "</thead>\n<tbody>\n" +
                         rows + "</tbody></table>\n";
  return section(
      "Files and checksums",
      table + fmt::format("<p class=\"muted\">{}release{}.json lists these checksums and that of "
                          "this page; <code>eigenveil explain</code> checks them all.</p>\n",
                          escape_markup(document.prefix),
                          document.is_private() ? "" : ".NOT-PRIVATE"));
}

std::string head(const ReleaseDocument& document) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n",
      escape_markup(report_title(document)),
      std::string(picture_style()) + std::string(kPageStyle));
}

}  // namespace

std::string report_html(const ReleaseDocument& document, const std::vector<ReleaseFile>& arrays) {
  std::string page = head(document);
  page += fmt::format(
      "<body>\n{}<main>\n<header><p class=\"kind\">{}</p>\n<h1>{}</h1>\n{}</header>\n",
      picture_shapes(),
      document.is_private() ? "Statement of a private release" : "Not a private release",
      escape_markup(document.data_set.empty()
                        ? report_title(document)
                        : fmt::format("{}: {}", document.data_set, report_title(document))),
      facts_header(document));
  page += banner(document);
  page += guarantee_section(document);
  page += result_section(document);
  page +=
      section("What is not protected",
              "<p>What is true of people in general is meant to be learned, also about those who "
              "did not take part. And:</p>\n" +
                  bullets(not_protected(document)));
  page += assumption_section(document);
  page += ledger_section(document);
  page += folded("Parameters", fields_table(document.parameters, " class=\"numbers\""), true);
  page += files_section(document, arrays);
  page += decision_section(document);
  page += trade_off_section(document);
  page +=
      folded("Statement to paste",
             fmt::format("<pre>{}</pre>\n", escape_markup(disclosure_statement(document))), false);
  page += folded("References", bullets(references_of(document), "ol"), false);
  page += fmt::format(
      "{}<footer><p>Written by Eigenveil {} from the release alone: nothing on this page comes "
      "from "
      "the data except through the guarantee above.</p></footer>\n</main>\n</body>\n</html>\n",
      banner(document), kVersion);
  return page;
}

}  // namespace eigenveil
