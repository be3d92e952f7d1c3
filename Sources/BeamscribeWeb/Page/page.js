"use strict";
// Shows the captions of an event. In the order of this file: what is kept on the phone, settings,
// lines, where the reader is, search, the state in words, the stream, keys and buttons.
//
// Text from the host is a stranger's: it is only ever set as text, never as markup.

const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const view = $("view");
const log = $("log");
const isProjector = new URLSearchParams(location.search).get("view") === "projector";
const number = new Intl.NumberFormat("en");

/** `3 new lines`, `1 new line`. */
const count = (many, what) => `${number.format(many)} ${what}${many === 1 ? "" : "s"}`;

const on = (target, kinds, action) => {
  for (const kind of kinds.split(" ")) target.addEventListener(kind, action);
};

function make(tag, name, text) {
  const element = document.createElement(tag);
  element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Says a sentence to those who hear the page. */
function tell(words) {
  $("told").textContent = "";
  $("told").textContent = words;
}

// ---- What is kept on the phone ----

/** localStorage throws where a browser keeps nothing; then all holds until the page is closed. */
const store = {
  read(key) {
    try { return JSON.parse(localStorage.getItem("beamscribe." + key)); } catch { return null; }
  },
  write(key, value) {
    try { localStorage.setItem("beamscribe." + key, JSON.stringify(value)); } catch { return; }
  },
};

// ---- Settings ----

const standard = {
  size: 1, leading: 1.4, spacing: 0, width: 60, theme: "auto", names: true, colours: true,
  partials: true, times: "off", lang: "", awake: true, announce: false, keys: true,
};
const themes = ["auto", "dark", "light", "contrast", "yellow"];
// A wall has settings of its own: one browser may show both.
const place = isProjector ? "projector" : "settings";
const settings = { ...standard };
for (const [key, value] of Object.entries(store.read(place) ?? {})) {
  if (typeof value === typeof standard[key]) settings[key] = value;
}

function set(key, value) {
  settings[key] = value;
  store.write(place, settings);
  keepingPlace(applySettings);
}

const wantsLight = matchMedia("(prefers-color-scheme: light)");

function applyTheme() {
  const ofDevice = wantsLight.matches ? "light" : "dark";
  root.dataset.theme = themes.slice(1).find((theme) => theme === settings.theme) ?? ofDevice;
  const ground = getComputedStyle(root).getPropertyValue("--ground").trim();
  document.querySelector("meta[name=theme-color]").content = ground;
}

function applySettings() {
  applyTheme();
  for (const key of ["size", "leading", "spacing"]) {
    root.style.setProperty("--" + key, String(settings[key]));
  }
  root.style.setProperty("--width", settings.width >= 100 ? "9999" : String(settings.width));
  const looks = { nameless: !settings.names, plain: !settings.colours,
    silent: !settings.partials, timed: settings.times !== "off" };
  for (const [name, isOn] of Object.entries(looks)) log.classList.toggle(name, isOn);
  $("spoken").setAttribute("aria-live", settings.announce ? "polite" : "off");
  if (shownTimes !== settings.times) showTimes();
  if (shownLang !== settings.lang) filterLanguage();
  fillPanel();
  keepAwake();
  showLast();
}

function fillPanel() {
  for (const control of document.querySelectorAll("[data-set]")) {
    const value = settings[control.dataset.set];
    if (control.type === "checkbox") control.checked = value;
    else control.value = String(value);
  }
  for (const radio of document.querySelectorAll("[name=theme]")) {
    radio.checked = radio.value === settings.theme;
  }
  const percent = (value) => Math.round(value * 100) + " %";
  const words = {
    size: percent(settings.size), leading: percent(settings.leading),
    spacing: settings.spacing ? percent(settings.spacing) : "normal",
    width: settings.width >= 100 ? "the whole screen" : settings.width + " letters",
  };
  for (const [key, text] of Object.entries(words)) {
    $(key + "-value").textContent = text;
    document.querySelector(`[data-set=${key}]`).setAttribute("aria-valuetext", text);
  }
}

// ---- Lines ----

/**
 * A line on the page, finished or open: {element, text (a Text node), when, who, seq, lang, time,
 * speaker}. `lines` has them in the order in which they began; `bySeq` finds the line that shows a
 * final (that of a correction is the line that it corrects); `open` are the partials, by line id,
 * the one that has changed most recently last.
 */
const lines = [];
let bySeq = new Map();
const open = new Map();
const speakers = new Map();
const languages = new Set();
let block = null;
let shownTimes = "off";
let shownLang = "";
let firstTime = null;

/** Blocks of 100 let the browser pass over what is far away; see content-visibility in page.css. */
function append(element) {
  if (!block || block.childElementCount >= 100) block = log.appendChild(make("div", "block"));
  block.append(element);
  document.body.classList.add("begun");
}

function addLine(chunk) {
  const element = make("p", "line");
  // The direction of the words, not of the name: what is in <bdi> does not count for dir=auto.
  element.dir = "auto";
  const when = element.appendChild(make("time", "when"));
  const text = element.appendChild(make("span", "text")).appendChild(new Text());
  const line = { element, text, when, seq: 0, lang: "", speaker: "", time: chunk.sentTimestamp };
  firstTime ??= line.time;
  when.textContent = timeWords(line.time);
  element.lineOfPage = line;
  lines.push(line);
  append(element);
  return line;
}

/** Puts words into a line and leaves alone those that stay: nothing moves, no selection is lost. */
function write(line, chunk) {
  if (chunk.lang && chunk.lang !== line.lang) setLanguage(line, chunk.lang);
  if (chunk.speaker && chunk.speaker !== line.speaker) setSpeaker(line, chunk.speaker);
  const kept = commonLength(line.text.data, chunk.text);
  line.text.replaceData(kept, line.text.length - kept, chunk.text.slice(kept));
  return kept;
}

function commonLength(one, other) {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length += 1;
  return length;
}

/** Names stand before the words; one that is known only later behind them, as words stay put. */
function setSpeaker(line, name) {
  const words = line.text.parentNode;
  line.speaker = name;
  if (!speakers.has(name)) speakers.set(name, speakers.size % 6);
  if (!line.who) words[line.text.length ? "after" : "before"](line.who = make("span", ""));
  const isBehind = line.who === words.nextSibling;
  line.who.className = "who c" + speakers.get(name);
  const box = make("bdi", "", isBehind ? `(${name})` : name + ":");
  line.who.replaceChildren(...(isBehind ? [" ", box] : [box, " "]));
}

function setLanguage(line, tag) {
  line.lang = tag;
  line.element.lang = tag;
  offerLanguage(tag);
  line.element.classList.toggle("other", isOther(line));
}

function offerLanguage(tag) {
  if (!tag || languages.has(tag)) return;
  languages.add(tag);
  const option = new Option(languageName(tag), tag);
  option.lang = tag;
  $("langs").append(option);
}

function languageName(tag) {
  try {
    const name = new Intl.DisplayNames([tag, "en"], { type: "language" }).of(tag);
    return name === tag ? tag : `${name} (${tag})`;
  } catch { return tag; }
}

/** Lines that name no language are for everybody. */
const isOther = (line) => Boolean(line.lang && shownLang && line.lang !== shownLang);

function filterLanguage() {
  shownLang = settings.lang;
  offerLanguage(shownLang);
  for (const line of lines) line.element.classList.toggle("other", isOther(line));
  if (query) search();
}

const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });

