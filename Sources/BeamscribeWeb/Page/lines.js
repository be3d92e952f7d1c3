// ---- Lines ----

/**
 * The rows of the transcript, in the order in which they began: lines, finished or open; notes,
 * which are sentences of the program's own; holes, for lines `from` to `through` that are still at
 * the host. `element` is null while a row is not in the document (see rows.js). A line has its own
 * number (`seq`, 0 for none), that of the final whose words it shows (`shown`), all `finals`
 * that made it, and a place among the lines of all logs (`at`, 0 for none yet); `book` is the log that
 * it is of. `open` are the partials, by log and line id, the one that has changed most recently last.
 */
const lines = [];
const open = new Map();
const speakers = new Map();
const languages = new Set();
let shownTimes = "off";
let shownLang = "";
let firstTime = Infinity;

function newLine(chunk) {
  const time = chunk.sentTimestamp;
  if (time < firstTime) firstTime = time;
  return { kind: "line", element: null, height: 0, text: "", speaker: "", lang: "", said: "", time,
    book: chunk.book, at: 0, seq: 0, shown: 0, finals: [], settled: 0 };
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
  const name = nameIn(line.book, chunk.speaker);
  if (name && name !== line.speaker) setSpeaker(line, name);
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

/** Lines that name no language are for everybody; a line is shown until its translation is here, or an
 * interpreter has said it. */
function isOther(line) {
  if (!line.book.isWanted) return true;
  if (!shownLang) return false;
  if (line.from?.lang === shownLang) return !isNamed(line.book);
  if (line.lang === shownLang) return false;
  if (line.translations?.has(shownLang)) return true;
  return (Boolean(line.lang) && !isTranslated(line.book)) || isInterpreted(line);
}

function filterLanguage() {
  shownLang = settings.lang;
  offerLanguage(shownLang);
  readTranslations();
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
  const known = takeOpen(chunk);
  if (!chunk.text) return known && removeRow(known);
  // The host forgets the oldest of 16 open lines in the same way, and does not say so.
  const others = [...open.values()].filter(({ book }) => book === chunk.book);
  if (!known && others.length >= 16) dropPartials((line) => line === others[0]);
  const line = known ?? newLine(chunk);
  if (!known) append(line);
  open.set(openName(chunk), line);
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

const openName = ({ book, line }) => `${book.session} ${line}`;

/** The open line of a chunk, which is one no more. */
function takeOpen(chunk) {
  const line = open.get(openName(chunk));
  open.delete(openName(chunk));
  return line;
}

function dropPartials(isMeant = () => true) {
  for (const [name, line] of [...open]) {
    if (!isMeant(line)) continue;
    open.delete(name);
    removeRow(line);
  }
}

function closeLine(line) {
  if (line.tail) tails.delete(line.tail);
  line.tail = null;
  line.isOpen = false;
  if (line.element) line.element.classList.remove("open");
}

function takeFinal(chunk) {
  const { book } = chunk;
  const opened = takeOpen(chunk);
  const corrected = correctedBy(chunk);
  const isWaiting = !corrected && waits(chunk);
  if (opened && (corrected || isWaiting)) removeRow(opened);
  if (corrected) correct(corrected, chunk);
  else if (isWaiting) return comeEarly(chunk);
  else {
    const line = opened ?? newLine(chunk);
    closeLine(line);
    finish(line, chunk);
    // Where it was begun, unless another's line belongs before it.
    if (opened) moveUp(line);
    else put(line);
    if (isAway && !isOther(line)) {
      newLines += 1;
      missed = missed ?? line;
    }
  }
  const line = book.bySeq.get(chunk.seq);
  refresh(line);
  if (query) searchLine(line);
  announce(line, chunk);
}

/** A line that was said before the reader came; `put` takes it where it is one of its own. */
function takeOld(chunk, put) {
  const corrected = correctedBy(chunk);
  if (corrected) return correct(corrected, chunk);
  if (waits(chunk)) return comeEarly(chunk);
  const line = newLine(chunk);
  finish(line, chunk);
  put(line);
}

function finish(line, chunk) {
  line.seq = chunk.seq;
  line.at = chunk.at;
  showFinal(line, chunk);
  if (chunk.of) translate(line, translated(chunk));
  else if (chunk.book.of && !chunk.replaces) interpret(chunk);
  const { awaited } = line.book;
  const late = awaited.get(line.seq) ?? [];
  awaited.delete(line.seq);
  for (const translation of late) takeOld(translation, put);
  if (line === marked()) showMark();
}

/** The log whose line a chunk translates. */
const original = ({ book, of }) => (of ? bookOf(book.of) : null);

/** The line that a chunk translates. */
const translated = (chunk) => original(chunk)?.bySeq.get(chunk.of);

/** Whether a chunk, or a line, translates a lost line, whose number is a later one's now. */
const isOfLost = (chunk, { at } = chunk) => at < translated(chunk)?.at;

/** The line that a chunk corrects. */
function correctedBy(chunk) {
  const line = chunk.replaces ? chunk.book.bySeq.get(chunk.replaces) : null;
  return line && !isOfLost(chunk, line) ? line : null;
}

/** A translation stands where its line does, which is shown to readers of other languages. */
function translate(line, from) {
  if (!from) return;
  line.at = from.at + 0.25;
  line.from = from;
  from.translations = (from.translations ?? new Set()).add(line.lang);
  refresh(from);
}

/** Whether a chunk corrects a line that is still at the host, or waits itself. */
const isEarly = ({ book, replaces }) => Boolean(replaces) && (isAtHost(book, replaces)
  || allBooks().some(({ awaited }) =>
    [...awaited.values()].flat().some((each) => each.book === book && each.seq === replaces)));

/** Whether a chunk is about a line that is not here yet, or never will be. */
function waits(chunk) {
  const from = original(chunk);
  return isOfLost(chunk) || isEarly(chunk)
    || Boolean(from) && (chunk.of > from.last || isAtHost(from, chunk.of));
}

/** The newest correction counts, in whichever order they come. */
function correct(line, chunk) {
  if (chunk.seq > line.shown) return showFinal(line, chunk);
  line.finals.push(chunk);
  line.book.bySeq.set(chunk.seq, line);
  correctLate(chunk.seq, line);
}

function showFinal(line, chunk) {
  line.shown = chunk.seq;
  line.finals.push(chunk);
  line.book.bySeq.set(chunk.seq, line);
  write(line, chunk);
  if (chunk.replaces) note(line, "isCorrected", became(chunk));
  correctLate(chunk.seq, line);
}

function comeEarly(chunk) {
  if (isOfLost(chunk)) return;
  const isCorrection = isEarly(chunk);
  const early = isCorrection ? chunk.book.early : original(chunk).awaited;
  const seq = isCorrection ? chunk.replaces : chunk.of;
  early.set(seq, [...(early.get(seq) ?? []), chunk]);
}

/** What was corrected before it was here. */
function correctLate(seq, line) {
  const { early } = line.book;
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
  const text = make("p", "", wording(line) + became(chunk));
  text.dir = "auto";
  if (line.lang) text.lang = line.lang;
  $("spoken").append(text);
  while ($("spoken").childElementCount > 5) $("spoken").firstChild.remove();
}

/** The writer has lost these finals when it went down: they stay as what was read, and say so. */
function withdrawBeyond(book, last) {
  for (const [seq, line] of book.bySeq) {
    if (seq <= last) continue;
    book.bySeq.delete(seq);
    line.finals = line.finals.filter((chunk) => chunk.seq !== seq);
    if (line.seq > last) {
      line.seq = line.at = 0;
      note(line, "isWithdrawn", ` ${say("withdrawn")}`);
    }
  }
  closeHolesBeyond(book, last);
}
