// ---- Lines ----

/**
 * The rows of the transcript, in the order in which they began: lines, finished or open; notes,
 * which are sentences of the program's own; holes, for lines `from` to `through` that are still at
 * the host. `element` is null while a row is not in the document (see rows.js). A line has its own
 * number (`seq`, 0 for none), that of the final whose words it shows (`shown`), and all `finals`
 * that made it; `bySeq` finds the line that shows a final (that of a correction is the line that it
 * corrects). `open` are the partials, by line id, the one that has changed most recently last.
 */
const lines = [];
let bySeq = new Map();
const open = new Map();
const speakers = new Map();
const languages = new Set();
// Corrections of lines that are still at the host, by the number that they correct.
let early = new Map();
let shownTimes = "off";
let shownLang = "";
let firstTime = Infinity;

function newLine(chunk) {
  const time = chunk.sentTimestamp;
  if (time < firstTime) firstTime = time;
  return { kind: "line", element: null, height: 0, text: "", speaker: "", lang: "", said: "", time,
    seq: 0, shown: 0, finals: [], settled: 0 };
}

function addLine(chunk) {
  const line = newLine(chunk);
  append(line);
  return line;
}

function drawLine(line) {
  const element = make("p", "line");
  // The direction of the words, not of the name: what is in <bdi> does not count for dir=auto.
  element.dir = "auto";
  const node = document.createTextNode(line.text);
  const when = element.appendChild(make("time", "when", timeWords(line.time)));
  element.appendChild(make("span", "text")).append(node);
  Object.assign(line, { element, node, when });
  // Where nobody says which, it is not the page's own.
  element.lang = line.lang;
  if (line.speaker) drawSpeaker(line);
  if (line.said) drawSaid(line);
  element.classList.toggle("open", line.isOpen === true);
  if (line.isOpen) paintTail(line, line.settled);
  if (query && matches(line)) paintHits(line);
}

/** What goes when a line leaves the document. */
function forgetDrawing(line) {
  if (line.tail) tails.delete(line.tail);
  for (const range of line.hits || []) painted.delete(range);
  Object.assign(line, { node: null, when: null, who: null, note: null, tail: null, hits: null });
}

/** Puts words into a line and leaves alone those that stay: nothing moves, no selection is lost. */
function write(line, chunk) {
  if (chunk.lang && chunk.lang !== line.lang) setLanguage(line, chunk.lang);
  if (chunk.speaker && chunk.speaker !== line.speaker) setSpeaker(line, chunk.speaker);
  const kept = commonLength(line.text, chunk.text);
  if (line.node) line.node.replaceData(kept, line.node.length - kept, chunk.text.slice(kept));
  line.text = chunk.text;
  line.height = 0;
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
  if (!line.speaker) line.isNameBehind = line.text.length > 0;
  line.speaker = name;
  if (!speakers.has(name)) speakers.set(name, speakers.size % 6);
  if (line.element) drawSpeaker(line);
}

function drawSpeaker(line) {
  const isBehind = line.isNameBehind;
  if (!line.who) line.node.parentNode[isBehind ? "after" : "before"](line.who = make("span", ""));
  line.who.className = "who c" + speakers.get(line.speaker);
  const box = make("bdi", "", isBehind ? `(${line.speaker})` : line.speaker + ":");
  line.who.textContent = "";
  line.who.append(...(isBehind ? [" ", box] : [box, " "]));
}

function setLanguage(line, tag) {
  line.lang = tag;
  if (line.element) line.element.lang = tag;
  offerLanguage(tag);
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
  redraw();
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
  // The first line may be at the host yet.
  if (shownTimes === "elapsed") everything();
  for (const line of lines) if (line.when) line.when.textContent = timeWords(line.time);
}

/** Adds a sentence of the program's own to the captions. */
function addNote(words, sort) { append(newNote(words, sort)); }

function newNote(text, sort, more) {
  return { kind: "note", element: null, height: 0, text, sort, ...more };
}

// The words of a partial that may still change: only painted otherwise, so that they cannot move.
const canPaint = typeof Highlight === "function" && Boolean(globalThis.CSS?.highlights);
const tails = canPaint ? new Highlight() : null;
if (canPaint) CSS.highlights.set("tail", tails);

