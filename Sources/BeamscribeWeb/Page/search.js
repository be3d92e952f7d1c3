// ---- Search ----

let query = null;
let hits = [];
let hit = -1;
const painted = canPaint ? new Highlight() : null;
if (canPaint) CSS.highlights.set("hits", painted);

const wording = (line) =>
  (line.speaker && settings.names ? line.speaker + ": " : "") + line.text;

/** Without the accents of European letters: who types "cafe" finds "café". A letter at a time, so
 * that those of other scripts, of which marks are a part, stay whole. */
const plain = (text) => text.replace(/[^\0-\x7f]/gu, (letter) =>
  letter.normalize("NFD").replace(/[\u0300-\u036f]/g, "").normalize());

/** Where each letter of the plain text stands in the text itself, and behind them its end. */
function placesOfPlain(text) {
  const starts = [];
  let at = 0;
  for (const letter of text) {
    for (let left = plain(letter).length; left > 0; left -= 1) starts.push(at);
    at += letter.length;
  }
  return [...starts, at];
}

function search() {
  const words = plain($("query").value.trim()).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  query = words ? new RegExp(words, "giu") : null;
  painted?.clear();
  for (const line of hits) line.hits = null;
  hits = query ? lines.filter(matches) : [];
  for (const line of hits) paintHits(line);
  // It begins at what is on the screen, and goes back.
  const shown = places().map(({ index }) => index);
  const bottom = isFollowing || !shown.length ? lines.length : Math.max(...shown);
  const above = new Set(lines.slice(0, bottom + 1));
  const older = hits.filter((line) => above.has(line)).length;
  chooseHit(Math.max(older - 1, Math.min(0, hits.length - 1)));
  if (query) everything();
}

/** Older lines have come: they are searched, too. */
function searchOld() {
  const chosen = hits[hit];
  hits = lines.filter(matches);
  hit = hits.indexOf(chosen);
  if (hit < 0 && hits.length) chooseHit(hits.length - 1);
  showCount();
}

const matches = (line) => line.seq > 0 && !isOther(line) && plain(wording(line)).search(query) >= 0;

/** Takes in a line that is new, or has other words. */
function searchLine(line) {
  if (!matches(line)) return;
  if (!hits.includes(line)) hits.push(line);
  paintHits(line);
  showCount();
}

/** In the document only: a line that comes into it is painted as it is drawn. */
function paintHits(line) {
  if (!canPaint || !line.node) return;
  for (const range of line.hits || []) painted.delete(range);
  line.hits = [];
  const starts = placesOfPlain(line.text);
  for (const match of plain(line.text).matchAll(query)) {
    const range = new StaticRange({ startContainer: line.node, startOffset: starts[match.index],
      endContainer: line.node, endOffset: starts[match.index + match[0].length] });
    line.hits.push(range);
    painted.add(range);
  }
}

function chooseHit(index) {
  hit = index;
  only("found", hits[hit]);
  if (hits[hit]) goTo(hits[hit]);
  showCount();
}

function showCount() {
  $("count").textContent = !query ? "" : hits.length === 0 ? say("nothing_found")
    : say("hit_of", { hit: hit + 1, all: hits.length }) + (hasHoles() ? "…" : "");
}

function stepHit(step) {
  if (hits.length) chooseHit((hit + step + hits.length) % hits.length);
}

// Where the reader was when he opened the search: nothing where he was live.
let whereFrom = null;

function openSearch() {
  if ($("search").hidden) whereFrom = isFollowing ? null : places();
  keepingPlace(() => { $("search").hidden = false; });
  $("query").focus();
  $("query").select();
}

function closeSearch() {
  keepingPlace(() => { $("search").hidden = true; });
  // Whoever has moved on by himself from what was found stays there.
  const wasFound = held && hit >= 0;
  $("query").value = "";
  search();
  if (wasFound) goBack();
  view.focus({ preventScroll: true });
}

function goBack() {
  held = null;
  const known = (whereFrom || []).find(({ row }) => lines.includes(row) && isShown(row));
  if (!whereFrom) return follow();
  if (known) showRow(known.row, () => known.offset);
  // The view has grown by the search's height, and will be put where this says.
  reading = places();
}