function timeWords(time) {
  if (settings.times === "clock") return clock.format(time * 1000);
  if (settings.times !== "elapsed") return "";
  const seconds = Math.max(0, Math.floor(time - firstTime));
  const part = (value) => String(value).padStart(2, "0");
  const rest = part(Math.floor(seconds / 60) % 60) + ":" + part(seconds % 60);
  return seconds < 3600 ? rest : Math.floor(seconds / 3600) + ":" + rest;
}

function showTimes() {
  shownTimes = settings.times;
  for (const line of lines) line.when.textContent = timeWords(line.time);
}

/** Adds a sentence of the program's own to the captions. */
function addNote(words, kind) {
  append(make("p", "note " + kind, words));
}

// The words of a partial that may still change: only painted otherwise, so that they cannot move.
const canPaint = typeof Highlight === "function" && Boolean(globalThis.CSS?.highlights);
const tails = canPaint ? new Highlight() : null;
if (canPaint) CSS.highlights.set("tail", tails);

/** Words have settled that two revisions had alike, or that have stood for a second. */
function paintTail(line, settled) {
  if (!canPaint) return;
  line.tail ??= new Range();
  line.tail.setStart(line.text, settled);
  line.tail.setEnd(line.text, line.text.length);
  tails.add(line.tail);
}

function settleOld(now) {
  for (const line of open.values()) {
    if (now - line.changed > 1000) paintTail(line, line.text.length);
  }
}

function takePartial(chunk) {
  const known = open.get(chunk.line);
  open.delete(chunk.line);
  if (!chunk.text) return known && remove(known);
  // The host forgets the oldest of 16 open lines in the same way, and does not say so.
  const [oldest] = open.keys();
  if (!known && open.size >= 16) dropPartials(([id]) => id === oldest);
  const line = known ?? addLine(chunk);
  open.set(chunk.line, line);
  const before = line.text.data;
  const kept = write(line, chunk);
  line.element.classList.add("open");
  line.isStale = false;
  if (before !== chunk.text) {
    line.changed = Date.now();
    const isWhole = /^(\s|$)/.test(chunk.text.slice(kept));
    paintTail(line, isWhole ? kept : Math.max(0, chunk.text.lastIndexOf(" ", kept)));
  }
}

