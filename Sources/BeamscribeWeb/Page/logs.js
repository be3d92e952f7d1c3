// ---- Which of the event's captions are read ----

// Rooms, languages, a second captioner: all together, or what the address says (?log=Room%202,
// ?log=floor&log=es), so that a reload, the event's other pages and a sign at a door keep to it.
const askedLogs = new URLSearchParams(location.search).getAll("log").filter(Boolean);
// One by itself; `floor` is the host's own.
const wantedLog = askedLogs.length === 1 && askedLogs[0] !== "all" ? askedLogs[0] : "";
const isOfAll = !askedLogs.length || askedLogs.includes("all");
let logs = [];
let shownLogs = "";

const isNamed = ({ session, label }) => askedLogs.includes(session) || askedLogs.includes(label);

/**
 * A log as far as it is here: up to which line (`last`), which has which place among those of all
 * logs (`at`), and the newest that there is. `bySeq` finds the line that shows a final (that of a
 * correction is the line that it corrects); `early` has corrections of lines that are still at the
 * host, and `awaited` translations of them, by the number of that line; `spoken` has the places of an
 * interpreter's lines, which rise (see interpreters.js).
 */
function newBook(session) {
  return { session, label: "", lang: "", of: "", standsInFor: "", isWanted: true, runs: 1, last: 0, newest: 0, at: 0,
    bySeq: new Map(), early: new Map(), awaited: new Map(), spoken: [] };
}

// The one that `hello` names, the others that are read together with it, and the one that is heard
// now.
const main = newBook(null);
const books = new Map();
let current = main;

const allBooks = () => [main, ...books.values()];
const bookOf = (session) =>
  (session && session === main.session ? main : books.get(session)) || null;
const hasAll = () => allBooks().every((book) => !book.isWanted || book.last >= book.newest);
const isPart = (part) => Boolean(part && text(part.session)) && part.session !== main.session;

/** Another log that is read, known already or not. */
function addBook({ session, label, lang, of, standsInFor }) {
  const book = books.get(session) || newBook(session);
  books.set(session, book);
  Object.assign(book, { label: text(label) || book.label, lang: text(lang) || book.lang,
    of: text(of) || book.of, standsInFor: text(standsInFor) || book.standsInFor });
  book.isWanted = isRead(book);
  return book;
}

/** Translations are read where they are asked for, by their name or as the language. */
function isRead(one) {
  return isNamed(one) || (one.of ? one.lang === settings.lang && !wantedLog : isOfAll);
}

/** Another event: nothing of the last one counts. */
function forgetBooks(session) {
  books.clear();
  Object.assign(main, newBook(session), { isWanted: main.isWanted });
  current = main;
}

/** What runs there were. Says whether lines that were here count no more. */
function takeRuns(book, part) {
  const runs = runsOf(part);
  const sure = Math.min(book.last, ...runs.slice(book.runs));
  const isShort = sure < book.last;
  Object.assign(book, { session: part.session, runs: runs.length, newest: whole(part.lastSeq) });
  if (isShort) {
    withdrawBeyond(book, sure);
    book.last = sure;
  }
  return isShort;
}

/** Who speaks, behind the name of another log: `Room 2 · Ann`; `Ann` in the log of that name. */
function nameIn(book, speaker) {
  if (!book.label || (book.of && !isNamed(book))) return speaker;
  return speaker && speaker !== book.label ? `${book.label} · ${speaker}` : book.label;
}

function takeLogs(said) {
  logs = (Array.isArray(said) ? said : [])
    .filter((one) => one && text(one.session) && text(one.label)).slice(0, 64);
  const shown = JSON.stringify([$("event").textContent, logs]);
  if (shown === shownLogs) return;
  shownLogs = shown;
  for (const { of, lang } of logs) if (text(of)) offerLanguage(text(lang));
  showLogs();
  readTranslations();
}

function showLogs() {
  const chooser = $("logs");
  const name = $("event").textContent;
  const all = [{ session: "", label: say("all_logs") }, { session: "floor", label: name }, ...logs];
  // What is not there, and several, must not look as if another had been chosen.
  const chosen = all.find((one) => (wantedLog ? isNamed(one) : !askedLogs.length && !one.session));
  const label = askedLogs.map((word) => (word === "floor" ? name : word)).join(" + ");
  if (!chosen) all.push({ session: "these", label });
  chooser.textContent = "";
  for (const { session, label, lang } of all) {
    const option = new Option(label, session);
    option.lang = text(lang);
    chooser.append(option);
  }
  chooser.value = chosen ? chosen.session : "these";
  chooser.hidden = all.length === 2;
  showSaving();
}

/** What is saved is what is read: of several logs together all, in their order. */
function showSaving() {
  const isOfSeveral = !askedLogs.length && logs.some(({ of }) => !text(of));
  const saved = isOfSeveral ? ["all"] : askedLogs;
  for (const link of document.querySelectorAll("#saving a")) {
    if (saved.length || link.search.includes("log=")) link.href = ofLog(link.href, saved);
  }
}

/** The host gives its own captions for those that are not there. */
const isAbsent = (session) => Boolean(wantedLog) && wantedLog !== "floor"
  && !logs.some((one) => one.session === session && isNamed(one));

function waitForLog() {
  stop();
  stream.refusal = "absent";
  retry(4);
}

/** Which logs the stream has: of translations those in the language that was chosen. */
function streamWords() {
  if (wantedLog) return askedLogs;
  const translations = logs.filter(({ of, lang }) =>
    text(of) && text(lang) && lang === settings.lang);
  return [...askedLogs.length ? askedLogs : ["all"], ...translations.map(({ session }) => session)];
}

/** Whether a log has what is said in the one of this id: it is that, or its writer stands in for that one's. */
const speaksFor = (book, session) => book.session === session || book.standsInFor === session;

const isTranslated = (book) => [...books.values()].some(({ of, lang }) =>
  Boolean(of) && speaksFor(book, of) && lang === shownLang);

/** Another language was chosen, or there is a translation into it. */
function readTranslations() {
  for (const book of books.values()) book.isWanted = isRead(book);
  if (stream.source && stream.words !== streamWords().join()) connect();
}

/** The same place for the captions that are wanted. */
function ofLog(address, names = askedLogs) {
  const url = new URL(address, location.href);
  url.searchParams.delete("log");
  for (const name of names) url.searchParams.append("log", name);
  // A space as every server knows it.
  url.search = url.search.replace(/\+/g, "%20");
  return url;
}

on($("logs"), "change", ({ target }) => {
  const { value } = target;
  if (value === "these") return;
  const label = logs.find(({ session }) => session === value)?.label;
  const isAlone = !["all", "floor"].includes(label)
    && logs.filter((one) => one.label === label).length === 1;
  location.assign(ofLog(location.href, value ? [isAlone ? label : value] : []));
});

main.isWanted = isOfAll || Boolean(wantedLog) || askedLogs.includes("floor");
showSaving();
