#pragma once

#include <string_view>

namespace eigenveil {

/// Style of the report page: one column on a phone, two on a desk, white on paper.
inline constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark;--paper:#fff;--page:#f4f6f8;--ink:#1c2128;--muted:#57606a;--edge:#d9dee4;--accent:#0072b2;--danger:#b3261e;--code:#f4f6f8}
@media screen and (prefers-color-scheme:dark){:root{--paper:#15191f;--page:#0d1014;--ink:#e9edf2;--muted:#a3adb8;--edge:#2d343d;--accent:#4db3f0;--danger:#c63d33;--code:#0d1014}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 "Helvetica Neue",Arial,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
main{max-width:1040px;margin:0 auto;padding:20px 16px 48px}
header p{margin:0;color:var(--muted)}
h1{font-size:1.75rem;line-height:1.2;margin:.2em 0 .3em}
h2{font-size:1.15rem;margin:0 0 .6em}
section{background:var(--paper);border:1px solid var(--edge);border-radius:10px;padding:20px;margin:16px 0}
.guarantee{border-left:6px solid var(--accent)}
.guarantee .statement{font-size:1.4rem;line-height:1.35;font-weight:600;margin:0 0 .5em}
.guarantee .power{font-size:1.1rem;margin:0 0 .5em}
.void{border-left-color:var(--danger)}
.banner{background:var(--danger);color:#fff;border-radius:10px;padding:18px 20px;margin:16px 0}
.banner strong{display:block;font-size:1.9rem;line-height:1.15;letter-spacing:.03em}
.muted,figcaption{color:var(--muted);font-size:.94rem}
p{margin:.4em 0}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:20px;align-items:start}
figure{margin:0;min-width:0}
.ev-figure{display:block;width:100%;max-width:500px;height:auto}
.wide{grid-column:1/-1}
.wide .ev-figure{max-width:760px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:7px 12px 7px 0;border-top:1px solid var(--edge)}
th{font-weight:400;color:var(--muted);width:40%}
thead th{color:var(--ink);font-weight:600;border-top:0}
tr:first-child>*{border-top:0}
code,pre{font:.86rem/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{white-space:pre-wrap;background:var(--code);border:1px solid var(--edge);border-radius:8px;padding:14px;margin:.6em 0 0}
ul,ol{margin:.3em 0;padding-left:1.3em}
li{margin:.25em 0}
summary{cursor:pointer}
footer{color:var(--muted);font-size:.9rem}
@media (max-width:560px){section{padding:16px 14px}.guarantee .statement{font-size:1.2rem}th,td{display:block;width:auto;border:0;padding:1px 0}tr{display:block;border-top:1px solid var(--edge);padding:7px 0}tr:first-child{border-top:0}thead{display:none}}
@media print{@page{margin:16mm}body{background:#fff;font-size:10.5pt}main{max-width:none;padding:0}section{border:0;border-top:1px solid #bbb;border-radius:0;padding:10px 0;margin:8px 0}.guarantee{border-left:4px solid #0072b2;border-top:0;padding-left:12px}figure,pre,tr{break-inside:avoid}h2{break-after:avoid}.figures{grid-template-columns:1fr 1fr}.banner{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)";

}  // namespace eigenveil
