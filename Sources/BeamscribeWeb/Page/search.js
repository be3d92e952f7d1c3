// ---- Search ----

let query = null;
let hits = [];
let hit = -1;
const painted = canPaint ? new Highlight() : null;
if (canPaint) CSS.highlights.set("hits", painted);

const whole = (line) =>
  (line.speaker && settings.names ? line.speaker + ": " : "") + line.text.data;

function search() {
  const words = $("query").value.trim().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  query = words ? new RegExp(words, "giu") : null;
  painted?.clear();
  hits = query ? lines.filter(matches) : [];
  hits.forEach(paintHits);
  // It begins at what is on the screen, and goes back.
  const isAbove = (line) => isFollowing || topOf(line.element) < view.clientHeight;
  chooseHit(Math.max(hits.findLastIndex(isAbove), Math.min(0, hits.length - 1)));
}

const matches = (line) => line.seq > 0 && !isOther(line) && whole(line).search(query) >= 0;

/** Takes in a line that is new, or has other words. */
function searchLine(line) {
  if (!matches(line)) return;
  if (!hits.includes(line)) hits.push(line);
  paintHits(line);
  showCount();
}

function paintHits(line) {
  if (!canPaint || painted.size > 5000) return;
  for (const match of line.text.data.matchAll(query)) {
    painted.add(new StaticRange({ startContainer: line.text, startOffset: match.index,
      endContainer: line.text, endOffset: match.index + match[0].length }));
  }
}

function chooseHit(index) {
  hit = index;
  only("found", hits[hit]?.element);
  if (hits[hit]) goTo(hits[hit].element);
  showCount();
}

function showCount() {
  $("count").textContent = !query ? "" : hits.length === 0 ? "Nothing found"
    : `${number.format(hit + 1)} of ${number.format(hits.length)}`;
}

function stepHit(step) {
  if (hits.length) chooseHit((hit + step + hits.length) % hits.length);
}

function openSearch() {
  keepingPlace(() => { $("search").hidden = false; });
  $("query").focus();
  $("query").select();
}

function closeSearch() {
  keepingPlace(() => { $("search").hidden = true; });
  $("query").value = "";
  search();
  view.focus({ preventScroll: true });
}
