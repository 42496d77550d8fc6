"use strict";
// The explorer's page. Every number and picture comes from the engine; what is here asks, places and words them.
const $ = (id) => document.getElementById(id);
const exported = typeof EXPORTED === "undefined" ? null : EXPORTED;
const STEPS = ["Data", "Question", "Look", "Release", "Share"];
const TASKS = [
  ["pca", "directions", "The main directions in which people differ, and how much each question counts in them."],
  ["covariance", "covariance", "How every two columns go together. Regressions and directions can be computed from it later, at no further cost."],
  ["regress", "a regression", "Released as the covariance; any regression is then computed from it, with intervals that count the noise, as often as you like."],
  ["mask", "pseudo-data", "Rows that are nobody's, with about the same variances and correlations, for programs that want a table."],
  ["plot", "a plot of people", "Two releases: the directions, and the noisy map of people on them. What a person risks is shown for both together."],
];
const TASK_OF = { plot: "pca", regress: "covariance" };
const taskOf = () => TASK_OF[state.goal] || state.goal;
const state = {
  task: "pca", goal: "pca", method: "", epsilon: 1, delta: 1e-6, people: 20000, people_typed: false, columns: [], some_columns: false, range: [0, 10], range_typed: false,
  hoped: 6, spread: 0.3, shape: "few", map_budget: 0.5, response: "", predictors: [], anyway: false, budget_set: false, component: 0, release: 0, risk: "people", search: "", out: "out", data_set: "", date: "",
};
let session = null;
let source = { columns: [], ledger: null, input: "", dictionary: "" };
let rails = [];
let look = null;
let setBy = "budget";
let screen = 1;
let language = "command";

// ---- talking to the program ----
async function ask(path, body) {
  const answer = await fetch(path, {
    method: "POST", cache: "no-store", credentials: "omit", redirect: "error",
    headers: { "Content-Type": "application/json", ...(session ? { "X-Eigenveil-Session": session } : {}) },
    body: JSON.stringify(body),
  }).catch(() => { throw new Error("the program no longer answers: it was ended. Start eigenveil explore again; it opens a page of its own. What is charged stays in the ledger"); });
  if (!(answer.headers.get("Content-Type") || "").startsWith("application/json")) {
    throw new Error((await answer.text()).trim() || "the program did not answer");
  }
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error);
  return json;
}
function question(more) {
  const asked = { ...state, task: taskOf(), ...more };
  if (state.goal === "plot") asked.map_epsilon = state.map_budget;
  for (const key of ["goal", "map_budget", "budget_set", "people_typed", "range_typed", "response", "predictors"]) delete asked[key];
  if (state.goal === "regress") Object.assign(asked, { response: responseOf(), predictors: predictorsOf() });
  if (source.dictionary) delete asked.range;
  asked.mark = source.mark;  // what another tab says of the table is noticed
  asked.narrow = Math.floor($("v-risk").clientWidth) || 460;
  asked.wide = Math.min(720, Math.floor($(screen === 4 ? "spend-ledger" : "v-weights").clientWidth || $("v-ledger").clientWidth)) || 640;
  return asked;
}
function nearest(epsilon) {
  const keys = Object.keys(exported.looks);
  return keys.reduce((best, key) => Math.abs(Math.log(key / epsilon)) < Math.abs(Math.log(best / epsilon)) ? key : best);
}
function exportedLook(asked) {
  let epsilon = state.epsilon;
  if (asked.set) {
    const value = (one) => (asked.set === "edge" ? one.plan.predicted_edge : one.accuracy) || 1;
    const all = Object.values(exported.looks);
    epsilon = all.reduce((a, b) => Math.abs(Math.log(value(b) / asked.value)) < Math.abs(Math.log(value(a) / asked.value)) ? b : a).epsilon;
  }
  const found = { ...exported.looks[nearest(epsilon)] };
  if (found.by_component) Object.assign(found, found.by_component[state.component], { component: state.component });
  if (state.risk === "alarms") found.risk = found.alarms;
  if (found.maps) found.maps = { ...found.maps, before: exported.before };
  return found;
}
const askLook = async (asked) => exported ? exportedLook(asked) : ask("/api/look", asked);
const askRails = async () => exported ? exported.rails : ask("/api/rails", question());
const askMethods = async () => exported ? exported.methods[nearest(state.epsilon)] : ask("/api/methods", question());

function trouble(error) {
  $("trouble").hidden = !error;
  $("trouble").textContent = error ? sentence(error.message || String(error)) : "";
}
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
const escapeText = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const digits = (x) => String(+x.toPrecision(2));
const twoDigits = (x) => x < 99.5 ? x.toPrecision(2) : String(Math.round(x));
const plusMinus = (x) => "±" + twoDigits(x);
// Words of the engine as prose: what belongs together is not broken, and small numbers are written one way.
const prose = (text) => escapeText(String(text).replace(/(\d)e-0(\d)/g, "$1e-$2")).replace(/\([^()]*\)-DP|[^\s(),]*\de-\d+/g, (whole) => `<span class="whole-word">${whole}</span>`);
// A command is broken before an option and nowhere inside a short one.
const commandHtml = (text) => escapeText(text).replace(/(^|\s)(--?[a-z][^\s]*(?: [^\s-][^\s]*)?)/g, (whole, gap, option) => option.length > 48 ? whole : `${gap}<span class="whole-word">${option}</span>`);
const components = (from, to) => from === to ? `PC${from}` : to === from + 1 ? `PC${from} and PC${to}` : `PC${from} to PC${to}`;
const count = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const put = (id, html) => { $(id).innerHTML = html; };

// ---- screens ----
// Pictures may assume a range; a release cuts what lies outside of it.
const ranged = () => !source.input || Boolean(source.dictionary) || state.range_typed;
function show(next, again = false) {
  if (next > 1 && !$("screen-1").hidden && wrongField()) {
    $(wrongField()).focus();
    return;
  }
  if (next === 4 && !ranged()) {
    show(1);
    wrong("range", new Error("say what range an answer can have: a release cuts what lies outside, so nobody but you can say it"));
    $("low").focus();
    return;
  }
  trouble(null);
  screen = next;
  if (!exported && !again) history.pushState({ screen }, "", location.pathname);
  keep();
  for (let i = 1; i <= 5; ++i) $("screen-" + i).hidden = i !== next;
  $("code-bar").hidden = next !== 3;
  steps();
  scrollTo(0, 0);
  $("main").focus({ preventScroll: true });
  ({ 1: drawData, 2: drawQuestion, 3: enterLook, 4: drawRelease, 5: drawShare })[next]();
}
// The browser's own back button goes a screen back, and a page that is loaded again is where it was.
addEventListener("popstate", (event) => { const to = event.state?.screen || 1; if (reachable(to)) show(to, true); });
function keep() {
  if (!exported) sessionStorage.setItem("kept", JSON.stringify({ screen, state, of: [source.input, source.columns] }));
}
function keptScreen() {
  try {
    const kept = JSON.parse(sessionStorage.getItem("kept"));
    if (JSON.stringify(kept.of) !== JSON.stringify([source.input, source.columns])) return 0;
    Object.assign(state, kept.state, { anyway: false });
    return reachable(Math.min(kept.screen, 3)) ? Math.min(kept.screen, 3) : 0;
  } catch (_) { return 0; }
}
addEventListener("pagehide", keep);
const canRelease = () => !exported && Boolean(source.input && source.ledger);
// One gate for the button, the steps and screen 4: room in the ledger, and something that stands out of the noise or a curator
// who spends all the same. The program asks the same before it spends.
const gate = () => canRelease() && look !== null && (!look.ledger || look.ledger.fits) && (!look.drowned || look.anyway);
function drawGate() {
  const open = gate(), drowned = canRelease() && look !== null ? look.drowned : "";
  $("go").hidden = !canRelease();
  for (const id of ["go", "press", "press-again"]) $(id).setAttribute("aria-disabled", String(!open));
  $("drowned-row").hidden = $("drowned-say").hidden = !drowned;
  $("anyway").checked = state.anyway = Boolean(drowned) && state.anyway;
  $("anyway").parentElement.hidden = !look?.can_insist;
  const why = drowned ? `<strong>Noise would drown this release:</strong> ${escapeText(sentence(drowned))}` : "";
  put("drowned-why", why);
  put("drowned-say", look?.anyway ? `${why} You chose to spend all the same, and <code>--anyway</code> in the command says so.` : why);
  steps();
}
$("anyway").addEventListener("change", (event) => { state.anyway = event.target.checked; redraw(); });
function reachable(step) {
  if (exported) return step === 3;
  if (step <= 3) return step === 1 || named();
  return step === 4 ? gate() || underWay : released !== null;
}
let stepsShown = "";
function steps() {
  const before = stepsShown;
  stepsShown = JSON.stringify([screen, [1, 2, 3, 4, 5].map(reachable)]);
  if (stepsShown !== before) put("steps", STEPS.map((name, i) => `<li${i + 1 === screen ? ' aria-current="step"' : ""}><button data-to="${i + 1}"${reachable(i + 1) ? "" : " disabled"}><b>${i + 1}</b>${name}</button></li>`).join(""));
}
document.addEventListener("click", (event) => {
  const to = event.target.closest("[data-to]");
  if (to && to.getAttribute("aria-disabled") !== "true" && !to.disabled) show(+to.dataset.to);
});

