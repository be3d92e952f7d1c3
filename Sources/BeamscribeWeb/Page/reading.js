// ---- Where the reader is ----

let isFollowing = true;
let newLines = 0;
let lastTop = 0;
let mark = store.read("mark");
// The reader is away while he has scrolled back or the page is hidden; `newLines` have come since
// then, and `missed` is the first of them. A jump holds a row on the screen until he scrolls.
let isAway = false;
let missed = null;
let back = { at: 0, lines: 0 };
let held = null;
let reading = [];
// The reader wants the first line, wherever it is.
let isForFirst = false;
// One row each: the mark, what the search has found, what came first while the reader was away.
const special = { marked: null, found: null, away: null };

const below = () => view.scrollHeight - view.clientHeight - view.scrollTop;
const edge = () => view.getBoundingClientRect().top;
const topOf = (element) => element.getBoundingClientRect().top - edge();

function hasSelection() {
  const selection = getSelection();
  return Boolean(selection) && !selection.isCollapsed && log.contains(selection.anchorNode);
}

function stayAtEnd() {
  if (!isFollowing) return;
  view.scrollTop = view.scrollHeight;
  lastTop = view.scrollTop;
}

function follow() {
  letGo();
  isFollowing = true;
  isAway = document.hidden;
  newLines = 0;
  fit();
  showJumps();
}

function stopFollowing() {
  if (!isFollowing || isProjector) return;
  isFollowing = false;
  reading = places();
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

/** The reader moves by himself: what the page has held for him ends. */
function letGo() {
  held = null;
  isForFirst = false;
}

// Only a way up by the reader stops following. Text that grows does not move the view, and text
// that goes away moves it, but to the end.
on(view, "scroll", () => {
  const top = view.scrollTop;
  if (top < lastTop - 1 && below() > 2) stopFollowing();
  else if (top > lastTop && below() < 16 && !isFollowing && !held) follow();
  lastTop = top;
  if (!isFollowing) fit();
  clearTimeout(settling);
  settling = setTimeout(settle, 150);
});

let settling = 0;

/** Rows have come above that have no room there yet. */
function takeRoom() {
  if (isFollowing) {
    above = heights(0, windowStart);
    layOut();
    return stayAtEnd();
  }
  clearTimeout(settling);
  settling = setTimeout(settle, 150);
}

/** The view stands still: the space above may be what it should be. */
function settle() {
  if (isFollowing) return;
  reading = places();
  const drift = Math.abs(above - heights(0, windowStart));
  if (reading.length && drift > 2 * view.clientHeight) {
    rebase(reading[0].row, reading[0].offset);
  }
}

// What is selected must not run away before it is copied.
on(document, "selectionchange", () => { if (isFollowing && hasSelection()) stopFollowing(); });

function showJumps() {
  $("live").hidden = isFollowing;
  $("live").textContent = newLines ? say("new_lines", { count: newLines }) : say("to_live");
  // Offered for a while; later the key and the button in the settings do it. The last few lines
  // are still on the screen.
  $("missed").hidden = back.lines < 4 || !isFollowing || Date.now() - back.at > 30000;
  $("missed").textContent = say("while_away", { count: back.lines });
}

/** The rows on the screen, and how far below its top each stands; first those that are there whole:
 * one that grows above them grows upwards. A hole is no place: lines come out of it. */
function places() {
  const top = edge();
  const bottom = top + view.clientHeight;
  const [whole, cut] = [[], []];
  for (let index = windowStart; index < windowEnd; index += 1) {
    const row = lines[index];
    if (!row.element || row.kind === "hole") continue;
    const box = row.element.getBoundingClientRect();
    if (box.height === 0 || box.bottom <= top + 1) continue;
    if (box.top >= bottom) break;
    (box.top >= top - 1 ? whole : cut).push({ row, index, offset: box.top - top });
  }
  return [...whole, ...cut];
}

/** Does something that moves lines, and puts what was read back in its place. */
function keepingPlace(change) {
  const before = isFollowing ? [] : places();
  // Were what is below to become shorter, the browser would move the view.
  slack = isFollowing ? 0 : view.clientHeight;
  layOut();
  change();
  layOut();
  restore(before);
  if (!isFollowing) {
    slack = Math.max(0, slack - Math.floor(below()));
    layOut();
  }
  fit();
}

function restore(before) {
  if (isFollowing) return stayAtEnd();
  const known = before.find(({ row }) => row.element && row.element.offsetHeight > 0);
  if (known) shift(topOf(known.row.element) - known.offset);
}

/** Sizes are others: the rows around what was read are drawn anew around it. */
function resize(before) {
  measure();
  if (isFollowing) return fit();
  if (lines.includes(held)) return center(held);
  const known = before.find(({ row }) => lines.includes(row) && isShown(row));
  if (known) showRow(known.row, () => known.offset);
  else fit();
}

function goTo(row) {
  stopFollowing();
  held = row;
  center(row);
}

function center(row) {
  showRow(row, (height) => Math.max(0, (view.clientHeight - height) / 2));
  reading = places();
}

function goToFirst() {
  stopFollowing();
  isForFirst = true;
  if (windowStart > 0) openAt(0, reach(0, 1));
  above = 0;
  layOut();
  view.scrollTop = lastTop = 0;
  fit();
}

/** Gives a class to one row only. */
function only(name, row) {
  const old = special[name];
  special[name] = row || null;
  if (old && old.element) old.element.classList.remove(name);
  if (row && row.element) row.element.classList.add(name);
}

function goToMissed() {
  if (!missed || !lines.includes(missed)) return tell(say("missed_nothing"));
  only("away", missed);
  goTo(missed);
  tell(say("first_missed"));
}

/** Marks the line that is read: the newest at live, else the first that is on the screen whole. */
function toggleMark() {
  const [place] = isFollowing ? [] : places();
  const shown = lines.slice(place ? place.index : 0).filter((row) => row.seq && !isOther(row));
  const line = isFollowing ? shown[shown.length - 1] : shown[0];
  if (!line) return tell(say("no_line"));
  mark = line === marked() ? null : { session: line.book.session, seq: line.seq };
  store.write("mark", mark);
  showMark();
  tell(mark ? say("marked", { line: line.text }) : say("unmarked"));
}

/** The mark that was set in another tab. */
function adoptMark() {
  mark = store.read("mark");
  showMark();
}

const marked = () => bookOf(mark?.session)?.bySeq.get(mark.seq);

function showMark() {
  only("marked", marked());
  $("mark").setAttribute("aria-pressed", String(Boolean(marked())));
}

async function goToMark() {
  const book = bookOf(mark?.session);
  if (!marked() && book && isAtHost(book, mark.seq)) await everything();
  if (!marked()) return tell(say("no_mark"));
  goTo(marked());
}
