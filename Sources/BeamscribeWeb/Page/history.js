// ---- What was said before ----

// The stream begins with the newest lines. Older ones are holes among the rows, and are fetched in
// pieces: where the reader comes to a hole, searches or saves, and else when nothing happens. After a
// reload the tab's own memory has what was here.
const pieceLines = 500; // beginning at 1, 501, ...: others ask for the same, and so does a reload
const idleLines = 20000;
const keptLetters = 2200000; // at two bytes each, of the 5 MB that a tab has
let isFetching = false;
let pausedUntil = 0;
let wantsAll = false;
let waitingForAll = [];
let wantedHole = null;

const isHole = (row) => row.kind === "hole";
const hasHoles = () => lines.some(isHole);

function isAtHost(book, seq) {
  return Boolean(seq) && lines.some((row) => isHole(row) && row.book === book && row.from <= seq
    && seq <= row.through);
}

/** A hole has the place of its last line. */
function newHole(book, from, through, at) {
  return { kind: "hole", element: null, height: 0, sort: "hole", book, from, through, at,
    text: holeWords(from, through) };
}

function holeWords(from, through) {
  return say("earlier", { count: through - from + 1 });
}

function narrow(hole, from, through) {
  if (from > through) return removeRow(hole);
  Object.assign(hole, { from, through, text: holeWords(from, through) });
  if (hole.element) hole.element.textContent = hole.text;
}

/** A log goes on behind `after`: what was said in it up to there is at the host, or gone. */
function skipTo(book, { after, firstSeq, at }) {
  if (!Number.isSafeInteger(after) || after <= book.last) return;
  const first = Number(firstSeq) || 1;
  const place = Number.isSafeInteger(at) && at > 0 ? at : after;
  let from = book.last + 1;
  if (first > from) {
    addGap(book, from, Math.min(after, first - 1), book.at + 0.5);
    from = first;
  }
  Object.assign(book, { last: after, at: place });
  if (from > after || !book.isWanted) return;
  const hole = newHole(book, from, after, place);
  put(hole);
  if (!isAway) return;
  newLines += after - from + 1;
  missed = missed || hole;
}

/** A hole in the document is one that the reader comes to. */
function askForHoles() {
  wantedHole = null;
  if (!isFollowing && !isProjector) {
    wantedHole = lines.slice(windowStart, windowEnd).find(isHole) || null;
  }
  if (wantedHole) fetchOn();
}

/** Fetches all, and waits for it, or until it cannot be had now. */
function everything() {
  if (!hasHoles() || !stream.isConnected) return Promise.resolve();
  wantsAll = true;
  fetchOn();
  return new Promise((done) => { waitingForAll.push(done); });
}

function nextHole() {
  if (wantedHole && lines.includes(wantedHole)) return wantedHole;
  const isIdle = stream.isLive && !document.hidden && !isProjector && lines.length < idleLines
    && Date.now() - stream.opened > 500 && !navigator.connection?.saveData;
  return wantsAll || isForFirst || isIdle ? lines.filter(isHole).pop() : null;
}

async function fetchOn() {
  if (isFetching) return;
  const canFetch = main.session && stream.isConnected && Date.now() >= pausedUntil;
  const hole = canFetch ? nextHole() : null;
  if (!hole) {
    // Whoever waits for all gets what there is.
    for (const done of waitingForAll.splice(0)) done();
    return;
  }
  isFetching = true;
  try {
    await fetchPiece(hole, ...pieceOf(hole));
  } catch {
    pause(2);
  }
  isFetching = false;
  // Between two pieces what is live has its turn.
  setTimeout(fetchOn, 20);
}

function pause(seconds) { pausedUntil = Date.now() + 1000 * seconds; }

/** From which line to which: the end of the hole that the reader comes from. */
function pieceOf(hole) {
  const row = wantedHole === hole ? places()[0] : null;
  if (hole === missed || hole === special.away || (row && row.index < lines.indexOf(hole))) {
    return [hole.from, Math.min(hole.through, Math.ceil(hole.from / pieceLines) * pieceLines)];
  }
  const start = Math.floor((hole.through - 1) / pieceLines) * pieceLines + 1;
  return [Math.max(hole.from, start), hole.through];
}

