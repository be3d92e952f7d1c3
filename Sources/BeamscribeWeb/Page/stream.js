// ---- The stream ----

// A browser opens six connections to a server without HTTP/2, and each stream holds one. If more
// than four tabs have a stream, hidden tabs end theirs until they are shown. The device's storage
// tells them of each other.
const stream = {
  source: null, words: "", isTogether: false, isConnected: false, isLive: false, isOver: false, hasHostGone: false, refusal: "",
  via: "", standIn: "", unheardSince: 0,
  hasShownToken: false, began: Date.now(), heard: Date.now(), spoken: Date.now(),
  failures: 0, timer: 0,
};
// A generation for each opened stream: what an older one still says counts for nothing.
let generation = 0;
let waiting = [];
let isScheduled = false;

const token = () => location.hash.slice(1);

/** A request is given up after 8 s: a network that swallows all would keep it for minutes. */
function patiently() {
  const patience = new AbortController();
  setTimeout(() => patience.abort(), 8000);
  return { signal: patience.signal };
}

const request = () => ({ cache: "no-store", ...patiently() });

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
    stream.hasShownToken = Boolean(answer && answer.ok);
    connect();
  } catch {
    if (mine === generation) retry();
  }
}

// So many lines come before what is said now; older ones are fetched behind it.
const tailLines = 200;