function dropPartials(isMeant) {
  for (const entry of [...open]) {
    if (!isMeant(entry)) continue;
    open.delete(entry[0]);
    remove(entry[1]);
  }
}

function remove(line) {
  closeTail(line);
  line.element.remove();
  const index = lines.lastIndexOf(line);
  if (index >= 0) lines.splice(index, 1);
}

function closeTail(line) {
  if (line.tail) tails.delete(line.tail);
  line.tail = null;
  line.element.classList.remove("open");
}

function takeFinal(chunk) {
  const opened = open.get(chunk.line);
  open.delete(chunk.line);
  const corrected = chunk.replaces ? bySeq.get(chunk.replaces) : null;
  if (corrected && opened) remove(opened);
  const line = corrected ?? opened ?? addLine(chunk);
  bySeq.set(chunk.seq, line);
  closeTail(line);
  write(line, chunk);
  if (chunk.replaces) note(line, "corrected", became(chunk));
  if (!corrected) {
    line.seq = chunk.seq;
    if (line === marked()) showMark();
    if (isAway && !isOther(line)) {
      newLines += 1;
      missed ??= line;
    }
  }
  if (query) searchLine(line);
  announce(line, chunk);
}

/** A correction without a word takes the line back. */
function became({ replaces, text }) {
  return !replaces ? "" : text ? " (corrected)" : " (withdrawn)";
}

function note(line, kind, words) {
  line.element.classList.add(kind);
  if (!line.note) line.element.append(line.note = make("span", "said", ""));
  line.note.textContent = words;
}

/** Finished lines only, and only those that are new: nobody wants the history read to him. */
function announce(line, chunk) {
  if (!settings.announce || !stream.isLive || isOther(line)) return;
  const text = make("p", "", whole(line) + became(chunk));
  text.dir = "auto";
  if (line.lang) text.lang = line.lang;
  $("spoken").append(text);
  while ($("spoken").childElementCount > 5) $("spoken").firstChild.remove();
}

/** The host has lost these finals when it went down: they stay as what was read, and say so. */
function withdrawBeyond(last) {
  for (const [seq, line] of bySeq) {
    if (seq <= last) continue;
    bySeq.delete(seq);
    if (line.seq > last) {
      line.seq = 0;
      note(line, "withdrawn", " (withdrawn)");
    }
  }
}

// ---- Where the reader is ----

let isFollowing = true;
let newLines = 0;
let lastTop = 0;
let mark = store.read("mark");
// The reader is away while he has scrolled back or the page is hidden; `newLines` have come since
// then, and `missed` is the first of them. A jump holds the view until he scrolls himself.
let isAway = false;
let missed = null;
let back = { at: 0, lines: 0 };
let isHeld = false;
let reading = null;

const below = () => view.scrollHeight - view.clientHeight - view.scrollTop;
const edge = () => view.getBoundingClientRect().top;
const topOf = (element) => element.getBoundingClientRect().top - edge();

function stayAtEnd() {
  if (!isFollowing) return;
  view.scrollTop = view.scrollHeight;
  lastTop = view.scrollTop;
}

function follow() {
  isFollowing = true;
  isAway = document.hidden;
  newLines = 0;
  stayAtEnd();
  showJumps();
}

function stopFollowing() {
  if (!isFollowing || isProjector) return;
  isFollowing = false;
  leave();
  showJumps();
}

function leave() {
  if (isAway) return;
  isAway = true;
  missed = null;
  newLines = 0;
}

/** The page is to be seen again, `away` milliseconds later. */
function comeBack(away) {
  if (!isFollowing) return;
  back = { at: Date.now(), lines: away > 10000 ? newLines : 0 };
  follow();
}

// Only a way up by the reader stops following. Text that grows does not move the view, and text
// that goes away moves it, but to the end.
on(view, "scroll", () => {
  const top = view.scrollTop;
  if (top < lastTop - 1 && below() > 2) stopFollowing();
  else if (top > lastTop && below() < 16 && !isFollowing && !isHeld) follow();
  lastTop = top;
  clearTimeout(reading?.timer);
  reading = { ...reading, timer: setTimeout(() => { reading = topLine(); }, 150) };
});

function showJumps() {
  $("live").hidden = isFollowing;
  $("live").textContent = newLines ? `${count(newLines, "new line")} ↓` : "Live ↓";
  // Offered for a while; later the key and the button in the settings do it. The last few lines
  // are still on the screen.
  $("missed").hidden = back.lines < 4 || !isFollowing || Date.now() - back.at > 30000;
  $("missed").textContent = `↑ ${count(back.lines, "line")} while you were away`;
}

/** The first line on the screen, and how far below the top it stands. */
function topLine() {
  const isShown = (element) => topOf(element) + element.offsetHeight > 1;
  const element = [...([...log.children].find(isShown)?.children ?? [])].find(isShown);
  return element ? { element, offset: topOf(element) } : null;
}

