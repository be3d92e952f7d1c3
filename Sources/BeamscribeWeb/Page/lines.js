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