// ---- 1 data ----
// Until the curator has said what the first line holds, nothing of it is known here.
const named = () => !source.input || Boolean(source.header);
function takeSource(found) {
  source = found;
  state.columns = source.columns.length ? [...source.columns] : numbered(12);
  if (source.ledger) state.relation = source.ledger.relation;
}
$("header-row").addEventListener("change", () => { wrong("header", null); $("header-width-row").hidden = $("header-row").querySelector(":checked")?.value !== "absent"; });
$("say-header").addEventListener("click", async () => {
  const said = $("header-row").querySelector("input[type=radio]:checked")?.value;
  try {
    if (!said) throw new Error("choose one of the three");
    takeSource(await ask("/api/header", { header: said, width: Math.round(+$("header-width").value) || 0 }));
    wrong("header", null);
    steps();
    drawData();
    $("people").focus();
  } catch (error) { wrong("header", error); }
});
// What is wrong with a field is said beside it.
function wrong(field, error) {
  $(field + "-wrong").hidden = !error;
  $(field + "-wrong").textContent = error ? sentence(error.message) : "";
}
// What names suggest, by the program: identifiers, and several rows of one person.
const identifier = (name) => (source.identifiers || []).includes(name);
const repeated = (name) => (source.repeated || []).includes(name);
function drawData() {
  put("source-say", source.input
    ? `<strong>${escapeText(source.input)}</strong>: ${!named() ? "nothing of it has been read." : source.header === "absent" ? "nothing of it has been read; its columns are called c1, c2, …" : "only its first line was read, for the names of the columns."} ${source.ledger ? `Releases are charged to the ledger <strong>${escapeText(source.ledger.name || "of this table")}</strong>, which promises, for all releases together, ${escapeText(source.ledger.promise)}.` : "Without a ledger this page releases nothing; it gives you the command."}`
    : "No table was given, so everything here is assumed and nothing can be released.");
  $("header-row").hidden = named();
  $("known").hidden = !named();
  if (!named()) return;
  $("people").value = state.people_typed || !source.input ? state.people : "";
  $("people").placeholder = `say ${state.people}`;
  $("width-row").hidden = source.columns.length > 0;
  $("width").value = state.columns.length;
  $("range-row").hidden = Boolean(source.dictionary) || typing;
  drawRanges();
  $("low").value = ranged() ? state.range[0] : "";
  $("high").value = ranged() ? state.range[1] : "";
  $("low").placeholder = `say ${state.range[0]}`;
  $("high").placeholder = `say ${state.range[1]}`;
  $("dictionary-say").textContent = source.dictionary ? `Ranges come from the dictionary ${source.dictionary}.` : "";
  $("spread").value = state.spread;
  $("shape").value = state.shape;
  $("columns-row").hidden = source.columns.length === 0;
  if (source.columns.length && !$("columns").firstChild) {
    put("columns", source.columns.map((name, i) => `<label${identifier(name) ? ' class="suspect"' : ""}><input type="checkbox" data-column="${i}"${state.columns.includes(name) ? " checked" : ""}><span>${escapeText(name)}${identifier(name) ? " <em>an identifier? leave it out</em>" : repeated(name) ? " <em>several rows per person?</em>" : ""}</span></label>`).join(""));
  }
  $("find-column-row").hidden = source.columns.length <= 24;
  sayColumns();
}
// Ranges of single columns: typed here, kept as a file that --bounds reads, so that the command on screen 3 is whole.
let typing = false;
function drawRanges() {
  const possible = source.columns.length > 0 && !exported;
  $("ranges-row").hidden = !possible;
  $("type-ranges").hidden = typing;
  $("type-ranges").textContent = source.dictionary ? "Change the ranges" : "The columns have different ranges";
  $("ranges").hidden = !typing;
  if (!typing || $("ranges-list").firstChild) return;
  put("ranges-list", source.columns.map((name, i) => {
    const [low, high] = (source.ranges || {})[name] || (state.range_typed ? state.range : ["", ""]);
    return `<label for="low-${i}">${escapeText(name)}</label><input id="low-${i}" data-low="${i}" type="number" step="any" value="${low}" aria-label="lowest of ${escapeText(name)}"><input data-high="${i}" type="number" step="any" value="${high}" aria-label="highest of ${escapeText(name)}">`;
  }).join(""));
}
$("type-ranges").addEventListener("click", () => { typing = true; drawData(); });
$("keep-ranges").addEventListener("click", async () => {
  const ends = (side) => [...document.querySelectorAll(`[data-${side}]`)].map((input) => input.value === "" ? null : +input.value);
  const low = ends("low"), high = ends("high");
  try {
    await ask("/api/ranges", { file: $("ranges-file").value, ranges: Object.fromEntries(source.columns.map((name, i) => [name, [low[i], high[i]]])) });
    source = await ask("/api/source", {});
    typing = false;
    put("ranges-list", "");
    trouble(null);
    drawData();
    $("live").textContent = $("dictionary-say").textContent;
  } catch (error) { trouble(error); scrollTo(0, 0); }
});
function sayColumns() {
  $("screen-1").querySelector('[data-to="2"]').disabled = state.columns.length === 0;
  $("columns-say").textContent = `${state.columns.length} of ${source.columns.length} columns take part. A column that is left out costs nothing; every further one costs noise in all.${source.columns.length > 24 ? " The list scrolls; a part of a name finds a column." : ""}`;
  const quoted = (names) => `“${names.slice(0, 6).join("”, “")}”${names.length > 6 ? ` and ${names.length - 6} more` : ""}`;
  const suspects = state.columns.filter(identifier), again = source.columns.filter(repeated), lines = [];
  if (suspects.length) lines.push(`${quoted(suspects)} ${suspects.length === 1 ? "is named like an identifier, which has" : "are named like identifiers, which have"} no place in a covariance. <button class="btn" id="leave-out">Leave ${suspects.length === 1 ? "it" : "them"} out</button>`);
  if (again.length) lines.push(`${quoted(again)}: can one person have several rows? Then the promise below is weaker than it reads; see the note under the columns.`);
  put("name-warnings", lines.map((line) => `<li>${line.split("<button").map((part, i) => i ? `<button${part}` : escapeText(part)).join("")}</li>`).join(""));
}
$("name-warnings").addEventListener("click", (event) => {
  if (event.target.id !== "leave-out") return;
  for (const box of document.querySelectorAll("[data-column]")) box.checked = box.checked && !identifier(source.columns[+box.dataset.column]);
  takeColumns();
  sayColumns();
  $("columns").querySelector("input")?.focus();
});
$("find-column").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  document.querySelectorAll("#columns label").forEach((label) => { label.hidden = !label.textContent.toLowerCase().includes(wanted); });
});
function numbered(width) {
  return Array.from({ length: width }, (_, i) => `question_${i + 1}`);
}
$("screen-1").addEventListener("change", (event) => {
  const value = event.target.value;
  switch (event.target.id) {
    case "people":
      wrong("people", value === "" || (+value >= 2 && Number.isInteger(+value)) ? null : new Error("a whole number of people, 2 or more"));
      state.people_typed = +value >= 2;
      state.people = state.people_typed ? Math.round(+value) : 20000;
      break;
    case "width": state.columns = numbered(Math.min(4096, Math.max(2, Math.round(+value) || 2))); break;
    case "low": case "high":
      if ($("low").value !== "" && $("high").value !== "" || !$("range-wrong").hidden) sayRange();
      else state.range_typed = false;
      break;
    case "spread": state.spread = +value; break;
    case "shape": state.shape = value; break;
    default:
      if (event.target.dataset.column !== undefined) takeColumns();
  }
  state.component = 0;
  sayColumns();
});
// What is wrong on the first screen is put right before the next one, wherever the way there begins.
function wrongField() {
  if (!named()) return null;
  sayRange();
  if (!$("range-row").hidden && !$("range-wrong").hidden && ($("low").value !== "" || $("high").value !== "")) return "low";
  return $("people-wrong").hidden ? null : "people";
}
function sayRange() {
  const low = $("low").value, high = $("high").value, good = low !== "" && high !== "" && +low < +high;
  wrong("range", good || low === "" && high === "" ? null : new Error(low === "" || high === "" ? "both ends are needed" : "the low end must lie below the high end"));
  state.range_typed = good;
  if (good) state.range = [+low, +high];
}