/** Does something that moves lines, and puts the one that was read back in its place. */
function keepingPlace(change) {
  const before = isFollowing ? null : topLine();
  change();
  restore(before);
}

function restore(line) {
  if (isFollowing) return stayAtEnd();
  if (!line?.element?.isConnected) return;
  view.scrollTop += topOf(line.element) - line.offset;
  lastTop = view.scrollTop;
}

function goTo(element) {
  stopFollowing();
  isHeld = true;
  element.scrollIntoView({ block: "center" });
  // The blocks around it get their true heights only now.
  requestAnimationFrame(() => element.scrollIntoView({ block: "center" }));
}

/** Gives a class to one line only. */
function only(name, element) {
  for (const old of log.querySelectorAll("." + name)) old.classList.remove(name);
  element?.classList.add(name);
}

function goToMissed() {
  if (!missed?.element.isConnected) return tell("You have missed nothing.");
  only("away", missed.element);
  goTo(missed.element);
  tell("The first line that came while you were away.");
}

/** Marks the line that is read: the newest at live, else the first that is on the screen whole. */
function toggleMark() {
  const first = isFollowing ? 0 : lines.indexOf(topLine()?.element.lineOfPage);
  const shown = lines.slice(Math.max(0, first)).filter((each) => each.seq && !isOther(each));
  const line = isFollowing ? shown.at(-1) : shown.find((each) => topOf(each.element) > -2);
  if (!line) return tell("There is no line to mark yet.");
  mark = line === marked() ? null : { session: stream.session, seq: line.seq };
  store.write("mark", mark);
  showMark();
  tell(mark ? "Marked: " + line.text.data : "The mark is taken away.");
}

const marked = () => (mark?.session === stream.session ? bySeq.get(mark?.seq) : null);

function showMark() {
  only("marked", marked()?.element);
  $("mark").setAttribute("aria-pressed", String(Boolean(marked())));
}

function goToMark() {
  if (!marked()) return tell("You have marked no place.");
  goTo(marked().element);
}

/** The wall shows the last three lines. */
function showLast() {
  if (!isProjector) return;
  only("last", null);
  for (let index = lines.length - 1, left = 3; index >= 0 && left > 0; index -= 1) {
    const line = lines[index];
    if (isOther(line) || (!line.seq && !settings.partials)) continue;
    line.element.classList.add("last");
    left -= 1;
  }
}

// ---- Search ----

let query = null;
let hits = [];
let hit = -1;
const painted = canPaint ? new Highlight() : null;
if (canPaint) CSS.highlights.set("hits", painted);

const whole = (line) =>
  (line.speaker && settings.names ? line.speaker + ": " : "") + line.text.data;

function search() {
  const words = $("query").value.trim().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  query = words ? new RegExp(words, "giu") : null;
  painted?.clear();
  hits = query ? lines.filter(matches) : [];
  hits.forEach(paintHits);
  // It begins at what is on the screen, and goes back.
  const isAbove = (line) => isFollowing || topOf(line.element) < view.clientHeight;
  chooseHit(Math.max(hits.findLastIndex(isAbove), Math.min(0, hits.length - 1)));
}

const matches = (line) => line.seq > 0 && !isOther(line) && whole(line).search(query) >= 0;

/** Takes in a line that is new, or has other words. */
function searchLine(line) {
  if (!matches(line)) return;
  if (!hits.includes(line)) hits.push(line);
  paintHits(line);
  showCount();
}

function paintHits(line) {
  if (!canPaint || painted.size > 5000) return;
  for (const match of line.text.data.matchAll(query)) {
    painted.add(new StaticRange({ startContainer: line.text, startOffset: match.index,
      endContainer: line.text, endOffset: match.index + match[0].length }));
  }
}

function chooseHit(index) {
  hit = index;
  only("found", hits[hit]?.element);
  if (hits[hit]) goTo(hits[hit].element);
  showCount();
}

function showCount() {
  $("count").textContent = !query ? "" : hits.length === 0 ? "Nothing found"
    : `${number.format(hit + 1)} of ${number.format(hits.length)}`;
}

function stepHit(step) {
  if (hits.length) chooseHit((hit + step + hits.length) % hits.length);
}

function openSearch() {
  keepingPlace(() => { $("search").hidden = false; });
  $("query").focus();
  $("query").select();
}

function closeSearch() {
  keepingPlace(() => { $("search").hidden = true; });
  $("query").value = "";
  search();
  view.focus({ preventScroll: true });
}

// ---- The state in words ----

const lasting = ["off_record", "paused", "input_ended", "input_stalled", "storage_failed"];
// What the host has said that lasts, and what it had said before the connection was lost.
let standing = new Set();
let formerly = new Set();
let saidKind = "connecting";
const lateNotes = [];
const ends = { resumed: ["paused", "off_record", "input_stalled"],
  storage_restored: ["storage_failed"] };