/** Opens the stream behind the last line that is here. */
function connect() {
  stop();
  const mine = generation;
  const books = main.session ? allBooks() : kept ? kept.books : [];
  const isTogether = main.session ? stream.isTogether : kept?.isTogether;
  const marks = isTogether ? books.map(({ session, last }) => `${session}:${last}`).join()
    : books.length ? books[0].last : "";
  const words = streamWords();
  const source = new EventSource(ofLog(`/events?after=${marks}&tail=${tailLines}`, words));
  stream.words = words.join();
  stream.source = source;
  stream.opened = Date.now();
  tellTabs(true);
  const take = (kind) => (event) => { if (mine === generation) hear(kind, event.data); };
  source.onmessage = take("final");
  for (const kind of ["hello", "log", "in", "partial", "alert", "gap", "beat"]) on(source, kind, take(kind));
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
  tellTabs(false);
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

function needCookies() {
  stream.refusal = "cookies";
  retry(10);
}

/** An answer that is no stream. An EventSource does not tell which, so it is asked for. */
async function ask() {
  stop();
  const mine = generation;
  try {
    const access = await fetch("/access", request());
    if (mine !== generation) return;
    // A host that was started again knows the token, but not the cookie. One that has just given a
    // cookie for it, and sees none, talks to a browser that keeps none.
    if (access.status === 401 && stream.hasShownToken) return needCookies();
    if (access.status === 401) return token() ? retry() : needLink();
    const events = await fetch("/events?tail=0", request());
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
  dropPartials();
  stream.isOver = true;
  releaseScreen();
  showState();
  if (isUnattended) setTimeout(lookForNext, nextEventPause);
}

// A wall, and a kiosk's screen, show whatever event is next at this address: nobody is there to
// load the page. A reader keeps what he has read.
const isUnattended = isProjector || new URLSearchParams(location.search).get("view") === "kiosk";
const nextEventPause = 10000;

function lookForNext() {
  const source = new EventSource(ofLog("/events?after=" + main.last, streamWords()));
  const close = (isNext) => {
    clearTimeout(patience);
    source.close();
    if (isNext) location.reload();
    else setTimeout(lookForNext, nextEventPause);
  };
  const patience = setTimeout(close, 8000, false);
  on(source, "hello", (event) => {
    let hello = null;
    try { hello = JSON.parse(event.data); } catch { return close(false); }
    takeLogs(hello?.logs);
    if (isAbsent(String(hello?.session))) return close(false);
    close(Boolean(hello && hello.session) && String(hello.session) !== main.session);
  });
  source.onerror = () => close(false);
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
  keepingPlace(() => {
    while (mine === generation && taken < queue.length
      && (taken % 20 || performance.now() < until)) {
      const [kind, value] = queue[taken];
      taken += 1;
      // One event that cannot be used must not stop those behind it.
      try { takeEvent[kind](value); } catch (error) { globalThis.reportError?.(error); }
    }
    if (stream.isLive) for (const note of lateNotes.splice(0)) addNote(...note);
  });
  if (mine === generation) waiting = queue.slice(taken);
  if (waiting.length) schedule();
  if (luggage && stream.isLive) unpack();
  if (wasAway && stream.isLive) {
    comeBack(wasAway);
    wasAway = 0;
  }
  showJumps();
  showState();
}

const text = (value) => (typeof value === "string" ? value : "");
const whole = (value) => (Number.isSafeInteger(value) ? value : 0);

/** What is used of a line, with every value of the type that it should have. */
function checked(chunk, book) {
  if (typeof chunk.text !== "string") return null;
  const seq = whole(chunk.seq);
  return { book, seq, at: whole(chunk.at) || seq, text: chunk.text,
    replaces: whole(chunk.replaces), of: book.of ? whole(chunk.of) : 0,
    line: String(chunk.line), speaker: text(chunk.speaker),
    lang: text(chunk.lang) || book.lang,
    sentTimestamp: Math.min(Math.max(0, Number(chunk.sentTimestamp) || 0), 1e11) };
}

const runsOf = (hello) => (Array.isArray(hello.runs) && hello.runs.length ? hello.runs : [0]);

const takeEvent = {
  hello(hello) {
    hello.session = String(hello.session);
    nameEvent(hello.eventName);
    offerSound(hello.floor === true);
    const mine = generation;
    takeLogs(hello.logs);
    // There is a translation that is wanted.
    if (mine !== generation) return;
    if (isAbsent(hello.session)) return waitForLog();
    if (!main.session && kept) {
      if (kept.books[0].session === hello.session) takeKept();
      else {
        kept = null;
        return connect();
      }
    }
    if (main.session && hello.session !== main.session) return beginAnew(hello);
    current = main;
    const reads = Array.isArray(hello.reads) ? hello.reads.filter(isPart) : [];
    const parts = [[main, hello], ...reads.map((part) => [addBook(part), part])];
    // All of them, whichever come first.
    const isShort = parts.map(([book, part]) => takeRuns(book, part)).includes(true);
    Object.assign(stream, { isTogether: Array.isArray(hello.reads), failures: 0,
      hasShownToken: false, isConnected: true, hasHostGone: false, refusal: "",
      spoken: Date.now() - 1000 * (Number(hello.inputAge) || 0) });
    stream.via = text(hello.via);
    if (isShort) return connect();
    for (const [book, part] of parts) if (book.isWanted || book === main) skipTo(book, part);
    // Told anew, if they still are so. The open lines, too: those that are not are dropped later.
    formerly = standing;
    standing = new Set();
    takeStanding(hello);
    for (const line of open.values()) line.isStale = true;
    stream.isLive = hasAll();
    keepAwake();
  },
  /** One more log is read from now on. */
  log(part) {
    if (!isPart(part)) return;
    const book = addBook(part);
    takeRuns(book, part);
    if (book.isWanted) skipTo(book, part);
  },
  /** What follows is of this log. */
  in({ session }) { current = bookOf(session); },
  final(chunk) {
    const book = current;
    const line = book && checked(chunk, book);
    if (!line || !(line.seq > book.last)) return;
    const gap = [book.last + 1, line.seq - 1];
    if (book.isWanted || book === main) Object.assign(book, { last: line.seq, at: line.at });
    if (!book.isWanted) return;
    if (gap[0] <= gap[1]) addGap(book, ...gap, line.at - 0.5);
    takeFinal(line);
    if (stream.isLive) stream.spoken = Date.now();
    if (hasAll()) stream.isLive = true;
  },
  partial(chunk) {
    const line = current?.isWanted && checked(chunk, current);
    if (!line) return;
    // It comes only to who has all of its log.
    current.newest = current.last;
    stream.isLive = hasAll();
    stream.spoken = Date.now();
    takePartial(line);
  },
  alert: takeAlert,
  gap(gap) {
    const book = current;
    if (!book || !(gap.through > book.last)) return;
    addGap(book, Math.max(gap.from, book.last + 1), gap.through, book.at + 0.5);
    book.last = gap.through;
    stream.isLive = hasAll();
    dropPartials((line) => line.book === book);
  },
  beat(beat) {
    main.newest = Math.max(main.newest, Number(beat.lastSeq) || 0);
    stream.isLive = hasAll();
    const spoken = Date.now() - 1000 * beat.inputAge;
    // The other logs' writers may have said something since.
    if (beat.inputAge >= 0) {
      stream.spoken = stream.isTogether ? Math.max(stream.spoken, spoken) : spoken;
    }
    takeLogs(beat.logs);
    takeStanding(beat);
    // Whatever was open before the connection was lost has been told anew by now.
    if (stream.isLive) dropPartials((line) => line.isStale);
  },
};

function addGap(book, from, through, at) {
  if (book.isWanted) put(newGap(book, from, through, at));
}

function newGap(book, from, through, at) {
  return newNote(say(from === through ? "gap_of_one" : "gap", { from, through }), "gap",
    { book, at, gap: [from, through] });
}

/** Another session: its numbers have nothing to do with those here. */
function beginAnew(hello) {
  if (isUnattended) return location.reload();
  dropPartials();
  giveUpHoles();
  for (const line of lines) Object.assign(line, { seq: 0, at: 0, gap: null });
  standing = new Set();
  stream.isLive = false;
  forgetBooks(hello.session);
  main.runs = runsOf(hello).length;
  addNote(say("new_session"), "session");
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

const tab = String(Math.random());
const mostStreams = 4;
// A hidden tab's timers may come once a minute only.
const tabForgotten = 150000;
let toldTab = 0;

/** Tells the other tabs that this one has a stream, or has none. */
function tellTabs(hasStream) {
  if (hasStream && Date.now() - toldTab < 20000) return;
  if (!hasStream && !toldTab) return;
  toldTab = hasStream ? Date.now() : 0;
  const tabs = openTabs();
  delete tabs[tab];
  if (hasStream) tabs[tab] = toldTab;
  store.write("streams", tabs);
}

/** The tabs with a stream, and when they last said so. */
function openTabs() {
  const fresh = Object.entries(store.read("streams") ?? {})
    .filter(([, time]) => Math.abs(Date.now() - time) < tabForgotten);
  return Object.fromEntries(fresh);
}

function giveRoom() {
  if (!document.hidden || !stream.source || Object.keys(openTabs()).length <= mostStreams) return;
  stop();
}

/** Back from sleep, from another app, from another network: at once, if something is wrong. */
function wake() {
  if (stream.isOver) return;
  if (!stream.source || stream.source.readyState === EventSource.CLOSED) begin();
  else checkStream(stream.isConnected ? 6000 : 1000);
  keepAwake();
}
