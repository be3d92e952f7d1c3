// ---- What an interpreter has said ----

// A translation's line that names none of its original stands for what was said there since the one
// before it, if that is not long ago. What was said before his first, and behind his newest, stands.
const mostInterpreted = 32;

/** Of the first place that is higher; the number of places where none is. */
function indexAbove(places, place) {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle] <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether an interpreter's lines stand in the place of a line. */
function isInterpreted({ book, at }) {
  return at > 0 && [...books.values()].some(({ of, lang, spoken }) => {
    if (!of || !speaksFor(book, of) || lang !== shownLang) return false;
    const next = indexAbove(spoken, at);
    return next > 0 && next < spoken.length && spoken[next] - spoken[next - 1] <= mostInterpreted;
  });
}

/** He has said a line: what it stands for is shown no more. */
function interpret({ book, at }) {
  const { spoken } = book;
  const index = indexAbove(spoken, at - 1);
  if (spoken[index] !== at) spoken.splice(index, 0, at);
  const [from, to] = [spoken[index - 1] ?? at, spoken[index + 1] ?? at];
  for (const row of lines.slice(windowStart, windowEnd)) {
    if (row.at >= from && row.at < to) refresh(row);
  }
}