// Each state: its words, and what to do.
const states = {
  connecting: ["Connecting…", "Is this device on the network of the event?"],
  link: ["This event needs its link",
    "Scan the code that the host shows again, or open the whole link that you were given."],
  full: ["The room is full",
    "As many phones as the host takes are reading. This page tries again by itself."],
  gone: ["The host has gone", "The event may go on: this page waits. What you miss comes then."],
  lost: ["Reconnecting",
    "What you miss comes by itself. Is this device still on the network of the event?"],
  off_record: ["Off the record", "What is said now is not sent and not kept."],
  paused: ["Paused by the host", "It goes on here by itself."],
  input_ended: ["The input has ended",
    "There may be no more captions. What has been said stays here."],
  input_stalled: ["Nothing comes in at the host",
    "The recogniser or the microphone may have stopped. Tell somebody at the host."],
  ended: ["Ended", "What was said stays here until you close the page. Settings can save it."],
  syncing: ["Catching up"], silent: ["Silent"], live: ["Live"],
};

/** ` for 12 s`, ` for 2 min`. */
function age(since) {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  return seconds < 120 ? ` for ${seconds} s` : ` for ${Math.floor(seconds / 60)} min`;
}

/** Which of the states it is, and what is to be added to its words. */
function state() {
  if (stream.isOver) return ["ended", ""];
  if (stream.refusal) return [stream.refusal, ""];
  if (!stream.session) return ["connecting", ""];
  if (stream.hasHostGone) return ["gone", age(stream.heard)];
  if (!stream.isConnected || Date.now() - stream.heard > 9000) return ["lost", age(stream.heard)];
  if (!stream.isLive) return ["syncing", progress()];
  const told = lasting.slice(0, 4).find((kind) => standing.has(kind));
  if (told) return [told, ""];
  if (Date.now() - stream.spoken >= 10000) return ["silent", age(stream.spoken)];
  return ["live", lines.length ? "" : "; nothing has been said yet"];
}

/** ` 1,200 of 5,000 (24 %)`. */
function progress() {
  const part = Math.floor(100 * stream.last / Math.max(1, stream.newest));
  return ` ${number.format(stream.last)} of ${number.format(stream.newest)} (${part} %)`;
}

function showState() {
  const [kind, more] = state();
  const [words, help = ""] = states[kind];
  $("state").dataset.kind = kind;
  if ($("words").textContent !== words + more) $("words").textContent = words + more;
  // Being late at first, or lost for a moment, is no trouble yet.
  const since = Date.now() - (kind === "lost" ? stream.heard : stream.began);
  const isEarly = ["connecting", "lost"].includes(kind) && since < 5000;
  showHelp(isEarly ? "" : help, ["link", "full", "lost", "gone"].includes(kind));
  document.body.classList.toggle("calm", Date.now() - stirred > 4000 && isFollowing
    && ["live", "silent"].includes(kind) && !document.querySelector("dialog[open]"));
  // Silence comes and goes with every pause of a speaker: no screen reader should tell of it.
  const said = kind === "silent" ? "live" : kind;
  if (said === saidKind || said === "syncing" || isEarly) return;
  saidKind = said;
  tell(`${states[said][0]}. ${states[said][1] ?? ""}`.trim());
}

function showHelp(words, hasButton) {
  if ($("help").textContent === words && $("card").hidden === !words) return;
  $("help").textContent = words;
  $("again").hidden = !hasButton;
  $("card").hidden = !words;
  root.style.setProperty("--over", words ? $("card").offsetHeight + "px" : "0px");
  stayAtEnd();
}

function takeAlert(alert) {
  const kind = String(alert.kind);
  if (kind === "ended") return end();
  stream.hasHostGone = kind === "host_disconnected";
  // What may become words that are not for readers must not stay on their screens.
  if (stream.hasHostGone || kind === "off_record") dropPartials(() => true);
  for (const over of ends[kind] ?? []) standing.delete(over);
  if (stream.hasHostGone) return;
  const isKnown = standing.has(kind) || formerly.has(kind);
  if (lasting.includes(kind)) standing.add(kind);
  if (isKnown || !alert.message) return;
  // What is told to everybody who comes belongs behind the lines that were said before it.
  if (stream.isLive) addNote(String(alert.message), kind);
  else lateNotes.push([String(alert.message), kind]);
}

// ---- The stream ----

// A browser opens six connections to a server without HTTP/2, and this stream holds one for as long
// as the page lives. Seven tabs of one event in one browser would wait for each other.
const stream = {
  source: null, session: null, runs: 1, last: 0, newest: 0,
  isConnected: false, isLive: false, isOver: false, hasHostGone: false, refusal: "",
  began: Date.now(), heard: Date.now(), spoken: Date.now(), failures: 0, timer: 0,
};
// A generation for each opened stream: what an older one still says counts for nothing.
let generation = 0;
let waiting = [];
let isScheduled = false;