function takeColumns() {
  state.columns = [...document.querySelectorAll("[data-column]")].filter((box) => box.checked).map((box) => source.columns[+box.dataset.column]);
  state.some_columns = state.columns.length !== source.columns.length;
}
$("screen-1").addEventListener("click", (event) => {
  const all = event.target.dataset.all;
  if (all === undefined) return;
  for (const box of document.querySelectorAll("[data-column]")) box.checked = Boolean(all);
  takeColumns();
  sayColumns();
});

// ---- 2 question ----
function drawQuestion() {
  put("tasks", TASKS.map(([id, name, words]) => `<label><input type="radio" name="goal" value="${id}"${state.goal === id ? " checked" : ""}><span><b>${name}</b><span>${words}</span></span></label>`).join(""));
  $("regress-row").hidden = state.goal !== "regress";
  put("response", state.columns.map((name) => `<option${name === state.response ? " selected" : ""}>${escapeText(name)}</option>`).join(""));
  drawPredictors();
  // The ledger keeps a promise about taking part, and pseudo-data cannot hide that: as many rows come out as went in.
  const agreed = source.ledger?.relation;
  wrong("relation", state.goal === "mask" && agreed === "add-remove" ? new Error(OTHER_PROMISE) : null);
  $("hoped").value = state.hoped;
  $("hoped-row").hidden = ["mask", "regress"].includes(state.goal);
  $("hoped-hint").textContent = taskOf() === "pca" ? "the release holds those that rise above the noise" : "computed from the release later, for the pictures; the release is the same";
  $("relation").querySelector('[value="add-remove"]').disabled = state.goal === "mask";
  $("relation").value = state.relation || (state.goal === "mask" ? "zero-row" : "add-remove");
  $("delta").querySelector('[value="0"]').disabled = state.goal === "regress";
  if (state.goal === "regress" && !state.delta) state.delta = 1e-6;  // intervals are known for Gaussian noise alone
  $("delta").value = [...$("delta").options].find((option) => +option.value === state.delta)?.value || "1e-6";
}
// A regression has a response and predictors, all columns but it until some are left out.
const responseOf = () => state.columns.includes(state.response) ? state.response : state.columns[0];
function predictorsOf() {
  const others = state.columns.filter((name) => name !== responseOf());
  const chosen = others.filter((name) => state.predictors.includes(name));
  return chosen.length ? chosen : others.slice(0, 3);  // all of them would lean on the weakest direction of the table
}
function drawPredictors() {
  const others = state.columns.filter((name) => name !== responseOf()), chosen = predictorsOf();
  const key = JSON.stringify(others), list = $("predictors");
  if (list.dataset.of !== key) put("predictors", others.map((name, i) => `<label><input type="checkbox" data-predictor="${i}">${escapeText(name)}</label>`).join(""));
  list.dataset.of = key;
  list.querySelectorAll("input").forEach((box, i) => { box.checked = chosen.includes(others[i]); });
  $("predictors-say").textContent = `${chosen.length} of ${others.length} columns, and an intercept; the release is the same for any choice`;
}
$("screen-2").addEventListener("change", (event) => {
  const value = event.target.value;
  if (event.target.dataset.predictor !== undefined) {
    const others = state.columns.filter((name) => name !== responseOf());
    state.predictors = [...$("predictors").querySelectorAll("input")].flatMap((box, i) => box.checked ? [others[i]] : []);
  }
  if (event.target.name === "goal") {
    state.goal = value;
    state.method = "";
    // Pseudo-data has as many rows as the table, so whether a person took part cannot be what it hides.
    const agreed = source.ledger?.relation;
    if (agreed && !(value === "mask" && agreed === "add-remove")) state.relation = agreed; else delete state.relation;
  }
  if (event.target.id === "hoped") state.hoped = Math.min(12, Math.max(1, Math.round(+value) || 1));
  if (event.target.id === "relation") state.relation = value;
  if (event.target.id === "delta") { state.delta = +value; state.method = ""; }
  drawQuestion();
});

