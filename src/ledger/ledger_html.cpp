#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eigenveil/core/version.hpp"
#include "ledger/summary.hpp"
#include "report/html_text.hpp"
#include "report/report_figures.hpp"

namespace eigenveil {
namespace {

/// Hairlines and white space; what is spent is grey (orange is for the release on the screen), what
/// is left stays paper.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#fbfbf9;--paper:#fff;--ink:#1a2027;--muted:#56606b;--edge:#e2e5e8;--rule:#cfd4d9;--spent:#6e7882;--alarm:#c2410c;--lost:#6b7480;--lostground:#eceef0;--accent:#0069a8}
@media screen and (prefers-color-scheme:dark){:root{--page:#0f1317;--paper:#151a20;--ink:#e7ebf0;--muted:#a4aeb9;--edge:#262d35;--rule:#3a434d;--spent:#8a95a1;--alarm:#ff9a5f;--lost:#93a0ad;--lostground:#1f262d;--accent:#5cb6ee}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 "Helvetica Neue",Arial,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:860px;margin:0 auto;padding:32px 24px 56px}
h1,h2,.statement,.figure-number{font-family:"Iowan Old Style",Palatino,Charter,"Liberation Serif",serif;font-weight:400}
h1{font-size:34px;line-height:1.15;margin:4px 0 8px}
h2{font-size:20px;margin:0 0 12px}
.statement{font-size:23px;line-height:1.35;margin:24px 0 8px;max-width:34em}
p{margin:8px 0;max-width:68ch}
.muted{color:var(--muted);font-size:15px}
section{border-top:1px solid var(--edge);padding:24px 0 0;margin:32px 0 0}
.account{margin:0 0 24px}
.account h3{font-size:16px;font-weight:600;margin:0 0 4px}
.bar{display:flex;height:32px;border:1px solid var(--rule);background:var(--paper);margin:8px 0}
.bar i{display:block;background:var(--spent);border-right:1px solid var(--paper)}
.bar i.lost,.key.lost{background:repeating-linear-gradient(45deg,var(--lostground) 0 4px,var(--lost) 4px 5px)}
.key{display:inline-block;width:14px;height:14px;vertical-align:-2px;margin:0 4px 0 0;border:1px solid var(--rule)}
.key.spent{background:var(--spent)}
.key.left{background:var(--paper)}
.one{white-space:nowrap;margin-right:16px}
.ends{display:flex;justify-content:space-between;gap:16px;font-size:14px;color:var(--muted);font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%;font-size:15px;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:8px 12px 8px 0;border-top:1px solid var(--edge)}
thead th{border-top:0;font-weight:600;font-size:14px}
table{overflow-wrap:normal}
td:nth-child(2){white-space:nowrap}
.number{text-align:right}
code{font:13px/1.4 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.warning{border-left:4px solid var(--alarm);padding:4px 0 4px 16px}
.ev-figure{display:block;width:100%;max-width:500px;height:auto}.ev-figure .ev-paper{fill:none}
ul{padding-left:20px;margin:8px 0}li{margin:4px 0;max-width:68ch}
footer{margin-top:48px;color:var(--muted);font-size:14px}
@media (max-width:640px){main{padding:20px 16px 40px}h1{font-size:28px}.statement{font-size:20px}table,tbody,tr,td{display:block;width:auto}thead{display:none}td,td.number{border:0;padding:1px 0;text-align:left}tr{border-top:1px solid var(--edge);padding:8px 0}td[data-label]:before{content:attr(data-label) " ";color:var(--muted)}}
@media print{@page{margin:16mm 18mm 15mm}body{background:#fff}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}section,tr{break-inside:avoid}}
)";

std::string percent(double share) {
  return fmt::format("{:.1f}%", std::max(0.0, std::ceil(1000.0 * share - 1e-9)) / 10.0);
}

/// One block a release, as wide as its share; narrow ones are drawn together.
std::string blocks(const LedgerSummary& summary, Account account) {
  constexpr double kNarrowest = 0.002;
  std::string html;
  double waiting = 0.0;
  const auto draw = [&](double share, bool released, const std::string& title) {
    html += fmt::format("<i{} style=\"width:{:.3f}%\" title=\"{}\"></i>",
                        released ? "" : " class=\"lost\"", 100.0 * share, escape_markup(title));
  };
  for (const LedgerRow& row : summary.rows) {
    if (row.line->charge.account != account) {
      continue;
    }
    if (row.share < kNarrowest) {
      waiting += row.share;
    } else {
      draw(row.share, !row.release.empty(),
           fmt::format("entry {}: {} by {}, {}", row.line->index, row.line->task, row.line->method,
                       in_words(row.line->charge)));
    }
    if (waiting >= kNarrowest) {
      draw(waiting, true, "small releases together");
      waiting = 0.0;
    }
  }
  return html;
}

std::string account_html(std::string_view title, std::string_view words, const std::string& bars,
                         const std::string& spent, const std::string& cap) {
  return fmt::format(
      "<div class=\"account\"><h3>{}</h3><p class=\"muted\">{}</p><div class=\"bar\" role=\"img\" "
      "aria-label=\"{}\">{}</div><div class=\"ends\"><span>{}</span><span>{}</span></div></div>\n",
      title, words, escape_markup(spent), bars, escape_markup(spent), escape_markup(cap));
}

std::string accounts_html(const LedgerSummary& summary) {
  const LedgerCaps& caps = summary.terms.caps;
  std::string html;
  if (caps.has_gaussian()) {
    html += account_html("Account for Gaussian noise",
                         "Each release takes the square of its mu; the squares add up.",
                         blocks(summary, Account::Gaussian),
                         fmt::format("spent {} · left for one more release: mu {:.3g}",
                                     percent(summary.gaussian_share), summary.left.mu),
                         fmt::format("all of it: mu {:.4g}", caps.mu));
  }
  if (caps.has_basic()) {
    const bool pure = caps.delta == 0.0;
    html += account_html("Account for everything else",
                         pure ? "Each release takes its epsilon; they add up."
                              : "Each release takes its epsilon and its delta; both add up.",
                         blocks(summary, Account::Basic),
                         fmt::format("spent {} · left: epsilon {:.3g}{}",
                                     percent(summary.basic_share), summary.left.epsilon,
                                     pure ? "" : fmt::format(", delta {:.2g}", summary.left.delta)),
                         fmt::format("all of it: epsilon {:.3g}{}", caps.epsilon,
                                     pure ? "" : fmt::format(", delta {:.2g}", caps.delta)));
  }
  if (summary.spent.draws > 0.0) {
    html +=
        fmt::format("<p class=\"muted\">What doubles add to draws: {:.2g} of {:.2g} spent.</p>\n",
                    summary.spent.draws, caps.draws);
  }
  return html;
}

std::string release_row(const LedgerRow& row) {
  const LedgerLine& line = *row.line;
  return fmt::format(
      "<tr><td data-label=\"entry\">{}</td><td>{}</td><td>{} by {}</td><td "
      "data-label=\"charged\">{}</td><td data-label=\"share of its account\" "
      "class=\"number\">{}</td><td data-label=\"release\">{}</td></tr>\n",
      line.index, escape_markup(line.time.substr(0, 10)), escape_markup(line.task),
      escape_markup(line.method), escape_markup(in_words(line.charge)), percent(row.share),
      row.release.empty() ? std::string("none: spent all the same")
                          : fmt::format("<code>{}</code>", row.release.substr(0, 12)));
}

std::string releases_html(const LedgerSummary& summary) {
  if (summary.rows.empty()) {
    return "<p>None yet.</p>\n";
  }
  constexpr std::size_t kShown = 200;
  const std::size_t first = summary.rows.size() > kShown ? summary.rows.size() - kShown : 0;
  std::string html;
  if (first > 0) {
    html = fmt::format("<p class=\"muted\">The last {} of {}.</p>\n", kShown, summary.rows.size());
  }
  html +=
      "<table><thead><tr><th>entry</th><th>day (UTC)</th><th>what</th><th>charged</th>"
      "<th class=\"number\">share of its account</th><th>release</th></tr></thead><tbody>\n";
  for (std::size_t i = first; i < summary.rows.size(); ++i) {
    html += release_row(summary.rows[i]);
  }
  return html + "</tbody></table>\n";
}

std::string headline_html(const LedgerSummary& summary) {
  if (summary.whole.basis == Basis::NotPrivate) {
    return "<p class=\"statement warning\">No promise for the whole: this ledger holds a release "
           "that is not proved for every data set.</p>\n";
  }
  const double found = power_in_percent(summary.whole.loss);
  return fmt::format(
      "<p class=\"statement\">Whoever reads every release of this ledger, now and later, and "
      "raises 5 false alarms in 100, {} at most {:.0f} times in 100. Blind guessing finds 5.</p>\n",
      summary.terms.relation == Relation::AddRemove
          ? "recognises a person who took part"
          : "tells which of two possible records a person contributed",
      std::min(100.0, std::ceil(found - 1e-9)));
}

std::string adversary_html(const LedgerSummary& summary) {
  if (summary.whole.basis == Basis::NotPrivate) {
    return "";
  }
  Figure figure = trade_off_figure(summary.whole);
  for (FigureSeries& series : figure.panels.front().series) {
    if (series.name == "this release") {
      series.name = "all releases together";
    }
  }
  return fmt::format(
      "<section><h2>What an adversary can do in total</h2><p>The curve holds for all releases "
      "together, also those still to come, and for adversaries who choose each one after seeing "
      "the others. {}</p>{}</section>\n",
      escape_markup(reference_curves_in_words()), figure_svg(figure));
}

std::string terms_html(const LedgerSummary& summary) {
  const LedgerTerms& terms = summary.terms;
  std::string html = "<section><h2>What it rests on</h2><ul>\n";
  html += fmt::format("<li>Protected: {}, against {}.</li>\n", escape_markup(unit_in_words(terms)),
                      describe(terms.relation));
  html +=
      "<li>Every choice, of what to release and how much to spend, is made from published "
      "releases and public knowledge, never from the data.</li>\n";
  html +=
      "<li>All releases about these people go through this one file, and no copy of it is "
      "used to spend.</li>\n";
  for (const std::string& assumption : summary.whole.assumptions) {
    html += fmt::format("<li>{}</li>\n", escape_markup(assumption));
  }
  html += fmt::format(
      "</ul><p class=\"muted\">Nothing is given back: runs that failed, were stopped or answered "
      "nothing have spent their budget, because by then rows had been read.</p><p "
      "class=\"muted\">Ledger <code>{}</code>, made {}; signed with key <code>{}</code>. "
      "<code>eigenveil ledger verify</code> checks every entry, and releases against it.</p>"
      "</section>\n",
      terms.id, escape_markup(terms.created), terms.public_key);
  return html;
}

}  // namespace

std::string ledger_html(const LedgerSummary& summary) {
  const LedgerTerms& terms = summary.terms;
  const std::size_t lost = summary.rows.size() - summary.released;
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>Ledger of {0}</title><style>{1}"
      "</style></head><body><main>\n<header><p class=\"muted\">Privacy ledger</p><h1>{0}</h1>"
      "</header>\n",
      escape_markup(terms.name), kStyle);
  html += headline_html(summary);
  html += fmt::format("<p class=\"muted\">Formally: {}, for all releases together.</p>\n",
                      escape_markup(promise_sentence(summary)));
  html += fmt::format(
      "<section><h2>Spent and left</h2>\n{}<p class=\"muted\"><span class=\"one\"><span "
      "class=\"key "
      "spent\"></span>one release</span> <span class=\"one\"><span class=\"key "
      "lost\"></span>spent without a release</span> <span class=\"one\"><span class=\"key "
      "left\"></span>left</span> The limits never change.</p></section>\n",
      accounts_html(summary));
  html += fmt::format("<section><h2>{} release{}{}</h2>\n{}</section>\n", summary.released,
                      summary.released == 1 ? "" : "s",
                      lost == 0 ? "" : fmt::format(", {} spent without one", lost),
                      releases_html(summary));
  html += adversary_html(summary);
  html += terms_html(summary);
  return html + fmt::format(
                    "<footer>Eigenveil {}. This page shows public facts alone and may be "
                    "published.</footer>\n</main></body></html>\n",
                    kVersion);
}

}  // namespace eigenveil