const token = () => location.hash.slice(1);
const request = () => ({ cache: "no-store", signal: AbortSignal.timeout?.(8000) });

/** Shows the token once; the browser has a cookie then. The token stays in the address only. */
async function begin() {
  if (stream.isOver) return;
  stop();
  const mine = generation;
  try {
    const answer = token() && await fetch("/access", { method: "POST", body: token(),
      headers: { "Content-Type": "text/plain" }, ...request() });
    if (mine !== generation) return;
    if (answer && answer.status === 403) return needLink();
    connect();
  } catch {
    if (mine === generation) retry();
  }
}

/** Opens the stream behind the last line that is here. */
function connect() {
  stop();
  const mine = generation;
  const source = new EventSource(stream.session ? "/events?after=" + stream.last : "/events");
  stream.source = source;
  stream.opened = Date.now();
  const take = (kind) => (event) => { if (mine === generation) hear(kind, event.data); };
  source.onmessage = take("final");
  for (const kind of ["hello", "partial", "alert", "gap", "beat"]) on(source, kind, take(kind));
  source.onerror = () => {
    if (mine === generation) flush();
    if (mine !== generation) return;
    stream.isConnected = false;
    if (source.readyState === EventSource.CLOSED) ask();
    showState();
  };
}

function stop() {
  generation += 1;
  clearTimeout(stream.timer);
  stream.source?.close();
  stream.source = null;
  stream.isConnected = false;
  waiting = [];
}

function retry(seconds) {
  const pauses = [1, 2, 4, 8, 10];
  const pause = seconds ?? pauses[Math.min(stream.failures, pauses.length - 1)];
  stream.failures += 1;
  clearTimeout(stream.timer);
  stream.timer = setTimeout(begin, pause * 1000);
  showState();
}

function needLink() {
  stop();
  stream.refusal = "link";
  showState();
}

/** An answer that is no stream. An EventSource does not tell which, so it is asked for. */
async function ask() {
  stop();
  const mine = generation;
  try {
    const access = await fetch("/access", request());
    if (mine !== generation) return;
    // A host that was started again knows the token, but not the cookie.
    if (access.status === 401) return token() ? retry() : needLink();
    const events = await fetch("/events?after=" + stream.last, request());
    events.body?.cancel();
    if (mine !== generation) return;
    const isFull = events.status === 503;
    stream.refusal = isFull ? "full" : "";
    const wish = Number(events.headers.get("Retry-After"));
    retry(isFull && wish > 0 ? Math.min(wish, 60) : undefined);
  } catch {
    if (mine === generation) retry();
  }
}

/** For good: no new connection after this. */
function end() {
  stop();
  dropPartials(() => true);
  stream.isOver = true;
  releaseScreen();
  showState();
}

// What comes is put on the page once a frame, a few hundred lines at a time, so that ten thousand
// come in smoothly. A hidden page has no frames: there a timer does it.
function hear(kind, data) {
  stream.heard = Date.now();
  let value;
  try { value = JSON.parse(data); } catch { return; }
  if (value === null || typeof value !== "object") return;
  waiting.push([kind, value]);
  // Told at once: the host closes the stream behind its farewells, and the browser comes back.
  if (kind === "alert" || kind === "hello") return flush();
  schedule();
}

function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    isScheduled = false;
    flush(10);
  };
  if (!document.hidden) requestAnimationFrame(once);
  setTimeout(once, document.hidden ? 0 : 200);
}

/** Takes what has come; with `budget` no longer than so many milliseconds. */
function flush(budget = Infinity) {
  const mine = generation;
  const until = performance.now() + budget;
  let taken = 0;
  const queue = waiting;
  while (mine === generation && taken < queue.length
    && (taken % 20 || performance.now() < until)) {
    const [kind, value] = queue[taken];
    taken += 1;
    // One event that cannot be used must not stop those behind it.
    try { takeEvent[kind](value); } catch (error) { globalThis.reportError?.(error); }
  }
  if (mine === generation) waiting = queue.slice(taken);
  if (waiting.length) schedule();
  if (stream.isLive) for (const note of lateNotes.splice(0)) addNote(...note);
  showLast();
  stayAtEnd();
  showJumps();
  showState();
}

const text = (value) => (typeof value === "string" ? value : "");

/** The line with every value of the type that it should have. */
function checked(chunk) {
  if (typeof chunk.text !== "string") return null;
  return { ...chunk, line: String(chunk.line), speaker: text(chunk.speaker), lang: text(chunk.lang),
    sentTimestamp: Math.min(Math.max(0, Number(chunk.sentTimestamp) || 0), 1e11) };
}

const runsOf = (hello) => (Array.isArray(hello.runs) && hello.runs.length ? hello.runs : [0]);