// ---- 3 look ----
const LOW = Math.log(0.05), HIGH = Math.log(10);
const toShare = (epsilon) => (Math.log(Math.min(10, Math.max(0.05, epsilon))) - LOW) / (HIGH - LOW);
async function enterLook() {
  rails = [];
  methodsShown = "";
  if (look === null || look.goal !== state.goal) clearLook();
  await redraw();
  await loadRails();
}
// Where a picture cannot be in the same frame it says so, instead of showing the one before.
function clearLook(words = "Asking the program what this release would show…") {
  put("head", words);
  for (const id of ["scree", "weights", "risk", "tally", "map-before", "map-after", "errors", "ledger", "methods", "facts", "advice", "note"]) put(id, "");
  for (const id of ["scree-say", "weights-say", "risk-say", "map-say", "errors-say", "ledger-say", "k-say", "code"]) $(id).textContent = "";
}
// The rails follow the look: marks appear on a dial that already works.
let railsAsked = 0;
async function loadRails() {
  const mine = ++railsAsked;
  try {
    const found = (await askRails()).points;
    if (mine !== railsAsked) return;
    rails = found;
    if (look) drawDial();
  } catch (error) { trouble(error); }
}
let wanted = null, busy = false, methodsTimer, liveTimer, methodsBusy = false, methodsShown = "";
// One question at a time; the last move wins, so that a slow machine skips steps instead of queueing them.
async function redraw(more = {}) {
  const { epsilon, set, value, ...rest } = wanted || {};
  wanted = more.set || more.epsilon ? { ...rest, ...more } : { ...wanted, ...more };  // of two budgets the later
  if (busy) return;
  busy = true;
  while (wanted !== null) {
    const asked = question(wanted);
    wanted = null;
    try {
      const began = performance.now();
      look = await askLook(asked);
      // What was moved while this was asked stands, and is asked next.
      if (!wanted?.epsilon && !wanted?.set) state.epsilon = look.epsilon;
      if (wanted === null) state.component = look.component || 0;
      drawLook();
      document.documentElement.dataset.lookMs = (performance.now() - began).toFixed(1);
      trouble(null);
    } catch (error) { look = null; clearLook("This setting cannot be released"); $("code-bar").hidden = true; drawGate(); trouble(error); }
  }
  busy = false;
  if (!look) return;
  $("code-bar").hidden = screen !== 3;
  clearTimeout(methodsTimer);
  methodsTimer = setTimeout(compareMethods, 300);
}
// What a comparison depends on. Until it is there the list is faint: it is of the setting before.
const methodsKey = () => JSON.stringify([look.task, state.goal, state.response, state.predictors, look.epsilon, state.method, state.people, state.columns, state.range, source.dictionary, state.relation, state.delta, state.spread, state.shape, state.hoped]);
// One comparison at a time, and none for a move that changes no plan.
async function compareMethods() {
  if (methodsBusy || !look || screen !== 3) return;
  const key = methodsKey();
  if (key === methodsShown) return;
  methodsBusy = true;
  try {
    await drawMethods();
    methodsShown = key;
    $("views").classList.toggle("comparing", methodsKey() !== key);
  } catch (error) { trouble(error); } finally { methodsBusy = false; }
  if (wanted !== null || busy) return;
  methodsTimer = setTimeout(compareMethods, 300);
}
// What the accuracy is of, in words.
const OF = { correlation: "correlation of two columns", variance: "column’s variance", slope: "slope of the regression" };
const subjectOf = (count) => OF[look.accuracy_of] || `weight in ${components(1, count)}`;
const subject = () => subjectOf(look.readable_components);
const reach = (value) => look.accuracy_of === "variance" ? "±" + (100 * value).toPrecision(2) + "%" : plusMinus(value);
const pca = () => look.task === "pca";
const moment = () => look.scree !== undefined;
const slopes = () => state.goal === "regress" && look.slopes !== undefined;
const whom = () => (state.relation || "add-remove") === "add-remove" && state.goal !== "mask" ? "a person who took part is recognised" : "what a person answered is recognised";
const conditional = () => look.condition ? `, <em>if what the method supposes is true (${escapeText(look.condition)})</em>` : "";
function drawLook() {
  const risk = look.risk, survivors = look.above_noise, hoped = look.hoped;
  look.goal = state.goal;
  for (const id of ["v-scree", "v-weights", "v-map"]) $(id).hidden = !moment();
  if (slopes()) $("v-scree").hidden = true;  // a slope leans on the weakest direction, which is not among the first
  $("v-map").hidden = !look.maps || slopes();
  $("v-errors").hidden = !look.errors;
  placeViews();
  const first = pca() && look.plan.predicted_edge !== undefined
    ? `<strong class="s">${survivors} of ${hoped} components</strong> would survive the noise, and`
    : look.accuracy !== undefined && !pca() ? (look.chance ? `the noise leaves <strong class="s">nothing</strong> of a ${subject()}, and` : `a ${subject()} would be read off within <strong class="s">${reach(look.accuracy)}</strong>, and`)
    : `one release would be made by method <strong class="s">${escapeText(look.method)}</strong>, and`;
  put("head", `At this setting ${first} ${state.goal === "plot" ? "from both releases together " : ""}${whom()} at most <strong class="p">${risk.recognised} times in 100</strong>${conditional()}. Blind guessing manages 5.`);
  const assumed = exported ? [] : [state.people_typed ? "" : "people", ranged() ? "" : "range"].filter(Boolean);
  $("setting-say").textContent = `${count(state.people)} people, ${state.columns.length} columns${source.dictionary ? "" : ` from ${state.range[0]} to ${state.range[1]}`}${assumed.length ? ` (${assumed.join(" and ")} assumed by us; screen 1 asks)` : ""}.${look.caution ? ` ${sentence(look.caution)}` : ""}`;
  drawDial();
  if (moment()) drawDirections();
  drawErrors();
  $("views").classList.toggle("comparing", methodsKey() !== methodsShown);
  drawRisk();
  drawLedger();
  put("facts", look.lines.map((line) => `<dt>${escapeText(line.label)}</dt><dd>${prose(line.text)}</dd>`).join("") + look.warnings.map((line) => `<dt>warning</dt><dd>${prose(line)}</dd>`).join(""));
  drawCode();
  clearTimeout(liveTimer);
  liveTimer = setTimeout(() => { $("live").textContent = $("head").textContent; }, 600);
}
// Views stand in pairs; the last of an odd number has the row to itself.
function placeViews() {
  const alone = slopes();  // without the spreads beside it
  $("v-weights").className = alone ? "whole" : "b";
  const shown = ["v-scree", "v-weights", "v-risk", "v-map", "v-errors", "v-ledger"].map($).filter((view) => !view.hidden && !(alone && view.id === "v-weights"));
  shown.forEach((view, i) => { view.className = i === shown.length - 1 && i % 2 === 0 ? "whole" : i % 2 ? "b" : "a"; });
}
function drawDirections() {
  const survivors = look.above_noise, hoped = look.hoped, component = look.component;
  if (!drag) put("scree", look.scree); else $("scree").querySelector("svg").outerHTML = look.scree;
  const grip = document.querySelector(".ev-grip");
  if (grip) {
    const spread = Math.sqrt(look.plan.predicted_edge);
    for (const [name, value] of Object.entries({ tabindex: "0", role: "slider", id: "grip", "aria-orientation": "vertical", "aria-valuenow": spread.toPrecision(3), "aria-label": "What a component must exceed: down for sharper results, up for more protection", "aria-valuetext": `${survivors} of ${hoped} components survive` })) grip.setAttribute(name, value);
    if (gripFocus) grip.focus();
  }
  const limited = look.plan.predicted_edge !== undefined;
  const faint = survivors === hoped ? "All can be told from noise."
    : survivors === 0 ? "None can be told from noise."
    : `${components(survivors + 1, hoped)} ${survivors === hoped - 1 ? "is" : "are"} drawn faint: ${survivors === hoped - 1 ? "it" : "they"} could be noise.`;
  $("h-scree").textContent = pca() ? "What rises above the noise" : "Directions in it that rise above the noise";
  $("h-weights").textContent = pca() ? "What you would read off" : "What you would read off such directions";
  put("scree-say", !limited ? `${escapeText(look.method)} states no limit of noise, so no line is drawn: it releases directions, and noise shows in where they point.` : `<strong>${survivors} of ${hoped} components would survive.</strong> ${readWords(survivors)} ${faint} Drag the line, or pick a bar.`);
  const marks = "The small marks beside a bar are where releases put it (hatched) and its sampling error (dotted).";
  $("k-say").textContent = !limited ? `The release would hold ${look.components}.` : !pca() ? `The release is the whole covariance; directions are computed from it without further cost. ${marks}` : survivors ? `The release would hold ${look.components}; ${survivors === 1 ? "it" : "each of them"} must exceed the line, which is what noise makes of directions like those left out. ${marks}` : "Nothing worth releasing at this setting.";
  $("components-row").hidden = slopes();
  if (slopes()) { drawSlopes(); return; }
  put("components", Array.from({ length: hoped }, (_, i) => `<label><input type="radio" name="component" value="${i}"${i === component ? " checked" : ""}>PC${i + 1}</label>`).join(""));
  if (componentFocus) $("components").querySelector(":checked")?.focus();
  put("weights", look.weights);
  const live = component < survivors, reach = look.weight_reach;
  put("weights-say", look.releases === 0 ? `Blue marks are the assumed weights in <strong>PC${component + 1}</strong>. ${look.null_releases ? "Every simulated release answered “nothing to report”, a legal answer that is paid for." : "This method is not simulated at this size; its predicted error stands below."}`
    : live ? `Weights of the columns in <strong>PC${component + 1}</strong>. Blue marks are the assumed truth; a release puts each weight within about <strong>${reach === undefined ? "an unknown distance" : plusMinus(reach)}</strong> of it.${look.null_releases ? ` ${look.null_releases} of ${look.null_releases + look.releases} simulated releases answered “nothing to report”, a legal answer that is paid for.` : ""}`
    : `<strong>PC${component + 1} could be noise,</strong>${pca() ? " so the release would not hold it. Do" : " though it can be computed: do"} not interpret these weights.`);
  drawSearch(state.columns.length);
  $("another").hidden = Boolean(exported);
  if (look.maps) {
    put("map-before", look.maps.before);
    const one = pca() && survivors < 2;
    put("map-after", one ? "<p class='small'>No map: at this setting PC2 would not be released, so the second axis would be noise.</p>" : look.maps.after || "<p class='small'>No simulated release.</p>");
    $("map-title").textContent = look.releases ? `On release ${look.release + 1} of ${look.releases}, simulated` : "On a possible release";
    const moved = Math.round(100 * (1 - (look.maps.agree ?? 1)));
    put("map-say", `Assumed people, counted per square, on the assumed directions and on those of a simulated release${state.goal === "plot" ? ", with the noise of the counts; squares below it are hatched" : ""}. <strong>${look.maps.agree === undefined || one ? "" : moved <= 10 ? `The picture stays: ${moved} of 100 people change their square.` : `The release turns the picture: ${moved} of 100 people change their square.`}</strong>${state.goal === "plot" ? "" : " The map of your people would be a release of its own."}`);
    $("map-budget-row").hidden = state.goal !== "plot" || Boolean(exported);
    $("map-budget").value = state.map_budget;
  }
}
// A variance that stands out is one thing, weights that can be read another.
function readWords(survivors) {
  const read = look.read_components;
  return read === undefined || survivors === 0 ? ""
    : read >= survivors ? (survivors === 1 ? "Its weights can be read." : "Their weights can be read.")
    : read === 0 ? (survivors === 1 ? "Its weights can be read only roughly." : "Their weights can be read only roughly.")
    : `The weights of ${components(1, read)} can be read, those of ${components(read + 1, survivors)} only roughly.`;
}
function drawSearch(rows) {
  $("search-row").hidden = rows <= 12 || Boolean(exported);
  $("search-say").textContent = rows > 12 && !state.search ? `the 12 largest of ${rows} are shown` : "";
}
function drawSlopes() {
  $("h-weights").textContent = "What you would read off: the slopes";
  put("weights", look.slopes);
  put("weights-say", look.chance ? `<strong>No slope could be told from noise:</strong> in some direction of the predictors the release leaves no signal, and the regression would be refused. Explain by fewer columns, or give up some protection.`
    : `What each column adds to <strong>${escapeText(responseOf())}</strong>${source.dictionary ? ", both in halves of their ranges" : ""}. Blue marks are the assumed slopes; the hatch is what privacy noise makes of them, the dots what asking a sample does, each 95 times in 100.`);
  drawSearch(predictorsOf().length);
}
function drawErrors() {
  if (!look.errors) return;
  const { privacy, sampling, chance, components: held } = look.errors, ratio = privacy / sampling;
  put("errors", look.errors.picture);
  put("errors-say", `For one ${subjectOf(held)}, 95 times in 100${pca() ? "" : ", at the spread you assumed"}. ` + (pca() && state.columns.length === 1 ? "One column has one direction: nothing moves it."
    : chance ? `<strong>Privacy noise leaves nothing</strong> of ${pca() ? "the directions" : "it"}.`
    : ratio > 1.5 ? `Privacy noise is <strong>${ratio >= 9.5 ? Math.round(ratio) : ratio.toFixed(1)} times</strong> the error you have anyway for asking ${count(state.people)} people and not everyone.`
    : ratio > 0.67 ? "Both are <strong>about equal</strong>. More budget would buy little." : "Sampling error <strong>is the larger one</strong>. More budget buys nearly nothing and costs people protection."));
}
function drawRisk() {
  const risk = look.risk, people = state.risk === "people";
  put("risk", risk.picture);
  put("risk-say", people ? `Suppose an attacker knows everything but ${whom().startsWith("a person") ? "whether you took part" : "which of two answers is yours"}, and accepts 5 false alarms in 100. They recognise at most <strong>${risk.recognised} of 100</strong> people${whom().startsWith("a person") ? " who did" : ""}.` : `If half the people they try took part, at most <strong>${risk.right_alarms} of 100</strong> alarms are right. A coin would get 50.`);
  const rest = 100 - risk.given - risk.chance;
  const rows = people ? [["f", risk.given, "recognised because of this release"], ["", 5, "pointed at by chance: a blind guess does that"], ["", rest, "stay hidden"]]
    : [["f", risk.given, "alarms right because of this release"], ["", 50, "right by chance"], ["", rest, "wrong: the person was not in the data"]];
  put("tally", rows.map((row) => `<dt class="${row[0]}">${row[1]}</dt><dd>${row[2]}</dd>`).join(""));
}
function drawLedger() {
  const ledger = look.ledger;
  put("ledger", ledger ? accountsHtml(ledger) : "");
  put("ledger-say", !ledger ? `No ledger keeps the budget of this table: a total that a committee agrees on once, charged before a row is read. Without one this page gives you commands and releases nothing itself. ${exported ? "" : `To have one, end the program and run, with the total that was agreed:<pre class="block">${commandHtml(look.with_ledger)}</pre>`}` : ledger.fits ? `Agreed in all: ${prose(ledger.promise)}. ${dividedWords(ledger)}What is spent cannot be taken back, even if a release is never looked at.` : `${ledger.other_promise ? "" : "<strong>The ledger would refuse it.</strong> "}${refusalHtml(ledger)}`);
  drawGate();
}
// The promise is kept in parts, because noise of one kind adds up otherwise than that of another.
const dividedWords = (ledger) => ledger.divided ? "Part of it is set aside for releases with Gaussian noise, part for all others. " : "";
const accountsHtml = (ledger) => ledger.other_promise ? "" : ledger.accounts.map((one) => `${ledger.divided ? `<h3>Set aside for ${one.account}</h3>` : ""}${one.picture}`).join("");
const OTHER_PROMISE = "this ledger promises to hide whether a person took part at all, and pseudo-data shows how many did: the ledger would refuse it. Publish a covariance instead, or have a ledger of its own agreed for pseudo-data, which promises to hide what a person answered";
function refusalHtml(ledger) {
  if (ledger.other_promise && state.goal === "mask" && ledger.relation === "add-remove") return escapeText(sentence(OTHER_PROMISE));
  return prose(ledger.limit ? `What is left ${ledger.divided ? "for releases of this kind " : ""}allows ε up to ${ledger.limit}. ${dividedWords(ledger)}` : sentence(ledger.refusal));
}
const accuracyPoints = () => rails.filter((point) => point.accuracy !== undefined && !point.chance);
function drawDial() {
  const share = toShare(look.epsilon);
  $("budget").value = $("accuracy").value = Math.round(1000 * share);
  const hasAccuracy = look.accuracy !== undefined;
  $("accuracy-label").hidden = $("rail-2").hidden = !hasAccuracy;
  $("budget-out").textContent = `ε = ${digits(look.epsilon)}`;
  $("budget").setAttribute("aria-valuetext", `epsilon ${digits(look.epsilon)}`);
  if (hasAccuracy) {
    const shown = look.chance ? "chance" : reach(look.accuracy);
    $("accuracy-out").textContent = shown;
    $("accuracy-words").textContent = { correlation: "Accuracy of a correlation", variance: "Accuracy of variances", slope: "Accuracy of slopes" }[look.accuracy_of] || (look.accuracy_components > 1 ? `Accuracy, PC1–${look.accuracy_components}` : "Accuracy, PC1");
    $("accuracy").setAttribute("aria-valuetext", look.chance ? "no better than chance" : `${subjectOf(look.accuracy_components)} within plus or minus ${reach(look.accuracy).slice(1)}`);
  }
  const beyond = Boolean(look.ledger) && !look.ledger.fits;
  const limit = look.ledger?.limit ?? null;
  const held = look.readable_components, shortOf = pca() && held < look.accuracy_components;
  const read = look.readable_accuracy === undefined || pca() && state.columns.length === 1 ? "" : look.readable_chance ? `A ${subject()} would then be no better than chance.` : `A ${subject()} is then within ${reach(look.readable_accuracy)}, 95 times in 100.`;
  const within = !shortOf ? read : look.above_noise === 0 ? "No component could be told from noise." : `${components(held + 1, look.accuracy_components)} would not be released. ${read}`;
  put("note", beyond ? `<strong>${look.ledger.other_promise ? "The ledger would refuse it." : "Beyond the ledger’s limit."}</strong> ${look.ledger.limit ? `What is left${look.ledger.divided ? " for releases of this kind" : ""} allows ε up to ${look.ledger.limit}.` : look.ledger.other_promise ? "This ledger keeps another kind of promise; the dial only shows what the release would be." : "Nothing is left for this method."}`
    : hasAccuracy && look.accuracy < look.sampling_accuracy ? "Sampling error is now the larger one: more budget buys little."
    : `${{ budget: !state.budget_set ? "We start at ε = 1, which nobody has chosen yet." : hasAccuracy ? "You set the budget; the accuracy follows." : "You set the budget.", accuracy: "You set the accuracy; the budget follows.", edge: "You set the line; budget and accuracy follow." }[setBy]} <span${shortOf ? "" : ' class="wide"'}>${within}</span>`);
  drawRail("rail-1", share, limit);
  drawRail("rail-2", share, null);
}
function drawRail(id, share, limit) {
  const box = $(id), width = box.clientWidth, svg = box.firstElementChild;
  if (!width) return;
  const x = (t) => 11 + t * (width - 22), here = x(share), budget = id === "rail-1";
  let out = `<path class="track" d="M11 13H${width - 11}"/><path class="${budget ? "spent" : "sharp"}" d="M11 13H${here.toFixed(1)}"/>`;
  const taken = [here];
  if (budget && limit !== null) {
    const at = x(toShare(limit));
    out += `<path class="cover" d="M${at} 13H${width - 11}"/><path class="beyond" d="M${at} 13H${width - 11}"/>${here > at ? `<path class="spent over" d="M${at} 13H${here}"/>` : ""}<path class="mark" d="M${at} 5v16"/><text class="wide" x="${Math.max(190, Math.min(at, width - 180))}" y="-5" text-anchor="middle">ledger’s limit</text>`;
  }
  if (budget && !$("rail-2").hidden) out += `<path class="mark wide" d="M${here.toFixed(1)} 13v40"/>`;
  if (budget) {
    for (const epsilon of [0.1, 0.3, 1, 3, 10]) if (Math.abs(x(toShare(epsilon)) - here) > 26) out += `<text class="tick" x="${x(toShare(epsilon)).toFixed(1)}" y="35" text-anchor="${epsilon === 10 ? "end" : "middle"}">${epsilon === 1 ? "ε = 1" : epsilon}</text>`;
  } else {
    const crossing = accuracyPoints().find((point) => point.accuracy <= point.sampling);
    if (crossing) {
      const at = x(toShare(crossing.epsilon));
      out += `<path class="ev-sampling" d="M${at} 3v21"/><text class="wide" x="${Math.min(at, width - 50)}" y="36" text-anchor="middle">sampling error</text>`;
      taken.push(at, at - 44, at + 44);
    }
    for (const round of roundAccuracies([1, 2, 5])) {
      const at = x(round.share);
      if (at > 20 && at < width - 20 && taken.every((other) => Math.abs(other - at) > 30)) { out += `<text class="tick" x="${at.toFixed(1)}" y="35" text-anchor="middle">${reach(round.value)}</text>`; taken.push(at); }
    }
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${box.clientHeight}`);
  svg.innerHTML = out;
}
// Places of round accuracies on the rail, between the budgets that were planned.
function roundAccuracies(leading) {
  const points = accuracyPoints(), found = [];
  for (let power = -5; power < 1; ++power) {
    for (const lead of leading) {
      const value = +(lead * 10 ** power).toPrecision(2);
      for (let i = 0; i + 1 < points.length; ++i) {
        const a = points[i], b = points[i + 1];
        if (a.accuracy >= value && b.accuracy < value) {
          const t = Math.log(a.accuracy / value) / Math.log(a.accuracy / b.accuracy);
          found.push({ value, share: toShare(a.epsilon) * (1 - t) + toShare(b.epsilon) * t });
        }
      }
    }
  }
  return found.sort((a, b) => a.share - b.share);
}
const BUDGETS = [0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const budgetStops = () => (exported ? Object.keys(exported.looks).map(Number).sort((a, b) => a - b) : BUDGETS).map((value) => ({ value, share: toShare(value) }));
const accuracyStops = () => roundAccuracies([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]);
const closest = (stops, share) => stops.reduce((best, stop) => !best || Math.abs(stop.share - share) < Math.abs(best.share - share) ? stop : best, null);
function move(kind, stop) {
  if (!stop) return;
  setBy = kind;
  state.budget_set = true;
  if (kind === "budget") { state.epsilon = stop.value; redraw({ epsilon: stop.value }); } else { redraw({ set: "accuracy", value: stop.value }); }
}
for (const kind of ["budget", "accuracy"]) {
  const stops = kind === "budget" ? budgetStops : accuracyStops;
  $(kind).addEventListener("input", (event) => move(kind, closest(stops(), event.target.value / 1000)));
  $(kind).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 4, PageDown: -4, Home: -99, End: 99 }[event.key];
    if (!step || !look) return;
    event.preventDefault();
    const all = stops(), at = all.indexOf(closest(all, toShare(state.epsilon)));
    move(kind, all[Math.max(0, Math.min(all.length - 1, at + step))]);
  });
}
let drag = false, gripFocus = false, componentFocus = false;
const setFloor = (spread) => { setBy = "edge"; state.budget_set = true; redraw({ set: "edge", value: spread * spread }); };
const scree = $("scree");
scree.addEventListener("pointerdown", (event) => {
  if (event.target.closest(".ev-grip")) { drag = true; scree.setPointerCapture(event.pointerId); event.preventDefault(); return; }
  const svg = scree.querySelector("svg");
  if (!svg) return;
  const box = svg.getBoundingClientRect(), inner = box.width - 80;
  const bar = Math.floor((event.clientX - box.left - 40) / inner * look.hoped);
  if (bar >= 0 && bar < look.hoped) { state.component = bar; redraw(); }
});
scree.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const box = scree.querySelector("svg").getBoundingClientRect();
  const top = 1.15 * Math.sqrt(look.spectrum[0] * scaleOf());
  const share = 1 - (event.clientY - box.top - 34) / (352 - 34 - 30);
  setFloor(Math.max(0.02, Math.min(1, share)) * top);
});
for (const end of ["pointerup", "pointercancel"]) scree.addEventListener(end, () => { drag = false; });
scree.addEventListener("keydown", (event) => {
  const factor = { ArrowUp: 1.08, ArrowDown: 1 / 1.08, ArrowRight: 1 / 1.08, ArrowLeft: 1.08 }[event.key];
  if (event.target.id === "grip" && factor) { event.preventDefault(); gripFocus = true; setFloor(Math.sqrt(look.plan.predicted_edge) * factor); }
});
scree.addEventListener("focusout", () => { if (!busy) gripFocus = false; });
// Scaled variances times this are the plan's own.
const scaleOf = () => source.dictionary ? 1 : ((state.range[1] - state.range[0]) / 2) ** 2;
$("components").addEventListener("focusin", () => { componentFocus = true; });
$("components").addEventListener("focusout", () => { if (!busy) componentFocus = false; });
document.addEventListener("change", (event) => {
  const { name, value } = event.target;
  if (name === "component") { state.component = +value; redraw(); }
  if (name === "risk") { state.risk = value; redraw(); }
  if (name === "language") { language = value; drawCode(); }
  if (name === "method") { state.method = value === look.default_method ? "" : value; changeMethod(value); }
});
$("another").addEventListener("click", () => { state.release = look.releases ? (look.release + 1) % look.releases : 0; redraw(); });
$("search").addEventListener("input", (event) => { state.search = event.target.value; redraw(); });
addEventListener("resize", () => { if (screen === 3 && look) redraw(); });

async function changeMethod(name) {
  state.method = name;
  await redraw();
  await loadRails();
}
// What has no prediction here, in words one can act on.
const BASIS = { "proved": [3, "for every data set; proved"], "proved-real-arithmetic": [2, "for every data set; proved for exact arithmetic"], "asymptotic": [1, "only in the limit of many people"], "model-probability": [1, "only if its model of the data is true"] };
async function drawMethods() {
  const found = await askMethods();
  $("v-methods").hidden = $("v-advice").hidden = false;
  const comparison = found.comparison;
  if (found.ways) { drawWays(found); return; }
  if (!comparison) {
    put("advice", escapeText(found.none ? sentence(found.none) : `By method ${found.used}: ${found.sentences[found.used] || ""}.`));
    put("methods", "");
    return;
  }
  const width = state.columns.length, k = look.readable_components;
  // All on one scale: tried on made-up tables (at first order for wide ones), the error of noise alone.
  const predicted = (method) => method.predicted_error_f2 === undefined ? null : { value: 1.96 * Math.sqrt(method.predicted_error_f2 / (2 * width * k)), chance: width > k && Math.max(method.total_error_f2, method.predicted_error_f2) >= 0.9 * comparison.worst_error_f2 };
  const noise = (method) => errorText(predicted(method));
  const best = comparison.methods.find((method) => method.method === comparison.recommended);
  const used = comparison.methods.find((method) => method.method === found.used);
  const sharper = comparison.methods.filter((method) => best && method !== best && predicted(method) && !predicted(method).chance && predicted(method).value < predicted(best).value && noise(method) !== noise(best))[0];
  const hopeless = best && predicted(best).chance;
  const basis = (method) => BASIS[method.basis] || [1, escapeText(method.basis)];
  put("advice", look.plan.predicted_edge !== undefined && look.above_noise === 0 ? "<strong>At this setting no component could be told from noise.</strong> Give up some protection, ask for fewer columns, or do not release."
    : hopeless ? "<strong>At this setting no method does better than chance.</strong> Give up some protection, ask for fewer columns, or do not release."
    : !best ? "<strong>No method that keeps the promise for every data set fits here.</strong>"
    : used && used !== best ? (basis(used)[0] < 2 ? `<strong>You chose a promise with a condition: ${escapeText(basis(used)[1])}.</strong> A committee will ask why. We recommend ${escapeText(best.method)}, ${noise(best)}.` : `<strong>Your choice, ${escapeText(used.method)}, keeps its promise for every data set:</strong> ${noise(used)} against ${noise(best)} with ${escapeText(best.method)}, which we recommend.${atWhatPrice(used, found.powers) && " " + sentence(atWhatPrice(used, found.powers))}`)
    : `<strong>We recommend ${escapeText(best.method)}:</strong> it moves a ${subjectOf(k)} by ${noise(best)}, 95 times in 100.${sharper ? ` ${escapeText(sharper.method)} is sharper (${noise(sharper)}), ${atWhatPrice(sharper, found.powers) ? `but ${atWhatPrice(sharper, found.powers)}` : "by less than trials on made-up tables can tell apart"}.` : " No method that keeps this promise is sharper here."}`);
  putMethods(comparison.methods.map((method) => methodRow(method.method, found.used, found.sentences[method.method] || "", predicted(method), basis(method), method.total_error_f2 !== undefined, method.total_error_f2 === undefined ? whyNot(method.note) : "")),
    `Of a ${subjectOf(k)}, by privacy noise alone, 95 times in 100: ${found.first_order ? "by first-order formulas, as on the dial" : `tried on ${comparison.made_up_tables} made-up tables; the dial shows the formula for small noise`}.`);
}
// What a method that looks sharper costs beside the recommended one.
function atWhatPrice(method, powers) {
  const alone = Math.ceil(100 * (look.power_of_directions ?? look.risk.power) - 1e-9), promise = BASIS[method.basis] || [1, method.basis];
  if (promise[0] < 2) return `its promise holds ${escapeText(promise[1])}`;
  const other = Math.ceil(100 * (powers[method.method] ?? 0) - 1e-9), charge = look.ledger && look.plan[method.method]?.charge || 0;
  if (other <= alone) return "";
  return `a person is then recognised up to ${other} times in 100, not ${alone}${charge > 1.5 ? `, and it takes ${Math.round(charge)} times as much of the ledger` : ""}`;
}
// Tasks whose methods differ in noise alone: each was planned at this budget.
function drawWays(found) {
  const promise = (way) => BASIS[way.basis] || [1, escapeText(way.basis || "")];
  const used = found.ways.find((way) => way.method === found.used);
  const strict = found.ways.filter((way) => way.basis && promise(way)[0] >= 2 && way.accuracy !== undefined);
  const sharper = used ? strict.filter((way) => way.accuracy < used.accuracy).sort((a, b) => a.accuracy - b.accuracy)[0] : null;
  const weak = used && promise(used)[0] < 2;
  const predicted = (way) => way.accuracy === undefined ? null : { value: way.accuracy, chance: way.chance };
  const error = (way) => errorText(predicted(way));
  const risk = (way) => `${Math.ceil(100 * way.power - 1e-9)} of 100`;
  put("advice", !used || !used.basis ? "<strong>No method serves this request.</strong>"
    : weak ? `<strong>You chose a promise with a condition: ${promise(used)[1]}.</strong> A committee will ask why.`
    : used.chance ? `<strong>At this setting the noise leaves nothing of a ${subject()}.</strong> ${state.goal === "regress" ? "Explain by fewer columns, or give up" : "Give up"} some protection, or do not release.`
    : `<strong>${escapeText(used.method)}</strong> reads a ${subject()} within ${error(used)}; a person is recognised at most ${risk(used)} times.${sharper ? ` ${escapeText(sharper.method)} would have ${error(sharper)}${sharper.power > used.power ? `, and ${risk(sharper)}: sharper, and less protection` : ""}.` : " No other method that keeps this promise for every data set is sharper here."}`);
  putMethods(found.ways.map((way) => methodRow(way.method, found.used, found.sentences[way.method] || "", way.basis ? predicted(way) : undefined, promise(way), Boolean(way.basis), way.basis ? "" : whyNot(way.note || ""))), `Of a ${subject()}, by privacy noise alone, 95 times in 100.`);
}
const errorText = (error) => !error ? "no prediction" : error.chance ? "chance" : reach(error.value);
// Why a method cannot serve here, where the engine speaks to somebody at the command line.
function whyNot(note) {
  if (/learned subspace/.test(note)) return "Learns a subspace first: with hundreds of columns, from a command of its own.";
  if (/independent copy/.test(note)) return "Its promise holds only if the rows come from its model, and hides a row among others like it: this page does not offer that.";
  return note;
}
// Places of the errors between a quarter of the sampling error and chance, by ratios: one scale for all, which no slider moves.
function errorMark(error) {
  const low = look.errors?.least, high = look.errors?.most;
  if (!error || !(high > low)) return "";
  const at = 5 + 46 * Math.max(0, Math.min(1, error.chance ? 1 : Math.log(error.value / low) / Math.log(high / low))), sampling = 5 + 46 * Math.log(look.errors.sampling / low) / Math.log(high / low);
  return `<svg width="56" height="13" data-at="${at.toFixed(1)}" aria-hidden="true"><path d="M5 6.5H51" class="ev-hair"/><path d="M${sampling.toFixed(1)} 1v11" class="ev-sampling"/><circle cx="${at.toFixed(1)}" cy="6.5" r="4" class="${error.chance ? "m-chance" : "m-dot"}"/></svg>`;
}
function putMethods(rows, hint) {
  put("methods", `<div class="m-head" aria-hidden="true"><span>method</span><span>predicted error</span><span>the guarantee holds</span></div>${rows.join("")}<p class="small">${escapeText(hint)} Dotted: sampling error; the right end is chance.</p>`);
}
function methodRow(name, used, words, error, [pips, holds], open, why = "") {
  return `<label class="m${pips < 2 ? " weak" : ""}${open ? "" : " none"}"><input type="radio" name="method" value="${escapeText(name)}"${name === used ? " checked" : ""}${open && !exported ? "" : " disabled"}><span><span class="n">${escapeText(words || name)} <code>${escapeText(name)}</code></span><span class="d">${why ? escapeText(sentence(why)) : ""}</span></span><span class="e">${errorMark(error)}${error === undefined ? "" : errorText(error)}</span><span class="g">${holds ? `<span class="pips" aria-hidden="true">${"●".repeat(pips)}${"○".repeat(3 - pips)}</span>${holds}` : "not here"}</span></label>`;
}
// One command at a time: what follows the release is copied apart from it.
let second = false;
function drawCode() {
  const next = language === "command" ? look.next_command || "" : "";
  second = second && Boolean(next);
  $("follow").hidden = !next;
  $("follow").textContent = second ? "Show the release’s command" : state.goal === "plot" ? "Show the map’s command" : "Show the regression’s command";
  const code = second ? next : language === "command" ? look.command : look.python;
  put("code", language === "command" ? commandHtml(code) : escapeText(code));
}
$("follow").addEventListener("click", () => { second = !second; drawCode(); });
$("map-budget").addEventListener("change", (event) => { state.map_budget = +event.target.value; redraw().then(loadRails); });
$("response").addEventListener("change", (event) => { state.response = event.target.value; if (look) drawCode(); });
async function copyText(text, button) {
  try { await navigator.clipboard.writeText(text); } catch (_) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  $("live").textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}
$("copy").addEventListener("click", (event) => copyText($("code").textContent, event.target));

// ---- 4 release ----
let released = null, polling = null, underWay = false;
const releaseQuestion = () => question({ components: look.components, epsilon: look.epsilon });
async function drawRelease() {
  put("outcome", "");
  $("data-set").value = state.data_set || source.ledger?.name || "";
  state.data_set = $("data-set").value;
  $("date").value = state.date;
  $("out").value = state.out;  // at once: what is typed while the charge is asked for stays
  await drawSpend();
  // A folder of this session holds a release already: another request is made into another one.
  if (used.has(state.out) && released?.command !== look?.command) {
    const stem = state.out.replace(/-\d+$/, "");
    for (let i = 2; used.has(state.out); ++i) state.out = `${stem}-${i}`;
    $("out").value = state.out;
    await drawSpend();
  }
  await poll();
}
const used = new Set();
// What the press charges is this release alone; the map of people is charged when its command is run.
const percent = (share) => share > 0 && share < 0.01 ? "under 1%" : `${Math.round(100 * share)}%`;
const agreedFor = (charge) => look.ledger.divided ? `of what was set aside for ${charge.account}` : "of what was agreed";
function spendWords(done) {
  const { press: charge, map } = look.ledger, alone = Math.ceil(100 * (look.power_of_directions ?? look.risk.power) - 1e-9);
  const budget = prose(`ε = ${digits(look.epsilon)}${look.delta ? `, δ = ${look.delta.toExponential()}` : ""}`);
  const spends = charge ? `This ${done ? "spent" : "spends"} <strong>${percent(charge.now)} ${agreedFor(charge)}</strong>, once and for ever: ${budget}.` : `This would spend ${budget}.`;
  const after = map ? ` The map of people comes after it, by a command on the next screen, and takes <strong>${percent(map.now)} ${agreedFor(map)}</strong>; from both together: at most ${look.risk.recognised} times in 100.` : "";
  return `${spends} ${whom().replace(/^./, (c) => c.toUpperCase())} at most ${alone} times in 100 from this release${conditional()}.${after}`;
}
let spending = Promise.resolve();
// One after the other: the answer to an earlier question must not stand over that to a later one.
const drawSpend = () => { spending = spending.then(showSpend); return spending; };
async function showSpend() {
  try {
    look = await ask("/api/look", releaseQuestion());
    put("spend-say", spendWords(false));
    put("spend-ledger", accountsHtml(look.ledger));
    put("spend-command", commandHtml(look.command));
    drawGate();
    if (!look.ledger.fits) put("outcome", refusalHtml(look.ledger));
  } catch (error) { trouble(error); }
}
for (const [id, key] of [["out", "out"], ["data-set", "data_set"], ["date", "date"]]) $(id).addEventListener("change", (event) => { state[key] = event.target.value; drawSpend(); });
async function press(event, more) {
  const button = event.target;
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  put("outcome", "");
  trouble(null);
  await spending;  // a field that was just left still changes the command
  // With the command on the screen: another one is not run.
  try { await ask("/api/release", { ...releaseQuestion(), shown: $("spend-command").textContent, ...more }); } catch (error) { trouble(error); }
  drawGate();
  poll();
}
$("press").addEventListener("click", (event) => press(event, {}));
$("press-again").addEventListener("click", (event) => press(event, { again: "charge again" }));
$("cancel").addEventListener("click", () => ask("/api/cancel", {}).then(poll).catch(trouble));
async function poll() {
  clearTimeout(polling);
  let status;
  try { status = await ask("/api/status", {}); } catch (error) { trouble(error); return; }
  const running = underWay = status.state === "running";
  steps();
  if (!running && status.command !== look?.command) status = { state: "none" };  // of another release
  $("progress-row").hidden = !running;
  $("press-row").hidden = running || status.state === "released";
  $("share-row").hidden = status.state !== "released";
  const done = status.state === "released";
  for (const id of ["out", "data-set", "date"]) $(id).disabled = running || done;
  if (done) { used.add(state.out); put("spend-say", spendWords(true)); put("spend-ledger", ""); }
  // A run that was charged and came to nothing: the same press would find the spent reservation.
  const lost = Boolean(status.charged) && ["cancelled", "failed"].includes(status.state);
  $("press").hidden = lost;
  $("press-again").hidden = !lost;
  if (running) {
    $("progress").value = status.share_read;
    $("progress-say").textContent = `${status.charged ? "The budget is reserved; the table is being read" : status.charged === null ? "Under way; the ledger cannot be read now" : "Starting"}: ${Math.round(100 * status.share_read)}% of the file, ${status.seconds.toFixed(0)} s.`;
    polling = setTimeout(poll, 150);
    return;
  }
  // The ledger answers by the entry of this very press; while it cannot be read nobody knows, and it is asked again.
  if (status.charged === null) polling = setTimeout(poll, 1000);
  const spent = status.charged === null ? "The ledger cannot be read now, so it is not known here whether this was charged." : status.charged ? "The charge stays: it is in the ledger." : "Nothing was charged.";
  if (status.state === "released") {
    put("outcome", "<strong>Released.</strong> This release is charged in the ledger. For another one go back, and choose.");
    released = await ask("/api/released", {}).catch((error) => { trouble(error); return null; });
    steps();
  } else if (status.state === "cancelled") {
    put("outcome", `<strong>Cancelled.</strong> ${spent}`);
  } else if (status.state === "failed") {
    put("outcome", `<strong>Not released.</strong> ${escapeText(sentence(status.message.trim().split("\n").pop().replace(/^error: /, "")))} ${spent}`);
  }
}

// ---- 5 share ----
function drawShare() {
  if (!released) return;
  put("share-say", `The release is in <strong>${escapeText(released.folder)}</strong>. Everything in that folder may be published; nothing else may. report.html is the page a committee signs.`);
  const next = look?.next_command && (released.command === look.command) ? look.next_command : "";
  put("next-say", !next ? "" : state.goal === "plot" ? "<h2>Next: the map of people</h2>A release of its own, charged when this is run:" : "<h2>Next: the regression</h2>From what is released, at no cost, as often as you like:");
  $("next-command").textContent = next;
  $("next-row").hidden = !next;
  const files = [...released.files].sort((a, b) => b.name.startsWith("report.") - a.name.startsWith("report."));
  put("files", files.map((file) => `<li><a href="${escapeText(encodeURI(file.address))}" ${file.name.endsWith(".html") ? 'target="_blank" rel="noopener"' : `download="${escapeText(file.name)}"`}>${escapeText(file.name)}</a> <span class="small">${file.name.startsWith("report.") ? "to read and sign, " : ""}${count(file.bytes)} bytes</span><code>${file.sha256}</code></li>`).join(""));
  $("statement").textContent = released.statement;
}
$("copy-statement").addEventListener("click", (event) => copyText($("statement").textContent, event.target));
$("copy-next").addEventListener("click", (event) => copyText($("next-command").textContent, event.target));
$("print").addEventListener("click", () => print());

// ---- beginning ----
async function begin() {
  if (exported) {
    Object.assign(state, exported.question);
    state.goal = "pca";
    show(3);
    return;
  }
  const secret = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  session = sessionStorage.getItem("session");
  if (secret) {
    session = (await ask("/api/session", { secret })).session;
    sessionStorage.setItem("session", session);
  }
  takeSource(await ask("/api/source", {}));
  show(keptScreen() || (source.input ? 1 : 3), true);
  history.replaceState({ screen }, "", location.pathname);
}
begin().catch((error) => { steps(); trouble(error); });
