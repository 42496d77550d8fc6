#pragma once

#include <string_view>

namespace eigenveil {

/// Style of the report page: one column on a phone, two on a desk, white on paper.
inline constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--danger:#b3261e}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 var(--sans);overflow-wrap:anywhere}
main{max-width:860px;margin:0 auto;padding:32px 24px 56px;background:var(--page)}
header{border-bottom:1px solid var(--edge);margin-bottom:24px}
.kind{font:600 15px/1.3 var(--serif);margin:0 0 12px}
h1{font:400 34px/1.22 var(--serif);margin:0 0 16px;border-bottom:1px solid var(--ink);padding-bottom:16px}
h2{font:600 20px/1.3 var(--serif);margin:0 0 12px}
h3{font:600 16px/1.3 var(--sans);margin:24px 0 8px}
section{margin:0 0 40px}
.facts{display:flex;flex-wrap:wrap;gap:12px 48px;margin:0 0 16px}
.facts dt{font-size:13px;color:var(--muted)}.facts dd{margin:0;font-weight:600;font-size:15px}
.statement{font:400 23px/1.4 var(--serif);margin:0 0 16px;max-width:60ch}
.formal{border-left:3px solid var(--ink);padding-left:12px;margin:16px 0}
.void .formal{border-left-color:var(--danger)}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr));gap:24px 32px;align-items:start;margin:0 0 16px}
.tally{margin:12px 0 0;display:grid;grid-template-columns:auto 1fr;gap:4px 12px;font-size:15px}
.tally dt{font:600 19px/1.2 var(--serif);text-align:right;font-variant-numeric:tabular-nums}.tally dd{margin:0;color:var(--muted)}.tally .given{color:var(--person)}
.banner{background:var(--danger);color:#fff;padding:16px 20px;margin:16px 0}
.banner strong{display:block;font-size:1.9rem;line-height:1.15}
.muted,figcaption{color:var(--muted);font-size:15px}
p{margin:8px 0;max-width:68ch}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,350px),1fr));gap:24px;align-items:start}
figure{margin:0;min-width:0}
.scroll{overflow-x:auto}.scroll .ev-picture{max-width:none}
.ev-figure{display:block;width:100%;max-width:500px;height:auto}
.wide{grid-column:1/-1}
.wide .ev-figure{max-width:760px}
table{border-collapse:collapse;width:100%;font-size:15px}
th,td{text-align:left;vertical-align:top;padding:6px 12px 6px 0;border-top:1px solid var(--edge)}
th{font-weight:400;color:var(--muted);width:40%}
thead th{color:var(--ink);font-weight:600;border-top:0}
tr:first-child>*{border-top:0}
code,pre{font:13px/1.5 var(--mono)}
pre{white-space:pre-wrap;background:var(--paper);border:1px solid var(--edge);border-radius:6px;padding:14px;margin:8px 0 0}
ul,ol{margin:4px 0;padding-left:1.3em;max-width:68ch}
li{margin:4px 0}
summary{cursor:pointer}.more>summary{color:var(--muted);font-size:15px;margin:16px 0 8px}main{counter-reset:part}h2::before{counter-increment:part;content:counter(part) "  ";color:var(--muted);font-weight:400}
.fold>details>summary{list-style-position:outside}.fold>details>summary h2{display:inline}.statement strong{color:var(--person);font-weight:600}
.boxes{list-style:none;padding:0;max-width:none}.boxes li{margin:0;padding:10px 0 6px}.boxes li+li{border-bottom:1px solid var(--rule)}
.signatures{display:grid;grid-template-columns:repeat(3,1fr);gap:8px 32px;padding-top:56px}.signatures p{margin:0;padding-top:8px;border-top:1px solid var(--ink);color:var(--muted);font-size:14px}.signatures b{display:block;color:var(--ink);font-weight:600}
.ev-figure .ev-paper{fill:none}figure+.numbers,.figures+.numbers,p+.numbers,.two+.numbers{margin-top:24px}
@media (min-width:760px),print{.numbers,.numbers tbody{display:block}.numbers tbody{columns:2;column-gap:40px}.numbers tr{display:grid;grid-template-columns:1fr 1fr;break-inside:avoid;border-top:1px solid var(--edge)}.numbers th,.numbers td{width:auto;border:0}.numbers tr:has(details[open]){column-span:all}}
footer{color:var(--muted);font-size:14px}
@media (max-width:560px){main{padding:20px 18px 40px}h1{font-size:27px}.statement{font-size:20px}th,td{display:block;width:auto;border:0;padding:1px 0}tr{display:block;border-top:1px solid var(--edge);padding:7px 0}tr:first-child{border-top:0}thead{display:none}.signatures{grid-template-columns:1fr}}
@media print{@page{size:A4;margin:16mm 18mm 15mm}body{background:#fff;font-size:9.5pt;line-height:1.35}main{max-width:none;padding:0;background:#fff}section{margin:0 0 11px}header{margin-bottom:12px}
h1{font-size:26px;margin:0 0 10px;padding-bottom:10px}h2{font-size:16px;margin:0 0 6px}.statement{font-size:18px;margin:0 0 10px}.muted,figcaption,.tally,.facts dd,footer{font-size:9pt}.facts{gap:6px 32px;margin:0 0 8px}p{margin:4px 0}.formal{margin:8px 0}.two{grid-template-columns:1fr 1fr;gap:8px 24px;margin:0 0 8px}li{margin:1px 0}
figure,pre,tr,.signatures,.boxes,.two{break-inside:avoid}h2,h3{break-after:avoid}h3{margin:10px 0 4px}.scroll .ev-picture{max-width:100%}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}.screen{display:none}.fold>details::details-content{content-visibility:visible;display:block;block-size:auto}.fold>details>summary,.more>summary{list-style:none}.more::details-content,td>details::details-content{content-visibility:visible;display:block;block-size:auto}td>details>summary{display:none}table{font-size:9pt}th,td{padding:2px 8px 2px 0}code{font-size:8.5pt}.numbers{font-size:8.5pt}p+.numbers,.two+.numbers,.figures+.numbers{margin-top:8px}.signatures{padding-top:32px}.boxes li{padding:5px 0 3px}.tally{margin:6px 0 0;gap:1px 12px}.tally dt{font-size:15px}.numbers tr{grid-template-columns:9fr 11fr}footer p{margin:0}.ev-figure{max-width:400px}.wide .ev-figure{max-width:560px}}
)";

}  // namespace eigenveil