const takeEvent = {
  hello(hello) {
    hello.session = String(hello.session);
    if (stream.session && hello.session !== stream.session) return beginAnew(hello);
    const runs = runsOf(hello);
    const sure = Math.min(stream.last, ...runs.slice(stream.runs));
    const isShort = sure < stream.last;
    Object.assign(stream, { session: hello.session, runs: runs.length, failures: 0,
      isConnected: true, hasHostGone: false, refusal: "", newest: Number(hello.lastSeq) || 0,
      spoken: Date.now() - 1000 * (Number(hello.inputAge) || 0) });
    nameEvent(hello.eventName);
    if (isShort) {
      withdrawBeyond(sure);
      stream.last = sure;
      return connect();
    }
    // Told anew, if they still are so. The open lines, too: those that are not are dropped later.
    formerly = standing;
    standing = new Set();
    for (const line of open.values()) line.isStale = true;
    stream.isLive = stream.last >= stream.newest;
    keepAwake();
  },
  final(chunk) {
    const line = checked(chunk);
    if (!line || !(line.seq > stream.last)) return;
    if (line.seq > stream.last + 1) addGap(stream.last + 1, line.seq - 1);
    stream.last = line.seq;
    takeFinal(line);
    if (stream.isLive) stream.spoken = Date.now();
    if (stream.last >= stream.newest) stream.isLive = true;
  },
  partial(chunk) {
    const line = checked(chunk);
    if (!line) return;
    stream.isLive = true;
    stream.spoken = Date.now();
    takePartial(line);
  },
  alert: takeAlert,
  gap(gap) {
    if (!(gap.through > stream.last)) return;
    addGap(Math.max(gap.from, stream.last + 1), gap.through);
    stream.last = gap.through;
    stream.isLive = stream.last >= stream.newest;
    dropPartials(() => true);
  },
  beat(beat) {
    stream.newest = Math.max(stream.newest, Number(beat.lastSeq) || 0);
    stream.isLive = stream.last >= stream.newest;
    if (beat.inputAge >= 0) stream.spoken = Date.now() - 1000 * beat.inputAge;
    // Whatever was open before the connection was lost has been told anew by now.
    if (stream.isLive) dropPartials(([, line]) => line.isStale);
  },
};

function addGap(first, last) {
  const from = number.format(first);
  addNote(first === last ? `Line ${from} is no longer to be had.`
    : `Lines ${from} to ${number.format(last)} are no longer to be had.`, "gap");
}

/** Another session: its numbers have nothing to do with those here. */
function beginAnew(hello) {
  dropPartials(() => true);
  for (const line of lines) line.seq = 0;
  bySeq = new Map();
  standing = new Set();
  Object.assign(stream, { session: hello.session, last: 0, newest: 0, isLive: false,
    runs: runsOf(hello).length });
  addNote("A new transcript begins here: the host has started another event.", "session");
  showMark();
  missed = null;
  if (query) search();
  connect();
}

function nameEvent(name) {
  if (!text(name)) return;
  $("event").textContent = name;
  document.title = name;
}

/** A stream that is silent for so long is dead: the host says something every 4 s. */
function checkStream(patience) {
  if (stream.source && Date.now() - Math.max(stream.heard, stream.opened) > patience) connect();
}

/** Back from sleep, from another app, from another network: at once, if something is wrong. */
function wake() {
  if (stream.isOver) return;
  if (!stream.source || stream.source.readyState === EventSource.CLOSED) begin();
  else checkStream(stream.isConnected ? 6000 : 1000);
  keepAwake();
}

// ---- The screen stays on ----

let lock = null;
let isAsking = false;

async function keepAwake() {
  if (!settings.awake || stream.isOver) return releaseScreen();
  if (!navigator.wakeLock) {
    const why = isSecureContext ? "This browser cannot do it" : "It needs HTTPS, which is not here";
    return sayAwake(why + ": set a longer time in the device's settings.");
  }
  if (lock || isAsking || document.hidden) return;
  isAsking = true;
  try {
    lock = await navigator.wakeLock.request("screen");
    on(lock, "release", () => { lock = null; });
    sayAwake("The screen stays on while this page is to be seen.");
  } catch {
    sayAwake("The device does not allow it now: its battery may be low.");
  }
  isAsking = false;
  if (!settings.awake || stream.isOver) releaseScreen();
}

function releaseScreen() {
  lock?.release();
  lock = null;
  sayAwake(stream.isOver ? "The event is over: the screen may go off." : "");
}

function sayAwake(words) { $("awake-words").textContent = words; }

// ---- Keys and buttons ----

let stirred = Date.now();
let hiddenAt = 0;

function stir() {
  stirred = Date.now();
  document.body.classList.remove("calm");
}

