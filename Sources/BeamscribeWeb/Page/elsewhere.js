// ---- Where to read on when the host is gone ----

// The host names other pages of the event. After 12 s without the host the phone goes to one that is
// there: the browser's error page would take the lines away. Only the frame /look, loaded while the
// host lives, may ask, and only those named.
const elsewhere = {
  pages: [], frame: null, isLooking: false, nextLook: 0, asked: 0, answers: new Map(),
  // Awake, seen and on a network since then: a phone that slept has heard nothing.
  awake: Date.now(), seen: Date.now(),
};
const lostAfter = 12000;
const lookPause = 5000;
const mostPages = 8;

const isOfThisMachine = (name) => /^(127\.|\[::1\]$|localhost$)/.test(name);

function isPage(origin) {
  let url = null;
  try { url = new URL(origin); } catch { return false; }
  return ["http:", "https:"].includes(url.protocol) && url.origin !== location.origin
    // What is encrypted stays so.
    && (location.protocol !== "https:" || url.protocol === "https:")
    && (isOfThisMachine(location.hostname) || !isOfThisMachine(url.hostname));
}

function takeAlso(also) {
  const pages = (Array.isArray(also) ? also : []).map(String).filter(isPage).slice(0, mostPages)
    .map((origin) => new URL(origin).origin);
  if (pages.join() === elsewhere.pages.join()) return;
  elsewhere.pages = pages;
  elsewhere.frame?.remove();
  elsewhere.frame = null;
  if (!pages.length) return;
  // Loaded anew, for its policy has them.
  const frame = make("iframe", "");
  frame.hidden = true;
  frame.src = "/look?" + ++elsewhere.asked;
  elsewhere.frame = frame;
  document.body.append(frame);
}

on(window, "message", ({ source, origin, data }) => {
  if (origin !== location.origin || source !== elsewhere.frame?.contentWindow) return;
  elsewhere.answers.get(data?.number)?.(data.isThere === true);
});

/** Whether a page has this event, with all that is here. */
function isThere(page) {
  const number = ++elsewhere.asked;
  const address = `${page}/here?session=${encodeURIComponent(main.session)}&run=${main.runs}`
    + `&seq=${main.last}`;
  return new Promise((answer) => {
    const done = (is) => {
      elsewhere.answers.delete(number);
      answer(is);
    };
    elsewhere.answers.set(number, done);
    setTimeout(done, 6000, false);
    elsewhere.frame.contentWindow.postMessage({ number, address }, location.origin);
  });
}

async function isHostThere() {
  try { return (await fetch("/healthz", request())).ok; } catch { return false; }
}

/** Each second. */
function watchHost() {
  const now = Date.now();
  const isAway = now - elsewhere.seen > 3000 || document.hidden || navigator.onLine === false;
  elsewhere.seen = now;
  if (isAway) elsewhere.awake = now;
  if (isHostLost() && now >= elsewhere.nextLook) lookElsewhere();
}

function isHostLost() {
  return Boolean(elsewhere.frame) && ["lost", "gone"].includes(state())
    && Date.now() - Math.max(stream.heard, elsewhere.awake) >= lostAfter;
}

async function lookElsewhere() {
  if (elsewhere.isLooking) return;
  elsewhere.isLooking = true;
  try {
    // A room's phones spread over all that there are.
    const pages = elsewhere.pages.map((page) => [Math.random(), page]).sort();
    for (const [, page] of pages) {
      if (!isHostLost()) return;
      // Last of all the host: it may only have been slow.
      if (await isThere(page) && !await isHostThere() && isHostLost()) return leaveFor(page);
    }
  } finally {
    elsewhere.isLooking = false;
    elsewhere.nextLook = Date.now() + lookPause;
  }
}

function leaveFor(page) {
  const [place] = isFollowing ? [] : places().filter(({ row }) => row.seq);
  const changed = Object.entries(settings).filter(([key, value]) => value !== standard[key]);
  const isHere = Boolean(bookOf(mark?.session));
  const luggage = { session: main.session, last: main.last,
    others: Object.fromEntries([...books.values()].map(({ session, last }) => [session, last])),
    settings: Object.fromEntries(changed),
    mark: isHere ? mark.seq : 0,
    markIn: isHere ? mark.session : main.session,
    place: place ? [place.row.seq, Math.round(place.offset)] : null,
    placeIn: place ? place.row.book.session : main.session };
  const address = ofLog(page + "/");
  const view = new URLSearchParams(location.search).get("view");
  if (view) address.searchParams.set("view", view);
  address.searchParams.set("at", JSON.stringify(luggage));
  address.hash = location.hash;
  location.replace(address);
}

// What a phone has brought along from another page; a stranger can have written it, in a link.
let luggage = readLuggage();

function readLuggage() {
  const address = new URL(location.href);
  const brought = address.searchParams.get("at");
  if (brought === null) return null;
  address.searchParams.delete("at");
  history.replaceState(null, "", address);
  let value = null;
  try { value = JSON.parse(brought); } catch { return null; }
  if (!value || typeof value.session !== "string" || !Number.isSafeInteger(value.last)) return null;
  kept = null;
  takeSettings(value.settings);
  if (Number.isSafeInteger(value.mark) && value.mark > 0) {
    mark = { session: text(value.markIn) || value.session, seq: value.mark };
    store.write("mark", mark);
  }
  return value;
}

function takeSettings(all) {
  for (const [key, value] of Object.entries(all && typeof all === "object" ? all : {})) {
    if (!Object.keys(standard).includes(key) || typeof value !== typeof standard[key]) continue;
    const control = document.querySelector(`[data-set=${key}]`);
    settings[key] = control?.type === "range"
      ? Math.min(control.max, Math.max(control.min, value)) : value;
  }
  store.write(place, settings);
}

async function unpack() {
  const brought = luggage;
  const { session, place: was, placeIn } = brought;
  luggage = null;
  if (session !== main.session) return;
  showMark();
  const book = bookOf(text(placeIn) || session);
  if (!book || !Array.isArray(was) || !was.every(Number.isSafeInteger)) return offerMissed(brought);
  const [seq, offset] = was;
  stopFollowing();
  if (!book.bySeq.get(seq) && isAtHost(book, seq)) await everything();
  const line = book.bySeq.get(seq);
  if (!line || held) return;
  showRow(line, () => offset);
  reading = places();
}

/** What came on the way. */
function offerMissed({ last, others }) {
  const isNew = (row) => row.seq > (row.book === main ? last : whole(others?.[row.book.session]));
  const came = lines.filter((row) => row.seq && isNew(row));
  missed = came[0] || null;
  back = { at: Date.now(), lines: came.length };
}