/** Words have settled that two revisions had alike, or that have stood for a second. */
function paintTail(line, settled) {
  line.settled = settled;
  if (!canPaint || !line.node) return;
  if (!line.tail) line.tail = new Range();
  line.tail.setStart(line.node, Math.min(settled, line.node.length));
  line.tail.setEnd(line.node, line.node.length);
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
  if (!chunk.text) return known && removeRow(known);
  // The host forgets the oldest of 16 open lines in the same way, and does not say so.
  const [oldest] = open.keys();
  if (!known && open.size >= 16) dropPartials(([id]) => id === oldest);
  const line = known ?? addLine(chunk);
  open.set(chunk.line, line);
  const before = line.text;
  const kept = write(line, chunk);
  line.isOpen = true;
  line.isStale = false;
  if (line.element) line.element.classList.add("open");
  if (before === chunk.text) return;
  line.changed = Date.now();
  const isWhole = /^(\s|$)/.test(chunk.text.slice(kept));
  paintTail(line, isWhole ? kept : Math.max(0, chunk.text.lastIndexOf(" ", kept)));
}

function dropPartials(isMeant) {
  for (const entry of [...open]) {
    if (!isMeant(entry)) continue;
    open.delete(entry[0]);
    removeRow(entry[1]);
  }
}

function closeLine(line) {
  if (line.tail) tails.delete(line.tail);
  line.tail = null;
  line.isOpen = false;
  if (line.element) line.element.classList.remove("open");
}

function takeFinal(chunk) {
  const opened = open.get(chunk.line);
  open.delete(chunk.line);
  const corrected = chunk.replaces ? bySeq.get(chunk.replaces) : null;
  if (opened && (corrected || isAtHost(chunk.replaces))) removeRow(opened);
  if (corrected) correct(corrected, chunk);
  else if (isAtHost(chunk.replaces)) return comeEarly(chunk);
  else {
    const line = opened ?? addLine(chunk);
    closeLine(line);
    finish(line, chunk);
    if (isAway && !isOther(line)) {
      newLines += 1;
      missed = missed ?? line;
    }
  }
  const line = bySeq.get(chunk.seq);
  refresh(line);
  if (query) searchLine(line);
  announce(line, chunk);
}

/** A line that was said before the reader came; `put` takes it where it is one of its own. */
function takeOld(chunk, put) {
  const corrected = chunk.replaces ? bySeq.get(chunk.replaces) : null;
  if (corrected) return correct(corrected, chunk);
  if (isAtHost(chunk.replaces)) return comeEarly(chunk);
  const line = newLine(chunk);
  finish(line, chunk);
  put(line);
}

function finish(line, chunk) {
  line.seq = chunk.seq;
  showFinal(line, chunk);
  if (line === marked()) showMark();
}

/** The newest correction counts, in whichever order they come. */
function correct(line, chunk) {
  if (chunk.seq > line.shown) return showFinal(line, chunk);
  line.finals.push(chunk);
  bySeq.set(chunk.seq, line);
  correctLate(chunk.seq, line);
}

function showFinal(line, chunk) {
  line.shown = chunk.seq;
  line.finals.push(chunk);
  bySeq.set(chunk.seq, line);
  write(line, chunk);
  if (chunk.replaces) note(line, "isCorrected", became(chunk));
  correctLate(chunk.seq, line);
}

function comeEarly(chunk) {
  early.set(chunk.replaces, [...(early.get(chunk.replaces) ?? []), chunk]);
}

/** What was corrected before it was here. */
function correctLate(seq, line) {
  const corrections = early.get(seq) ?? [];
  early.delete(seq);
  for (const chunk of corrections) correct(line, chunk);
}

/** A correction without a word takes the line back. */
function became({ replaces, text }) {
  return !replaces ? "" : text ? ` ${say("corrected")}` : ` ${say("withdrawn")}`;
}

function note(line, fact, words) {
  line[fact] = true;
  line.said = words;
  line.height = 0;
  if (line.element) drawSaid(line);
}

function drawSaid(line) {
  line.element.classList.toggle("corrected", line.isCorrected === true);
  line.element.classList.toggle("withdrawn", line.isWithdrawn === true);
  if (!line.note) line.element.append(line.note = make("span", "said", ""));
  line.note.textContent = line.said;
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
    line.finals = line.finals.filter((chunk) => chunk.seq !== seq);
    if (line.seq > last) {
      line.seq = 0;
      note(line, "isWithdrawn", ` ${say("withdrawn")}`);
    }
  }
  closeHolesBeyond(last);
}