async function fetchPiece(hole, from, through) {
  const { session, runs } = hole.book;
  const answer = await fetch(`/history?session=${encodeURIComponent(session)}&run=${runs}`
    + `&before=${through + 1}&count=${through - from + 1}`, { ...request(), cache: "default" });
  if (!answer.ok) return pause(Math.min(60, Number(answer.headers.get("Retry-After")) || 10));
  const rows = (await answer.text()).split("\n").filter(Boolean).map((row) => JSON.parse(row));
  // Numbers of another session, or of a host that was started again, mean other lines.
  if (session !== hole.book.session || runs !== hole.book.runs || !lines.includes(hole)) return;
  fill(hole, rows);
}

function fill(hole, [head, ...said]) {
  const from = Math.max(hole.from, Number(head.from));
  const through = Math.min(hole.through, Number(head.through));
  if (!(from <= through)) return pause(2);
  keepingPlace(() => {
    const { book, through: last, at } = hole;
    const index = lines.indexOf(hole);
    const isWhole = from === hole.from;
    narrow(hole, hole.from, from - 1);
    const [rows, gaps] = oldRows(book, said, from, through, at);
    const later = through < last ? [newHole(book, through + 1, last, at)] : [];
    if (!isWhole) {
      if (rows.length) hole.at = rows[0].at - 0.5;
      moveUp(hole);
    }
    merge(isWhole ? index : index + 1, [...rows, ...later]);
    if (missed === hole && isWhole) missed = rows[0];
    if (special.away === hole && isWhole) only("away", rows[0]);
    for (const gap of gaps) placeEarly(book, ...gap);
  });
  takeRoom();
  if (query) searchOld();
  if (settings.times === "elapsed") showTimes();
  if (isForFirst) goToFirst();
}

/** The rows of what was fetched, the last of which is at a place or before it, and the gaps in it. */
function oldRows(book, said, from, through, at) {
  const [rows, gaps] = [[], []];
  let next = from;
  const leaveOut = (last, place) => {
    if (last < next) return;
    rows.push(newGap(book, next, last, place));
    gaps.push([next, last]);
    next = last + 1;
  };
  for (const value of said) {
    if (value.type === "gap") {
      const before = rows[rows.length - 1];
      leaveOut(Math.min(through, value.through), before ? before.at + 0.5 : 0.5);
      continue;
    }
    const chunk = checked(value, book);
    if (!chunk || !(chunk.seq >= next && chunk.seq <= through)) continue;
    leaveOut(chunk.seq - 1, chunk.at - 0.5);
    next = chunk.seq + 1;
    takeOld(chunk, (line) => rows.push(line));
  }
  leaveOut(through, at);
  return [rows, gaps];
}

/** Corrections and translations of lines that are gone are lines. */
function placeEarly(book, from, through) {
  for (const early of [book.early, book.awaited]) {
    for (const [seq, chunks] of [...early]) {
      if (seq < from || seq > through) continue;
      early.delete(seq);
      for (const chunk of chunks) takeOld(chunk, put);
    }
  }
}

function closeHolesBeyond(book, last) {
  for (const hole of lines.filter((row) => isHole(row) && row.book === book)) {
    if (hole.through <= last) continue;
    // The place of no line is less than its number.
    hole.at = last;
    narrow(hole, hole.from, last);
  }
  for (const [seq, chunks] of [...book.early]) {
    book.early.set(seq, chunks.filter((chunk) => chunk.seq <= last));
  }
}

/** Another session: what was not fetched cannot be had any more. */
function giveUpHoles() {
  for (const hole of lines.filter(isHole)) {
    const gap = newGap(hole.book, hole.from, hole.through, hole.at);
    if (hole.element) hole.element.textContent = gap.text;
    Object.assign(hole, { kind: "note", sort: "gap", text: gap.text });
  }
}

// ---- Over a reload ----

