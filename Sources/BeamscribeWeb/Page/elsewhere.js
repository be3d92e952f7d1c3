// ---- Where to read on when the host is gone ----

// The host names other pages of the event. Once it was not heard for 12 s the phone goes to one that
// is there: else the browser would show an error, and the lines be gone. Only a frame, /look, loaded
// while the host lives, may ask that, and only of those named.
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
  const address = `${page}/here?session=${encodeURIComponent(stream.session)}&run=${stream.runs}`
    + `&seq=${stream.last}`;
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
  const luggage = { session: stream.session, last: stream.last,
    settings: Object.fromEntries(changed),
    mark: mark && mark.session === stream.session ? mark.seq : 0,
    place: place ? [place.row.seq, Math.round(place.offset)] : null };
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
  const text = address.searchParams.get("at");
  if (text === null) return null;
  address.searchParams.delete("at");
  history.replaceState(null, "", address);
  let value = null;
  try { value = JSON.parse(text); } catch { return null; }
  if (!value || typeof value.session !== "string" || !Number.isSafeInteger(value.last)) return null;
  kept = null;
  takeSettings(value.settings);
  if (Number.isSafeInteger(value.mark) && value.mark > 0) {
    mark = { session: value.session, seq: value.mark };
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
  const { session, last, place: was } = luggage;
  luggage = null;
  if (session !== stream.session) return;
  showMark();
  if (!Array.isArray(was) || !was.every(Number.isSafeInteger)) return offerMissed(last);
  const [seq, offset] = was;
  stopFollowing();
  if (!bySeq.get(seq) && isAtHost(seq)) await everything();
  const line = bySeq.get(seq);
  if (!line || isHeld) return;
  showRow(line, () => offset);
  reading = places();
}

/** What came on the way. */
function offerMissed(last) {
  missed = lines.find((row) => row.seq > last) || null;
  back = { at: Date.now(), lines: stream.last - last };
}
