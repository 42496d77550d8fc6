#include "report/pictures.hpp"

namespace eigenveil {

std::string_view picture_shapes() {
  return R"SVG(<svg class="ev-shapes" width="0" height="0" aria-hidden="true"><defs>
<pattern id="ev-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="ev-hatching" d="M0 0V5"/></pattern>
<pattern id="ev-dots" width="5" height="5" patternUnits="userSpaceOnUse"><circle class="ev-dot-shape" cx="1.4" cy="1.4" r="1.15"/><circle class="ev-dot-shape" cx="3.9" cy="3.9" r="1.15"/></pattern>
<symbol id="ev-person" viewBox="0 0 14 22"><circle cx="7" cy="4" r="3.4"/><path d="M1.6 21v-8.2a4.2 4.2 0 0 1 4.2-4.2h2.4a4.2 4.2 0 0 1 4.2 4.2V21a.8.8 0 0 1-.8.8H2.4a.8.8 0 0 1-.8-.8z"/></symbol>
</defs></svg>
)SVG";
}

std::string_view picture_style() {
  return R"CSS(
:root{--page:#fbfbf9;--paper:#fff;--ink:#1a2027;--muted:#56606b;--faint:#6e7882;--edge:#e2e5e8;--rule:#cfd4d9;--signal:#0069a8;--person:#c2410c;--noise:#6b7480;--noise-soft:#eceef0;--hidden:#cdd3d9;
--sans:-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Liberation Sans",sans-serif;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,Charter,"Liberation Serif",Georgia,serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{--page:#0f1317;--paper:#151a20;--ink:#e7ebf0;--muted:#a4aeb9;--faint:#8a95a1;--edge:#262d35;--rule:#3a434d;--signal:#5cb6ee;--person:#ff9a5f;--noise:#93a0ad;--noise-soft:#1f262d;--hidden:#3d4752}}
.ev-shapes{position:absolute}
.ev-picture{display:block;max-width:100%;height:auto;overflow:visible}
.ev-picture text{font-family:var(--sans);fill:var(--muted)}
.ev-picture .ev-t-ink{fill:var(--ink)}.ev-picture .ev-t-strong{fill:var(--ink);font-weight:600}.ev-picture .ev-t-faint{fill:var(--faint)}
.ev-picture .ev-t-halo{fill:var(--ink);paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}
.ev-hatching{stroke:var(--noise);stroke-width:1.7;stroke-opacity:.62}.ev-dot-shape{fill:var(--muted)}
.ev-signal{fill:var(--signal)}.ev-signal-mark{stroke:var(--signal);stroke-width:2.5;fill:none}.ev-signal-weak{stroke:var(--signal);stroke-width:2.5;stroke-opacity:.4;fill:none}
.ev-faint{fill:var(--signal);fill-opacity:.16;stroke:var(--signal);stroke-opacity:.45}
.ev-ground{fill:var(--noise-soft)}.ev-blank{fill:var(--page)}.ev-sheet{fill:var(--paper)}
.ev-hatch{fill:url(#ev-hatch)}.ev-beyond{fill:none;stroke:var(--ink);stroke-width:1.6}.ev-hatch-edge{fill:none;stroke:var(--noise);stroke-width:.8}.ev-dots{fill:url(#ev-dots)}.ev-outline{fill:none;stroke:var(--ink);stroke-width:1.4}
.ev-rule{stroke:var(--rule);fill:none}.ev-hair{stroke:var(--edge);fill:none}.ev-floor{stroke:var(--ink);stroke-width:1.6}
.ev-cloud{fill:none;stroke:var(--noise);stroke-opacity:.42;stroke-width:4.6;stroke-linecap:round}.ev-ring{fill:var(--page);stroke:var(--ink);stroke-width:1.7}
.ev-sampling{stroke:var(--muted);stroke-width:2.6;stroke-dasharray:0 4.2;stroke-linecap:round;fill:none}
.ev-man{fill:var(--hidden)}.ev-man-chance{fill:none;stroke:var(--muted);stroke-width:1.2}.ev-man-given{fill:var(--person)}
.ev-now{fill:var(--person)}.ev-before{fill:var(--faint);fill-opacity:.6}.ev-chosen{stroke:var(--ink);stroke-width:2}
.ev-hit{fill:transparent;cursor:pointer}.ev-grip{fill:var(--paper);stroke:var(--ink);stroke-width:2;cursor:ns-resize}.ev-grip-mark{stroke:var(--ink);stroke-width:1.6;fill:none;pointer-events:none}
@media print{.ev-picture{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)CSS";
}

}  // namespace eigenveil