/** What the tab had when it was loaded anew; another session has no use for it. */
let kept = readKept();
// For how long the reader was away, until he has been told what came meanwhile.
let wasAway = 0;

function readKept() {
  try {
    const value = JSON.parse(sessionStorage.getItem("beamscribe.lines"));
    sessionStorage.removeItem("beamscribe.lines");
    const isGood = value && Array.isArray(value.books) && value.books.length
      && value.books.every((book) => book && typeof book.session === "string"
        && Number.isSafeInteger(book.last) && Number.isSafeInteger(book.runs))
      && Array.isArray(value.rows) && value.rows.every(Array.isArray);
    return isGood ? value : null;
  } catch { return null; }
}

function keepLines() {
  if (!main.session || stream.isOver) return;
  const kept = allBooks();
  const known = kept.flatMap(({ early, awaited }) =>
    [...early.values(), ...awaited.values()].flat());
  for (const line of lines) {
    for (const chunk of line.finals || []) {
      if (line.book.bySeq.get(chunk.seq) === line) known.push(chunk);
    }
    if (line.gap) known.push({ at: line.at, book: line.book, seq: line.gap[0], gap: line.gap });
  }
  known.sort((one, other) => (isBefore(one, other) ? 1 : -1));
  const rows = [];
  let left = keptLetters;
  for (const chunk of known) {
    const book = kept.indexOf(chunk.book);
    const row = JSON.stringify(chunk.gap ? [...chunk.gap, book, chunk.at] : [chunk.seq, chunk.text,
      chunk.replaces, chunk.speaker, chunk.lang, chunk.sentTimestamp, chunk.of, book, chunk.at]);
    if ((left -= row.length) < 0) break;
    rows.push(row);
  }
  const [place] = isFollowing ? [] : places().filter(({ row }) => row.seq);
  const rest = { books: kept.map(({ session, label, lang, of, standsInFor, runs, last, at }) =>
    ({ session, label, lang, of, standsInFor, runs, last, at })),
    isTogether: stream.isTogether, since: Date.now(),
    place: place ? { book: kept.indexOf(place.row.book), seq: place.row.seq, offset: place.offset }
      : null };
  const head = JSON.stringify(rest).slice(0, -1);
  try {
    sessionStorage.setItem("beamscribe.lines", `${head},"rows":[${rows.reverse().join()}]}`);
  } catch { return; }
}

/** Puts back what was here before the page was loaded anew. */
function takeKept() {
  const { since, place: was, rows } = kept;
  const known = kept.books;
  kept = null;
  const back = known.map((one, index) => Object.assign(index ? addBook(one) : main,
    { session: one.session, runs: one.runs }));
  const skip = (book, before, at) => {
    if (before > book.last + 1) append(newHole(book, book.last + 1, before - 1, at));
  };
  for (const row of rows) {
    const isGap = row.length === 4;
    const [seq, text, replaces, speaker, lang, sentTimestamp, of] = row;
    const [index, at] = row.slice(-2);
    const book = back[index];
    if (!book) continue;
    const chunk = isGap ? { seq, at }
      : checked({ seq, text, replaces, speaker, lang, sentTimestamp, of, at }, book);
    if (!chunk || !book.isWanted || !(chunk.seq > book.last && chunk.seq <= known[index].last)) {
      continue;
    }
    skip(book, chunk.seq, chunk.at - 0.5);
    if (isGap) addGap(book, seq, book.last = Math.min(known[index].last, text), at);
    else takeOld(chunk, put);
    book.last = Math.max(book.last, chunk.seq);
  }
  back.forEach((book, index) => {
    const { last, at } = known[index];
    // The address may ask for others than it did.
    if (!book.isWanted && book !== main) return books.delete(book.session);
    if (book.isWanted) skip(book, last + 1, Number(at) || last);
    Object.assign(book, { last, at: Number(at) || last });
  });
  isAway = true;
  wasAway = Math.max(1, Date.now() - since);
  const line = was && back[was.book]?.bySeq.get(was.seq);
  if (!line) return;
  isFollowing = false;
  showRow(line, () => Number(was.offset) || 0);
  reading = places();
  wasAway = 0;
}
