// ---- Rows in the document ----

// Only the rows around the reader are in the document, between two spaces. The space above makes up
// for rows of another height (a new scrollTop would end the swing of a finger).
//
// Invariant: of `lines` those from `windowStart` up to `windowEnd` are in the document, less those
// that are not to be shown, in their order, between the two spaces; `above` is the height of the
// first space.
let windowStart = 0;
let windowEnd = 0;
let above = 0;
const spaces = [log.appendChild(make("div", "space")), log.appendChild(make("div", "space"))];
// How many rows on each side of the screen, and how many screens of them, at least: `wanted` where
// all are new; fewer than `near` are added to, a few at a time up to `more`, so that a frame has
// little to lay out; those beyond `far` are let go.
const wanted = [60, 1.5];
const near = [30, 0.75];
const more = [40, 1];
const far = [100, 3];
// What heights are guessed by: the height of a row of letters, how many letters it has, what is
// around it; and what guesses came to, and what those rows really had.
const measures = { row: 40, letters: 30, pad: 10, guessed: 0, found: 0 };

/** After a change of sizes no height is known. */
function measure() {
  const style = getComputedStyle(view);
  const size = parseFloat(style.fontSize);
  const width = log.clientWidth - 1.1 * size;
  Object.assign(measures, { row: parseFloat(style.lineHeight) || 1.4 * size, pad: 0.4 * size,
    letters: Math.max(4, width / (size * (0.5 + settings.spacing))), guessed: 0, found: 0 });
  for (const row of lines) row.height = 0;
}

function guess(row) {
  const letters = row.text.length + (row.speaker ? row.speaker.length + 2 : 0);
  return measures.pad + measures.row * Math.max(1, Math.ceil(letters / measures.letters));
}

function heightOf(row) {
  if (!isShown(row)) return 0;
  const scale = measures.guessed ? measures.found / measures.guessed : 1;
  return row.height || guess(row) * scale;
}

function heights(from, to) {
  let sum = 0;
  for (let index = from; index < to; index += 1) sum += heightOf(lines[index]);
  return sum;
}

/** The wall has nothing but the last lines. */
function isShown(row) {
  if (row.kind !== "line") return !isProjector;
  return !isOther(row) && (!isProjector || row.seq > 0 || settings.partials);
}

/** From a row on, up or down, behind so many that are shown and so many screens. */
function reach(index, step, [rows, screens] = wanted) {
  let [left, height] = isProjector ? [3, 0] : [rows, screens * view.clientHeight];
  while (lines[index] && (left > 0 || height > 0)) {
    if (isShown(lines[index])) {
      left -= 1;
      height -= heightOf(lines[index]);
    }
    index += step;
  }
  return index;
}

function draw(row) {
  if (row.kind === "line") drawLine(row);
  else row.element = make("p", "note " + row.sort, row.text);
  for (const name of Object.keys(special)) {
    row.element.classList.toggle(name, special[name] === row);
  }
  return row.element;
}

function drawn(from, to) {
  const piece = document.createDocumentFragment();
  for (let index = from; index < to; index += 1) {
    if (isShown(lines[index])) piece.append(draw(lines[index]));
  }
  return piece;
}

function erase(row) {
  row.element.remove();
  if (row.kind === "line") forgetDrawing(row);
  row.element = null;
}

function eraseRows(from, to) {
  const rows = lines.slice(from, to).filter((row) => row.element);
  // All are measured before the first goes.
  for (const row of rows) {
    const height = row.element.getBoundingClientRect().height;
    if (!row.height) {
      measures.guessed += guess(row);
      measures.found += height;
    }
    row.height = height;
  }
  rows.forEach(erase);
  return rows.reduce((sum, row) => sum + row.height, 0);
}

function growUp(to) {
  spaces[0].after(drawn(to, windowStart));
  windowStart = to;
}

function growDown(to) {
  spaces[1].before(drawn(windowEnd, to));
  windowEnd = to;
}

/** What is selected stays. */
function cutTop(to) {
  if (hasSelection() || to <= windowStart) return;
  above += eraseRows(windowStart, to);
  windowStart = to;
}

function cutBottom(to) {
  if (hasSelection() || to >= windowEnd) return;
  eraseRows(to, windowEnd);
  windowEnd = to;
}

function openAt(from, to) {
  eraseRows(windowStart, windowEnd);
  windowStart = windowEnd = from;
  growDown(to);
}

let slack = 0;

function layOut() {
  const below = isProjector ? 0 : heights(windowEnd, lines.length) + slack;
  spaces[0].style.height = (isProjector ? 0 : above) + "px";
  spaces[1].style.height = below + "px";
}

/** What was read has moved down by so much: puts it back. */
function shift(by) {
  if (!by) return;
  above -= by;
  if (windowStart === 0 || above < 0) {
    // What scrollTop cannot have, the part of a pixel, stays with the space.
    const whole = Math.floor(above);
    above -= whole;
    layOut();
    view.scrollTop -= whole;
    lastTop = view.scrollTop;
  } else layOut();
}

/** Puts a row so far below the top, with a space above it as it should be. */
function rebase(row, offset) {
  above = heights(0, windowStart);
  layOut();
  view.scrollTop += topOf(row.element) - offset;
  const rest = topOf(row.element) - offset;
  if (Math.abs(rest) < 1) shift(rest);
  lastTop = view.scrollTop;
}

/** Puts a row, or the next one that is shown, on the screen; `offset` is told the row's height. */
function showRow(row, offset) {
  let index = lines.indexOf(row);
  while (index < lines.length - 1 && !isShown(lines[index])) index += 1;
  while (index > 0 && !isShown(lines[index])) index -= 1;
  if (index < 0 || !isShown(lines[index])) return;
  if (index < windowStart || index >= windowEnd) openAt(reach(index - 1, -1) + 1, reach(index, 1));
  rebase(lines[index], offset(lines[index].element.offsetHeight));
  fit();
}