function saveHere() {
  const text = lines.filter((line) => line.seq).map((line) => whole(line) + "\n").join("");
  const link = make("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = document.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) + ".txt";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function step(key, by) {
  const range = document.querySelector(`[data-set=${key}]`);
  const value = Math.min(range.max, Math.max(range.min, settings[key] + by));
  set(key, Math.round(value * 100) / 100);
}

function cycle(key, values) {
  set(key, values[(values.indexOf(settings[key]) + 1) % values.length]);
}

function wholeScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.();
}

/** By a row, or by a screenful (infinity). */
function scroll(rows) {
  isHeld = false;
  const row = parseFloat(getComputedStyle(view).lineHeight);
  view.scrollBy(0, Math.abs(rows) === 1 ? rows * row
    : Math.sign(rows) * Math.max(row, view.clientHeight - 2 * row));
}

// Keys that scroll: always, wherever the focus is outside of controls.
const scrolling = {
  ArrowUp: () => scroll(-1), ArrowDown: () => scroll(1),
  PageUp: () => scroll(-Infinity), PageDown: () => scroll(Infinity),
  Home: () => { stopFollowing(); view.scrollTop = 0; }, End: follow,
  Escape: () => { if (!$("search").hidden) closeSearch(); },
};
// Keys of one letter, which can be switched off: speech input may type them unasked.
const letters = {
  k: scrolling.ArrowUp, j: scrolling.ArrowDown, G: follow, " ": follow, w: goToMissed,
  m: toggleMark, "'": goToMark, "/": openSearch, n: () => stepHit(-1), N: () => stepHit(1),
  "+": () => step("size", 0.1), "=": () => step("size", 0.1), "-": () => step("size", -0.1),
  ">": () => step("width", 5), "<": () => step("width", -5), c: () => cycle("theme", themes),
  t: () => cycle("times", ["off", "clock", "elapsed"]),
  p: () => set("partials", !settings.partials),
  f: wholeScreen, s: () => $("panel").showModal(), "?": () => $("list").showModal(),
};

on(document, "keydown", (event) => {
  stir();
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return scrolling.Escape();
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === " " && event.target.closest("button, a")) return;
  const action = scrolling[event.key] ?? (settings.keys ? letters[event.key] : null);
  if (!action) return;
  event.preventDefault();
  action();
});

const onClick = {
  find: () => ($("search").hidden ? openSearch() : closeSearch()), close: closeSearch,
  newer: () => stepHit(1), mark: toggleMark, live: follow, missed: goToMissed, again: begin,
  settings: () => $("panel").showModal(), keys: () => $("list").showModal(), whole: wholeScreen,
  "to-missed": () => { $("panel").close(); goToMissed(); },
  "to-mark": () => { $("panel").close(); goToMark(); },
  keep: saveHere,
  reset: () => { Object.assign(settings, standard); set("theme", "auto"); },
};
for (const [id, action] of Object.entries(onClick)) on($(id), "click", () => action());

on($("search"), "submit", (event) => { event.preventDefault(); stepHit(-1); });
on($("query"), "input", search);
on($("query"), "keydown", (event) => {
  if (event.key !== "Enter" || !event.shiftKey) return;
  event.preventDefault();
  stepHit(1);
});
on($("panel"), "input", ({ target }) => {
  if (target.name === "theme") return set("theme", target.value);
  const value = target.type === "checkbox" ? target.checked : target.value;
  set(target.dataset.set, target.type === "range" ? Number(value) : value);
});
// A touch beside a dialog closes it.
on(document, "click", ({ target }) => { if (target.matches("dialog")) target.close(); });

on(document, "pointermove focusin", stir);
on(document, "pointerdown touchmove wheel", ({ target }) => {
  stir();
  if (view.contains(target)) isHeld = false;
});
wantsLight.addEventListener?.("change", applyTheme);

on(document, "visibilitychange", () => {
  if (document.hidden) {
    hiddenAt = Date.now();
    return leave();
  }
  flush();
  comeBack(Date.now() - hiddenAt);
  wake();
});
// A page in the browser's cache for going back, or one that is frozen, must not hold a connection:
// it could not read it. What it misses comes behind the last line.
on(window, "pagehide", (event) => { if (event.persisted) stop(); });
on(document, "freeze", stop);
on(window, "pageshow", (event) => { if (event.persisted) wake(); });
on(document, "resume", wake);
on(window, "online", wake);
// Another link in the same tab.
on(window, "hashchange", () => (stream.isOver ? location.reload() : begin()));

new ResizeObserver(() => restore(reading)).observe(view);
new ResizeObserver(stayAtEnd).observe(log);
setInterval(() => {
  settleOld(Date.now());
  // One that has not even begun is tried again sooner: it may have got a dead connection.
  checkStream(stream.isConnected ? 12000 : 6000);
  showJumps();
  showState();
}, 1000);

document.body.classList.toggle("projector", isProjector);
$("whole").hidden = !document.fullscreenEnabled;
applySettings();
showState();
begin();
