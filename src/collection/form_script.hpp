#pragma once

namespace eigenveil::detail {

/// What runs in a participant's browser: WebCrypto alone, no library, no network but the two
/// aggregators. The functions are those of hpke.cpp, shares.cpp, report_message.cpp and
/// participant.cpp; a test in Chromium holds them to the same vectors.
inline constexpr const char* kFormScript = R"js(
"use strict";
const config = JSON.parse(document.getElementById("study").textContent);
const manifest = JSON.parse(config.manifest);
const subtle = globalThis.crypto && crypto.subtle;
const encoder = new TextEncoder();

// Bytes -------------------------------------------------------------------------------------------
const hex = bytes => Array.from(bytes, b => b.toString(16).padStart(2, "0")).join("");
const fromHex = text => Uint8Array.from(text.match(/../g) || [], pair => parseInt(pair, 16));
const ascii = text => encoder.encode(text);
function join(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}
const random = size => crypto.getRandomValues(new Uint8Array(size));
const sha256 = async bytes => new Uint8Array(await subtle.digest("SHA-256", bytes));

// HPKE, RFC 9180: base mode, X25519, HKDF-SHA256, AES-128-GCM -----------------------------------
const kemSuite = join(ascii("KEM"), Uint8Array.of(0, 0x20));
const suite = join(ascii("HPKE"), Uint8Array.of(0, 0x20, 0, 1, 0, 1));
const nothing = new Uint8Array(0);
async function hmac(key, bytes) {
  const raw = key.length ? key : new Uint8Array(32);  // HMAC fills an empty key with zeros
  const made = await subtle.importKey("raw", raw, {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", made, bytes));
}
const extract = (id, salt, label, input) =>
  hmac(salt, join(ascii("HPKE-v1"), id, ascii(label), input));
const expand = async (id, secret, label, info, length) =>
  (await hmac(secret, join(Uint8Array.of(0, length), ascii("HPKE-v1"), id, ascii(label), info,
                           Uint8Array.of(1)))).slice(0, length);
async function seal(receiver, info, associated, plaintext, pair) {
  const own = pair || await subtle.generateKey({name: "X25519"}, true, ["deriveBits"]);
  const theirs = await subtle.importKey("raw", receiver, {name: "X25519"}, true, []);
  const enclosure = new Uint8Array(await subtle.exportKey("raw", own.publicKey));
  const point = new Uint8Array(
    await subtle.deriveBits({name: "X25519", public: theirs}, own.privateKey, 256));
  const prk = await extract(kemSuite, nothing, "eae_prk", point);
  const shared = await expand(kemSuite, prk, "shared_secret", join(enclosure, receiver), 32);
  const schedule = join(Uint8Array.of(0), await extract(suite, nothing, "psk_id_hash", nothing),
                        await extract(suite, nothing, "info_hash", info));
  const secret = await extract(suite, shared, "secret", nothing);
  const key = await subtle.importKey("raw", await expand(suite, secret, "key", schedule, 16),
                                     "AES-GCM", false, ["encrypt"]);
  const iv = await expand(suite, secret, "base_nonce", schedule, 12);
  const sealed = await subtle.encrypt(
    {name: "AES-GCM", iv, additionalData: associated, tagLength: 128}, key, plaintext);
  return join(enclosure, new Uint8Array(sealed));
}

// Shares ------------------------------------------------------------------------------------------
async function expandSeed(seed, entries) {
  const key = await subtle.importKey("raw", seed, "AES-CTR", false, ["encrypt"]);
  return new Uint8Array(await subtle.encrypt(
    {name: "AES-CTR", counter: new Uint8Array(16), length: 128}, key, new Uint8Array(16 * entries)));
}
/// The packed triangle of the row minus a share, mod 2^128, little endian.
function difference(row, share) {
  const rest = new Uint8Array(share.length);
  const from = new DataView(share.buffer), to = new DataView(rest.buffer);
  const mask = (1n << 64n) - 1n;
  let at = 0;
  for (let column = 0; column < row.length; ++column) {
    for (let i = 0; i <= column; ++i, at += 16) {
      const own = from.getBigUint64(at, true) | (from.getBigUint64(at + 8, true) << 64n);
      const value = BigInt.asUintN(128, BigInt(row[i]) * BigInt(row[column]) - own);
      to.setBigUint64(at, value & mask, true);
      to.setBigUint64(at + 8, value >> 64n, true);
    }
  }
  return rest;
}

// The row -----------------------------------------------------------------------------------------
/// Whole steps of the public grid, rounded towards zero; an empty answer stands at the midpoint.
function gridCell(column, value) {
  if (value === null) { return 0; }
  const middle = 0.5 * column.low + 0.5 * column.high;
  const half = 0.5 * column.high - 0.5 * column.low;
  const steps = (value - middle) / half * manifest.max_abs;
  return Math.trunc(Math.max(-manifest.max_abs, Math.min(manifest.max_abs, steps))) + 0;
}
function standardNormal() {
  const words = crypto.getRandomValues(new Uint32Array(4));
  const uniform = i => (words[i] * 0x200000 + (words[i + 1] >>> 11) + 1) / 0x20000000000000;
  return Math.sqrt(-2 * Math.log(uniform(0))) * Math.cos(2 * Math.PI * uniform(2));
}
function gridRow(values) {
  const row = [manifest.constant, ...manifest.columns.map((c, j) => gridCell(c, values[j]))];
  if (manifest.noise !== "participants") { return row; }
  return row.map(cell => cell + Math.round(manifest.cell_sigma * standardNormal()));
}

// The report --------------------------------------------------------------------------------------
const half = (role, blind, payload) =>
  sha256(join(ascii("eigenveil half 1 " + role), blind, payload));
// A token for each organisation: one that knew the other's could answer there in your name.
const tokenFor = async (role, code) =>
  (await sha256(join(ascii("eigenveil token 2 "), fromHex(config.digest), code, ascii(role)))).slice(0, 16);
async function makeReport(values, code) {
  const row = gridRow(values);
  const entries = row.length * (row.length + 1) / 2;
  const seed = random(32), id = random(16), blindA = random(32), blindB = random(32);
  const share = difference(row, await expandSeed(seed, entries));
  const halfA = await half("a", blindA, seed), halfB = await half("b", blindB, share);
  const message = async (role, plaintext) => {
    const token = await tokenFor(role, code);
    return join(ascii("EVR2" + role), fromHex(config.digest), id, token,
      await seal(fromHex(manifest[role].sealing_key),
                 ascii("eigenveil collection 1 " + config.digest + " " + role), join(id, token),
                 plaintext));
  };
  return {id: hex(id), a: await message("a", join(blindA, halfB, seed)),
          b: await message("b", join(blindB, halfA, share))};
}
// "" when it is stored, or why it was refused. Only the organisation's own words, and not those on
// too many requests, mean that nothing was stored: whatever else comes (a proxy's page, silence, a
// broken line) may hide that it was, and the same bytes must be sent again.
const patience = 60000;  // milliseconds
async function send(role, bytes) {
  const answer = await fetch(manifest[role].address + "/v1/report", {
    method: "POST", body: bytes, headers: {"Content-Type": "application/octet-stream"},
    credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(patience)});
  const told = await answer.json();
  if (answer.ok && told.stored === true) { return ""; }
  const refused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  if (refused && typeof told.refused === "string") { return told.refused; }
  throw new Error("no answer of the organisation");
}

// The study is what both aggregators signed -------------------------------------------------------
async function signed(role) {
  const key = await subtle.importKey("raw", fromHex(manifest[role].signing_key),
                                     {name: "Ed25519"}, false, ["verify"]);
  return subtle.verify("Ed25519", key, fromHex(config.signatures[role]),
                       ascii("eigenveil study 1\n" + role + "\n" + config.manifest));
}
async function checkStudy() {
  if (!subtle) {
    return "This page must be opened from a file, from https or from localhost: elsewhere the browser does not let it encrypt.";
  }
  try {
    await subtle.generateKey({name: "X25519"}, false, ["deriveBits"]);
  } catch (ignored) {
    return "This browser is too old: it lacks X25519. Please use a current Firefox, Safari, Chrome or Edge.";
  }
  if (hex(await sha256(ascii(config.manifest))) !== config.digest) {
    return "This form was changed: its study is not the one it names.";
  }
  try {
    if (!await signed("a") || !await signed("b")) {
      return "This form was changed: the two organisations did not sign this study.";
    }
  } catch (ignored) {
    document.getElementById("unchecked").hidden = false;
  }
  return "";
}

// The page ----------------------------------------------------------------------------------------
const byId = id => document.getElementById(id);
let report = null;  // kept, so that a second try sends the same bytes
const delivered = {a: false, b: false};
// Sealed bytes alone, for this tab alone, until both parts have arrived: a page that is loaded again
// goes on where it was.
const keptAs = "eigenveil " + config.digest;
function keep() {
  try {
    sessionStorage.setItem(keptAs, JSON.stringify(
      {id: report.id, a: hex(report.a), b: hex(report.b), delivered}));
  } catch (ignored) { /* too large or not allowed: the page warns before it is left */ }
}
function forget() {
  try { sessionStorage.removeItem(keptAs); } catch (ignored) { /* nothing was kept */ }
}
function takeUp() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keptAs));
    if (!kept) { return; }
    report = {id: kept.id, a: fromHex(kept.a), b: fromHex(kept.b)};
    Object.assign(delivered, kept.delivered);
  } catch (ignored) { return; }
  for (const input of document.querySelectorAll("#form input")) { input.disabled = true; }
  byId("send").textContent = "Try again";
  say("Your answers are encrypted already and partly sent: try again to send the rest.", "problem");
}
addEventListener("beforeunload", event => {
  if (delivered.a !== delivered.b) { event.preventDefault(); }
});
function say(text, kind) {
  const status = byId("status");
  status.textContent = text;
  status.className = kind || "";
}
function readCode() {
  const text = byId("token").value.replace(/[\s-]/g, "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(text) ? fromHex(text) : null;
}
function mark(input, problem) {
  const note = byId(input.id + "-problem");
  note.textContent = problem;
  input.setAttribute("aria-invalid", problem ? "true" : "false");
  return !problem;
}
function readAnswers() {
  let first = null;
  const values = manifest.columns.map((column, j) => {
    const input = byId("answer-" + j), text = input.value.trim().replace(",", ".");
    const value = text === "" ? null : Number(text);
    const bad = input.validity.badInput || (value !== null && !Number.isFinite(value)) ? "Please give a number."
      : value !== null && (value < column.low || value > column.high)
        ? "Please give a number from " + column.low + " to " + column.high + "." : "";
    if (!mark(input, bad) && !first) { first = input; }
    return value;
  });
  const code = readCode();
  if (!mark(byId("token"), code ? "" : "A code has 32 letters and digits, from 0 to 9 and a to f.") && !first) {
    first = byId("token");
  }
  if (first) { first.focus(); }
  return first ? null : {values, code};
}
function showReceipt() {
  const text = "Receipt\nStudy: " + manifest.title + "\nStudy number: " + config.digest +
    "\nReport: " + report.id + "\nList at closing: " + manifest.a.address + "/v1/closing-list and " +
    manifest.b.address + "/v1/closing-list\n";
  byId("receipt-id").textContent = report.id;
  byId("receipt").hidden = false;
  byId("form").hidden = true;
  byId("save").href = URL.createObjectURL(new Blob([text], {type: "text/plain"}));
  byId("receipt-title").focus();
}
let emptyIsMeant = false;
async function submit(event) {
  event.preventDefault();
  const button = byId("send");
  if (!report) {
    const answers = readAnswers();
    if (!answers) { say("Some answers need another look.", "problem"); return; }
    if (!emptyIsMeant && answers.values.every(value => value === null)) {
      emptyIsMeant = true;
      button.textContent = "Send without answers";
      say("You answered nothing. Sent like this, every answer counts as the middle of its range, and your code is used.", "problem");
      return;
    }
    button.disabled = true;
    say("Dividing your answers and encrypting both parts…");
    report = await makeReport(answers.values, answers.code);
    keep();
    for (const input of document.querySelectorAll("#form input")) { input.disabled = true; }
  }
  button.disabled = true;
  for (const role of ["a", "b"]) {
    if (delivered[role]) { continue; }
    say("Sending the part for organisation " + role.toUpperCase() + "…");
    let problem;
    let refused = false;
    try {
      problem = await send(role, report[role]);
      refused = problem !== "";
    } catch (error) {
      problem = error.name === "TimeoutError" ? "did not answer in time" : "could not be reached";
    }
    if (!problem) {
      delivered[role] = true;
      keep();
      continue;
    }
    button.disabled = false;
    button.textContent = "Try again";
    say("Organisation " + role.toUpperCase() + (refused ? " refused: " + problem
      : " " + problem + ". Keep this page open and try again, later if need be: the same parts are sent, and your code is not used twice."), "problem");
    if (refused && !delivered.a && !delivered.b) {  // nothing was stored: start over
      report = null;
      forget();
      button.textContent = "Send";
      for (const input of document.querySelectorAll("#form input")) { input.disabled = false; }
    }
    return;
  }
  say("");
  forget();
  showReceipt();
}
checkStudy().then(problem => {
  if (problem) { say(problem, "problem"); byId("send").disabled = true; return; }
  byId("form").addEventListener("submit", submit);
  byId("form").addEventListener("input", event => {
    mark(event.target, "");
    if (emptyIsMeant && !report) { emptyIsMeant = false; byId("send").textContent = "Send"; say(""); }
  });
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) { byId("token").value = token; history.replaceState(null, "", location.pathname); }
  byId("send").disabled = false;
  takeUp();
});
)js";