// ---- The window goes with the reader ----

// For paper, all rows are in the document.
let isPrinting = false;

function fit() {
  if (isPrinting) return;
  if (isFollowing || isProjector) fitEnd();
  else fitPlace();
  askForHoles();
}

function fitEnd() {
  const from = reach(lines.length - 1, -1) + 1;
  if (windowEnd < from) {
    openAt(from, lines.length);
    above = heights(0, windowStart);
  } else {
    if (windowEnd < lines.length) growDown(lines.length);
    if (windowStart > from) growUp(from);
    else if (from - windowStart > (isProjector ? 0 : 40)) cutTop(from);
  }
  layOut();
  stayAtEnd();
}

function fitPlace() {
  const before = places();
  if (!before.length) return jump();
  const indexes = before.map(({ index }) => index);
  const [top, bottom] = [Math.min(...indexes), Math.max(...indexes)];
  const [wasFirst, wasEnd] = [windowStart, windowEnd];
  if (windowStart > reach(top - 1, -1, near) + 1) growUp(reach(top - 1, -1, more) + 1);
  else cutTop(reach(top - 1, -1, far) + 1);
  if (windowEnd < reach(bottom + 1, 1, near)) growDown(reach(bottom + 1, 1, more));
  else cutBottom(reach(bottom + 1, 1, far));
  layOut();
  if (wasFirst !== windowStart || wasEnd !== windowEnd) restore(before);
}

/** The reader has gone where no rows are: by the bar at the side, or by a key. */
function jump() {
  if (!lines.length) return;
  const start = spaces[0].getBoundingClientRect().top - edge();
  const rest = spaces[1].getBoundingClientRect();
  const index = start + above > 0 ? rowAt(0, windowStart, -start / above)
    : rowAt(windowEnd, lines.length, (edge() - rest.top) / rest.height);
  openAt(reach(index - 1, -1) + 1, reach(index, 1));
  layOut();
  const row = lines[index].element;
  if (row) shift(topOf(row) - (index ? 0 : Math.max(0, start)));
}

/** The row at a part, 0 to 1, of the height of some. */
function rowAt(from, to, part) {
  let left = Math.min(1, Math.max(0, part || 0)) * heights(from, to);
  let index = from;
  while (index < to - 1 && (left -= heightOf(lines[index])) > 0) index += 1;
  while (index > 0 && (!lines[index] || !isShown(lines[index]))) index -= 1;
  return index;
}

// ---- Rows that come and go ----

function append(row) {
  lines.push(row);
  document.body.classList.add("begun");
}

/** By the place among the lines of all logs; where two were said at once, by the log. */
const isBefore = (one, other) => one.at < other.at
  || (one.at === other.at && one.book.session < other.book.session);

/** Where a row belongs among those before `index`: before what comes later, and before what others have
 * not finished; else there. */
function placeOf(row, index = lines.length) {
  let place = index;
  for (; index > 0; index -= 1) {
    const other = lines[index - 1];
    if (other.at && isBefore(other, row)) break;
    if (other.at || (other.isOpen && other.book !== row.book)) place = index - 1;
  }
  return place;
}

/** Puts a row where it belongs. */
function put(row) { insert(placeOf(row), [row]); }

/** Puts rows that are in their order where they belong among those before `index`. */
function merge(index, rows) {
  for (let end = rows.length; end > 0;) {
    index = placeOf(rows[end - 1], index);
    let start = end - 1;
    while (start > 0 && placeOf(rows[start - 1], index) === index) start -= 1;
    insert(index, rows.slice(start, end));
    end = start;
  }
}

/** Moves a row before those before it that belong behind it. */
function moveUp(row) {
  const index = lines.lastIndexOf(row);
  const place = placeOf(row, index);
  if (place === index) return;
  removeRow(row);
  insert(place, [row]);
}

/** Puts rows between others. Where many are to be in the window, it goes on at the reader's side. */
function insert(index, rows) {
  if (index === lines.length) return rows.forEach(append);
  if (index > windowStart && index < windowEnd && rows.length > 20) {
    const [place] = places();
    if (isFollowing || !place || place.index >= index) cutTop(index);
    else cutBottom(index);
  }
  lines.splice(index, 0, ...rows);
  if (index <= windowStart) {
    windowStart += rows.length;
    windowEnd += rows.length;
  } else if (index < windowEnd) {
    // They are few, or the window could not be cut, for something is selected.
    windowEnd += rows.length;
    const next = lines.slice(index + rows.length, windowEnd).find((row) => row.element);
    (next ? next.element : spaces[1]).before(drawn(index, index + rows.length));
  }
}

function removeRow(row) {
  const index = lines.lastIndexOf(row);
  if (index < 0) return;
  if (row.element) erase(row);
  lines.splice(index, 1);
  if (index < windowStart) windowStart -= 1;
  if (index < windowEnd) windowEnd -= 1;
}

/** A row has become one that is shown, or that is not. */
function refresh(row) {
  if (Boolean(row.element) === isShown(row)) return;
  const index = lines.lastIndexOf(row);
  if (index < windowStart || index >= windowEnd) return;
  if (row.element) return erase(row);
  const next = lines.slice(index + 1, windowEnd).find((each) => each.element);
  (next ? next.element : spaces[1]).before(draw(row));
}

/** Other rows are to be shown, or all look otherwise. */
function redraw() {
  eraseRows(windowStart, windowEnd);
  const [from, to] = [windowStart, windowEnd];
  windowStart = windowEnd = from;
  growDown(to);
}
