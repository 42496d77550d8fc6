#include "papers/page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "eigenveil/core/version.hpp"
#include "papers/citation.hpp"
#include "report/html_text.hpp"

namespace eigenveil::papers {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --text: #1d2328; --quiet: #5b6670; --line: #d9dee3;
  --ground: #ffffff; --raised: #f5f7f9; --good: #17693a; --bad: #a3241b; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e8ec; --quiet: #9aa5af; --line: #39424b;
  --ground: #14181c; --raised: #1d2329; --good: #6fce96; --bad: #ff8d80; } }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 60rem; background: var(--ground);
  color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p.source, caption, footer { color: var(--quiet); }
blockquote { margin: 1rem 0; padding: .7rem 1rem; background: var(--raised);
  border-left: 3px solid var(--line); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
.prose { min-width: 16rem; }
.wide { --room: min(100vw - 2rem, 84rem); width: var(--room);
  margin-left: calc((100% - var(--room)) / 2); }
.wide table { font-size: .8rem; }
.same { color: var(--good); } .differs { color: var(--bad); font-weight: 600; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
a { color: inherit; } footer { margin-top: 3rem; font-size: .85rem; }
@media print { body { max-width: none; padding: 0; } .wide { width: auto; margin: 0; } }
)";

std::string framed(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}"
      "<footer>Made by eigenveil {} with fixed seeds; no private data is involved.</footer>\n"
      "</body>\n</html>\n",
      escape_markup(title), kStyle, body, kVersion);
}

/// Sentences beside numbers: without room of their own they end up a word per line.
bool is_prose(const std::string& cell) {
  constexpr std::size_t kLongestLabel = 30;
  return cell.size() > kLongestLabel;
}

std::string cells(const std::vector<std::string>& row, std::string_view tag) {
  std::string text = "<tr>";
  for (const std::string& cell : row) {
    const char* room = is_prose(cell) ? " class=\"prose\"" : "";
    text += fmt::format("<{0}{1}>{2}</{0}>", tag, room, escape_markup(cell));
  }
  return text + "</tr>\n";
}

std::string comparison_table(const std::vector<Comparison>& comparisons) {
  std::string text =
      "<div class=\"scroll\"><table>\n<thead><tr><th>what</th><th>paper</th><th>ours</th>"
      "<th></th></tr></thead>\n<tbody>\n";
  for (const Comparison& line : comparisons) {
    text +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                    escape_markup(line.what), escape_markup(line.paper), escape_markup(line.ours),
                    line.agrees ? "same" : "differs", line.agrees ? "same" : "differs");
  }
  return text + "</tbody></table></div>\n";
}

constexpr std::size_t kColumnsBesideText = 6;  ///< that fit in the width of the text

std::string table_part(const PrintedTable& table) {
  const bool wide = std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) {
    return row.size() > kColumnsBesideText && std::any_of(row.begin(), row.end(), is_prose);
  });
  std::string text = fmt::format(
      "<div class=\"scroll{}\"><table>\n<caption>{} <a href=\"{}.csv\">CSV</a></caption>\n",
      wide ? " wide" : "", escape_markup(table.caption), escape_markup(table.name));
  text += "<thead>" + cells(table.header, "th") + "</thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    text += cells(row, "td");
  }
  return text + "</tbody></table></div>\n";
}

/// Inside a page the drawing stands without the declaration of a file of its own.
std::string figure_part(const NamedFigure& figure) {
  const std::string svg = figure_svg(figure.figure);
  return fmt::format(
      "<figure>\n{}\n<figcaption><a href=\"{}.csv\">data</a></figcaption></figure>\n",
      svg.substr(svg.find("<svg")), escape_markup(figure.name));
}

/// Nothing a paper says: the entry has no paper, or the paper's column says so.
bool is_own_check(const Entry& entry, const Comparison& line) {
  constexpr std::array<std::string_view, 4> kNoPaper = {"(ours)", "-", "(not in the paper)",
                                                        "left open"};
  return paper_of(entry.id) == nullptr ||
         std::find(kNoPaper.begin(), kNoPaper.end(), line.paper) != kNoPaper.end();
}

/// Agreeing and compared.
struct Tally {
  std::size_t agreeing = 0;
  std::size_t compared = 0;
};

/// The reason, if nothing could be computed.
std::string reason_for_skipping(const Reproduction& result) {
  const bool skipped = result.comparisons.empty() && !result.notes.empty() &&
                       result.notes.front().starts_with("SKIPPED");
  return skipped ? result.notes.front() : "";
}

}  // namespace

std::string agreement_in_words(const Entry& entry, const Reproduction& result) {
  if (std::string skipped = reason_for_skipping(result); !skipped.empty()) {
    return skipped;
  }
  Tally paper;
  Tally own;
  for (const Comparison& line : result.comparisons) {
    Tally& tally = is_own_check(entry, line) ? own : paper;
    ++tally.compared;
    tally.agreeing += line.agrees ? 1 : 0;
  }
  std::vector<std::string> parts;
  if (paper.compared > 0) {
    parts.push_back(fmt::format("{} of {} numbers and claims of the paper agree", paper.agreeing,
                                paper.compared));
  }
  if (own.compared > 0) {
    parts.push_back(fmt::format("{} of {} own checks hold", own.agreeing, own.compared));
  }
  return parts.empty() ? "nothing to compare with" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string entry_page(const Entry& entry, const Reproduction& result) {
  std::string body = fmt::format(
      "<h1>{}</h1>\n<p class=\"source\">{} &middot; "
      "{}</p>\n<blockquote>{}</blockquote>\n<p>{}</p>\n",
      escape_markup(entry.title), escape_markup(entry.id),
      escape_markup(cited_place(entry.id, entry.place)), escape_markup(entry.statement),
      escape_markup(agreement_in_words(entry, result)));
  for (const NamedFigure& figure : result.figures) {
    body += figure_part(figure);
  }
  body += "<h2>Notes</h2>\n<ul>\n";
  for (const std::string& note : result.notes) {
    body += fmt::format("<li>{}</li>\n", escape_markup(note));
  }
  body += "</ul>\n<h2>Numbers</h2>\n";
  for (const PrintedTable& table : result.tables) {
    body += table_part(table);
  }
  body += "<h2>The paper beside our numbers</h2>\n" + comparison_table(result.comparisons);
  body += "<p>Parameters, seed and versions: <a href=\"parameters.json\">parameters.json</a></p>\n";
  return framed(entry.id + ": " + entry.title, body);
}

std::string overview_page(const std::vector<std::pair<Entry, Reproduction>>& done) {
  std::string body = "<h1>Tables and figures of the paper papers</h1>\n<ul>\n";
  for (const auto& [entry, result] : done) {
    body += fmt::format("<li><a href=\"{0}/index.html\">{0}</a> {1}<br>{2}: {3}</li>\n",
                        escape_markup(entry.id), escape_markup(entry.title),
                        escape_markup(cited_place(entry.id, entry.place)),
                        escape_markup(agreement_in_words(entry, result)));
  }
  return framed("Eigenveil: reproduction", body + "</ul>\n");
}

}  // namespace eigenveil::papers
