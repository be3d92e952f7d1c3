// ---- What was said before ----

// The stream begins with the newest lines; older ones stay at the host as holes among the rows, and
// are fetched in pieces: where the reader comes to a hole, searches or saves, and else when nothing
// happens. A reload finds what was here in the tab's own memory.
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

function isAtHost(seq) {
  return Boolean(seq) && lines.some((row) => isHole(row) && row.from <= seq && seq <= row.through);
}

function newHole(from, through) {
  return { kind: "hole", element: null, height: 0, sort: "hole", from, through,
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

/** The stream goes on behind `after`: what was said up to there is at the host, or gone. */
function skipTo(after, firstSeq) {
  if (!Number.isSafeInteger(after) || after <= stream.last) return;
  let from = stream.last + 1;
  if (firstSeq > from) {
    addGap(from, Math.min(after, firstSeq - 1));
    from = firstSeq;
  }
  stream.last = after;
  if (from > after) return;
  const hole = newHole(from, after);
  append(hole);
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
  const canFetch = stream.session && stream.isConnected && Date.now() >= pausedUntil;
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
  const { session, runs } = stream;
  const answer = await fetch(`/history?session=${encodeURIComponent(session)}&run=${runs}`
    + `&before=${through + 1}&count=${through - from + 1}`, { ...request(), cache: "default" });
  if (!answer.ok) return pause(Math.min(60, Number(answer.headers.get("Retry-After")) || 10));
  const rows = (await answer.text()).split("\n").filter(Boolean).map((row) => JSON.parse(row));
  // Numbers of another session, or of a host that was started again, mean other lines.
  if (session !== stream.session || runs !== stream.runs || !lines.includes(hole)) return;
  fill(hole, rows);
}

function fill(hole, [head, ...said]) {
  const from = Math.max(hole.from, Number(head.from));
  const through = Math.min(hole.through, Number(head.through));
  if (!(from <= through)) return pause(2);
  keepingPlace(() => {
    const [index, last] = [lines.indexOf(hole), hole.through];
    const isWhole = from === hole.from;
    narrow(hole, hole.from, from - 1);
    const [rows, gaps] = oldRows(said, from, through);
    const later = through < last ? [newHole(through + 1, last)] : [];
    insert(isWhole ? index : index + 1, [...rows, ...later]);
    if (missed === hole && isWhole) missed = rows[0];
    if (special.away === hole && isWhole) only("away", rows[0]);
    for (const gap of gaps) placeEarly(...gap);
  });
  takeRoom();
  if (query) searchOld();
  if (settings.times === "elapsed") showTimes();
  if (isForFirst) goToFirst();
}

/** The rows of what was fetched, and the gaps in it. */
function oldRows(said, from, through) {
  const [rows, gaps] = [[], []];
  let next = from;
  const leaveOut = (last) => {
    if (last < next) return;
    rows.push(newGap(next, last));
    gaps.push([next, last]);
    next = last + 1;
  };
  for (const value of said) {
    if (value.type === "gap") {
      leaveOut(Math.min(through, value.through));
      continue;
    }
    const chunk = checked(value);
    if (!chunk || !(chunk.seq >= next && chunk.seq <= through)) continue;
    leaveOut(chunk.seq - 1);
    next = chunk.seq + 1;
    takeOld(chunk, (line) => rows.push(line));
  }
  leaveOut(through);
  return [rows, gaps];
}

/** Corrections of lines that are gone are lines. */
function placeEarly(from, through) {
  for (const [seq, chunks] of [...early]) {
    if (seq < from || seq > through) continue;
    early.delete(seq);
    for (const chunk of chunks) takeOld(chunk, (line) => insert(placeOf(line.seq), [line]));
  }
}

/** Behind the last line with a smaller number. */
function placeOf(seq) {
  let index = lines.length;
  while (index > 0 && !(lines[index - 1].seq && lines[index - 1].seq < seq)) index -= 1;
  return index;
}

function closeHolesBeyond(last) {
  for (const hole of lines.filter(isHole)) narrow(hole, hole.from, Math.min(hole.through, last));
  for (const [seq, chunks] of [...early]) {
    early.set(seq, chunks.filter((chunk) => chunk.seq <= last));
  }
}

/** Another session: what was not fetched cannot be had any more. */
function giveUpHoles() {
  early = new Map();
  for (const hole of lines.filter(isHole)) {
    const gap = newGap(hole.from, hole.through);
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
    const isGood = value && typeof value.session === "string"
      && Array.isArray(value.rows) && value.rows.every(Array.isArray)
      && Number.isSafeInteger(value.last) && Number.isSafeInteger(value.runs);
    return isGood ? value : null;
  } catch { return null; }
}

function keepLines() {
  if (!stream.session || stream.isOver) return;
  const known = [...early.values()].flat();
  for (const line of lines) {
    for (const chunk of line.finals || []) if (bySeq.get(chunk.seq) === line) known.push(chunk);
    if (line.gap) known.push({ seq: line.gap[0], gap: line.gap });
  }
  known.sort((one, other) => other.seq - one.seq);
  const rows = [];
  let left = keptLetters;
  for (const chunk of known) {
    const row = JSON.stringify(chunk.gap || [chunk.seq, chunk.text, chunk.replaces, chunk.speaker,
      chunk.lang, chunk.sentTimestamp]);
    if ((left -= row.length) < 0) break;
    rows.push(row);
  }
  const [place] = isFollowing ? [] : places().filter(({ row }) => row.seq);
  const rest = { session: stream.session, runs: stream.runs, last: stream.last, since: Date.now(),
    place: place ? { seq: place.row.seq, offset: place.offset } : null };
  const head = JSON.stringify(rest).slice(0, -1);
  try {
    sessionStorage.setItem("beamscribe.lines", `${head},"rows":[${rows.reverse().join()}]}`);
  } catch { return; }
}

/** Puts back what was here before the page was loaded anew. */
function takeKept() {
  const { session, runs, last, since, place: was, rows } = kept;
  kept = null;
  Object.assign(stream, { session, runs });
  const skip = (before) => {
    if (before > stream.last + 1) append(newHole(stream.last + 1, before - 1));
  };
  for (const row of rows) {
    const isGap = row.length === 2 && Number.isSafeInteger(row[1]);
    const [seq, text, replaces, speaker, lang, sentTimestamp] = row;
    const chunk = isGap ? { seq } : checked({ seq, text, replaces, speaker, lang, sentTimestamp });
    if (!chunk || !(chunk.seq > stream.last && chunk.seq <= last)) continue;
    skip(chunk.seq);
    if (isGap) addGap(seq, stream.last = Math.min(last, row[1]));
    else takeOld(chunk, append);
    stream.last = Math.max(stream.last, chunk.seq);
  }
  skip(last + 1);
  stream.last = last;
  isAway = true;
  wasAway = Math.max(1, Date.now() - since);
  const line = was && bySeq.get(was.seq);
  if (!line) return;
  isFollowing = false;
  showRow(line, () => Number(was.offset) || 0);
  reading = places();
  wasAway = 0;
}
