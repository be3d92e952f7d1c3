// ---- Where the reader is ----

let isFollowing = true;
let newLines = 0;
let lastTop = 0;
let mark = store.read("mark");
// The reader is away while he has scrolled back or the page is hidden; `newLines` have come since
// then, and `missed` is the first of them. A jump holds the view until he scrolls himself.
let isAway = false;
let missed = null;
let back = { at: 0, lines: 0 };
let isHeld = false;
let reading = null;

const below = () => view.scrollHeight - view.clientHeight - view.scrollTop;
const edge = () => view.getBoundingClientRect().top;
const topOf = (element) => element.getBoundingClientRect().top - edge();

function stayAtEnd() {
  if (!isFollowing) return;
  view.scrollTop = view.scrollHeight;
  lastTop = view.scrollTop;
}

function follow() {
  isFollowing = true;
  isAway = document.hidden;
  newLines = 0;
  stayAtEnd();
  showJumps();
}

function stopFollowing() {
  if (!isFollowing || isProjector) return;
  isFollowing = false;
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

// Only a way up by the reader stops following. Text that grows does not move the view, and text
// that goes away moves it, but to the end.
on(view, "scroll", () => {
  const top = view.scrollTop;
  if (top < lastTop - 1 && below() > 2) stopFollowing();
  else if (top > lastTop && below() < 16 && !isFollowing && !isHeld) follow();
  lastTop = top;
  clearTimeout(reading?.timer);
  reading = { ...reading, timer: setTimeout(() => { reading = topLine(); }, 150) };
});

function showJumps() {
  $("live").hidden = isFollowing;
  $("live").textContent = newLines ? `${count(newLines, "new line")} ↓` : "Live ↓";
  // Offered for a while; later the key and the button in the settings do it. The last few lines
  // are still on the screen.
  $("missed").hidden = back.lines < 4 || !isFollowing || Date.now() - back.at > 30000;
  $("missed").textContent = `↑ ${count(back.lines, "line")} while you were away`;
}

/** The first line on the screen, and how far below the top it stands. */
function topLine() {
  const isShown = (element) => topOf(element) + element.offsetHeight > 1;
  const element = [...([...log.children].find(isShown)?.children ?? [])].find(isShown);
  return element ? { element, offset: topOf(element) } : null;
}

/** Does something that moves lines, and puts the one that was read back in its place. */
function keepingPlace(change) {
  const before = isFollowing ? null : topLine();
  change();
  restore(before);
}

function restore(line) {
  if (isFollowing) return stayAtEnd();
  if (!line?.element?.isConnected) return;
  view.scrollTop += topOf(line.element) - line.offset;
  lastTop = view.scrollTop;
}

function goTo(element) {
  stopFollowing();
  isHeld = true;
  element.scrollIntoView({ block: "center" });
  // The blocks around it get their true heights only now.
  requestAnimationFrame(() => element.scrollIntoView({ block: "center" }));
}

/** Gives a class to one line only. */
function only(name, element) {
  for (const old of log.querySelectorAll("." + name)) old.classList.remove(name);
  element?.classList.add(name);
}

function goToMissed() {
  if (!missed?.element.isConnected) return tell("You have missed nothing.");
  only("away", missed.element);
  goTo(missed.element);
  tell("The first line that came while you were away.");
}

/** Marks the line that is read: the newest at live, else the first that is on the screen whole. */
function toggleMark() {
  const first = isFollowing ? 0 : lines.indexOf(topLine()?.element.lineOfPage);
  const shown = lines.slice(Math.max(0, first)).filter((each) => each.seq && !isOther(each));
  const line = isFollowing ? shown.at(-1) : shown.find((each) => topOf(each.element) > -2);
  if (!line) return tell("There is no line to mark yet.");
  mark = line === marked() ? null : { session: stream.session, seq: line.seq };
  store.write("mark", mark);
  showMark();
  tell(mark ? "Marked: " + line.text.data : "The mark is taken away.");
}

const marked = () => (mark?.session === stream.session ? bySeq.get(mark?.seq) : null);

function showMark() {
  only("marked", marked()?.element);
  $("mark").setAttribute("aria-pressed", String(Boolean(marked())));
}

function goToMark() {
  if (!marked()) return tell("You have marked no place.");
  goTo(marked().element);
}

/** The wall shows the last three lines. */
function showLast() {
  if (!isProjector) return;
  only("last", null);
  for (let index = lines.length - 1, left = 3; index >= 0 && left > 0; index -= 1) {
    const line = lines[index];
    if (isOther(line) || (!line.seq && !settings.partials)) continue;
    line.element.classList.add("last");
    left -= 1;
  }
}