inline constexpr const char* kFormStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fff; --soft: #f2f5f9; --line: #8593a6; --accent: #0b5cad; --wrong: #a3141c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9edf3; --paper: #14181f; --soft: #1f2631; --line: #7f8da1; --accent: #7db8ff; --wrong: #ff9a9a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 42rem; padding: 1rem; font: 1.05rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-bottom: .3rem; }
.box { background: var(--soft); border-radius: .5rem; padding: .2rem 1rem; margin: 1rem 0; }
.field { margin: 1.1rem 0; } label { display: block; font-weight: 600; overflow-wrap: anywhere; }
.hint { font-size: .92rem; margin: .1rem 0 .3rem; } .wrong { color: var(--wrong); font-weight: 600; margin: .2rem 0 0; min-height: 0; }
input { width: 100%; font: inherit; padding: .55rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); color: var(--ink); }
input[aria-invalid=true] { border: 2px solid var(--wrong); }
input:focus-visible, button:focus-visible, a:focus-visible, h2:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button { font: inherit; font-weight: 600; width: 100%; min-height: 3rem; border: 0; border-radius: .4rem; background: var(--accent); color: var(--paper); }
button:disabled { opacity: .55; } #status { min-height: 1.6rem; font-weight: 600; } #status.problem { color: var(--wrong); }
code { overflow-wrap: anywhere; font-size: .9rem; } a { color: var(--accent); } dt { font-weight: 600; } dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }
)css";

}  // namespace eigenveil::detail
