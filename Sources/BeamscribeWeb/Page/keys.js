// ---- Keys and buttons ----

let stirred = Date.now();
let hiddenAt = 0;

function stir() {
  stirred = Date.now();
  document.body.classList.remove("calm");
}

async function saveHere() {
  await everything();
  const text = lines.filter((line) => line.seq).map((line) => wording(line) + "\n").join("");
  const link = make("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = document.title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) + ".txt";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function step(key, by) {
  const range = document.querySelector(`[data-set=${key}]`);
  const value = Math.min(range.max, Math.max(range.min, settings[key] + by));
  set(key, Math.round(value * 100) / 100);
}

function cycle(key, values) {
  set(key, values[(values.indexOf(settings[key]) + 1) % values.length]);
}

function wholeScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else root.requestFullscreen?.();
}

/** By a row, or by a screenful (infinity). */
function scroll(rows) {
  letGo();
  const row = parseFloat(getComputedStyle(view).lineHeight);
  view.scrollBy(0, Math.abs(rows) === 1 ? rows * row
    : Math.sign(rows) * Math.max(row, view.clientHeight - 2 * row));
}

// Keys that scroll: always, wherever the focus is outside of controls.
const scrolling = {
  ArrowUp: () => scroll(-1), ArrowDown: () => scroll(1),
  PageUp: () => scroll(-Infinity), PageDown: () => scroll(Infinity),
  Home: goToFirst, End: follow,
  Escape: () => { if (!$("search").hidden) closeSearch(); },
};
// Keys of one letter, which can be switched off: speech input may type them unasked.
const letters = {
  k: scrolling.ArrowUp, j: scrolling.ArrowDown, G: follow, " ": follow, w: goToMissed,
  m: toggleMark, "'": goToMark, "/": openSearch, n: () => stepHit(-1), N: () => stepHit(1),
  "+": () => step("size", 0.1), "=": () => step("size", 0.1), "-": () => step("size", -0.1),
  ">": () => step("width", 5), "<": () => step("width", -5), c: () => cycle("theme", themes),
  t: () => cycle("times", ["off", "clock", "elapsed"]),
  p: () => set("partials", !settings.partials),
  l: () => { if (!$("listen").hidden) toggleSound(); },
  f: wholeScreen, s: () => openDialog("panel"), "?": () => openDialog("list"),
};

on(document, "keydown", (event) => {
  stir();
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (openedDialog()) return keepInDialog(event);
  if (event.key === "Escape") return scrolling.Escape();
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === " " && event.target.closest("button, a")) return;
  const action = scrolling[event.key] ?? (settings.keys ? letters[event.key] : null);
  if (!action) return;
  event.preventDefault();
  action();
});

const onClick = {
  find: () => ($("search").hidden ? openSearch() : closeSearch()), close: closeSearch,
  newer: () => stepHit(1), mark: toggleMark, listen: toggleSound, live: follow, missed: goToMissed, again: begin,
  settings: () => openDialog("panel"), keys: () => openDialog("list"), whole: wholeScreen,
  "to-missed": () => { closeDialog(); goToMissed(); },
  "to-mark": () => { closeDialog(); goToMark(); },
  keep: saveHere,
  reset: () => { Object.assign(settings, standard); set("theme", "auto"); loadWords(); },
};
for (const [id, action] of Object.entries(onClick)) on($(id), "click", () => action());

on($("search"), "submit", (event) => { event.preventDefault(); stepHit(-1); });
on($("query"), "input", search);
on($("query"), "keydown", (event) => {
  if (event.key !== "Enter" || !event.shiftKey) return;
  event.preventDefault();
  stepHit(1);
});
// A link to a host that has gone would lead to an error of the browser's.
on($("saving"), "click", async (event) => {
  const link = event.target.closest("a");
  $("not-saved").textContent = "";
  if (!link || (stream.isConnected && Date.now() - stream.heard < 9000)) return;
  event.preventDefault();
  try {
    const answer = await fetch("/healthz", request());
    if (answer.ok) return location.assign(link.href);
  } catch { /* said below */ }
  $("not-saved").textContent = say("not_saved");
});
on($("panel"), "input", ({ target }) => {
  if (target.name === "theme") return set("theme", target.value);
  const value = target.type === "checkbox" ? target.checked : target.value;
  set(target.dataset.set, target.type === "range" ? Number(value) : value);
  loadWords();
});
// A touch beside a dialog closes it.
on(document, "click", ({ target }) => {
  if (!isBareDialog) return target.matches("dialog") && target.close();
  if (openedDialog() && !target.closest("dialog, #settings")) closeDialog();
});

on(document, "click keydown", askAfterTouch);
on(document, "pointermove focusin", stir);
on(document, "pointerdown touchmove wheel", ({ target }) => {
  stir();
  if (view.contains(target)) letGo();
});
for (const wish of [wantsLight, wantsContrast]) wish.addEventListener?.("change", applyTheme);

on(document, "visibilitychange", () => {
  if (document.hidden) {
    hiddenAt = Date.now();
    keepLines();
    giveRoom();
    return leave();
  }
  flush();
  comeBack(Date.now() - hiddenAt);
  wake();
});
// A page in the browser's cache for going back, or one that is frozen, must not hold a connection:
// it could not read it. What it misses comes behind the last line.
on(window, "pagehide", (event) => {
  keepLines();
  if (event.persisted) stop();
  else tellTabs(false);
});
on(document, "freeze", stop);
on(window, "pageshow", (event) => { if (event.persisted) wake(); });
on(document, "resume", wake);
on(window, "online", wake);
on(window, "beforeprint", () => {
  isPrinting = !isProjector;
  if (!isPrinting) return;
  growUp(0);
  growDown(lines.length);
  above = 0;
  layOut();
});
on(window, "afterprint", () => {
  isPrinting = false;
  resize(reading);
});
// What another tab has kept: its settings are this one's, too, and neither undoes the other's.
on(window, "storage", ({ key }) => {
  if (key === "beamscribe.streams") giveRoom();
  if (key === "beamscribe." + place) adoptSettings();
  if (key === "beamscribe.mark") adoptMark();
});
// Another link in the same tab.
on(window, "hashchange", () => (stream.isOver ? location.reload() : begin()));

new ResizeObserver(() => resize(reading)).observe(view);
new ResizeObserver(stayAtEnd).observe(log);
setInterval(() => {
  settleOld(Date.now());
  fetchOn();
  watchHost();
  // One that has not even begun is tried again sooner: it may have got a dead connection.
  checkStream(stream.isConnected ? 12000 : 6000);
  if (stream.source) tellTabs(true);
  showJumps();
  showState();
}, 1000);

document.body.classList.toggle("projector", isProjector);
$("whole").hidden = !document.fullscreenEnabled;
applySettings();
showState();
// The words first, where they come soon: what a screen reader says at the start is said once.
Promise.race([loadWords(), new Promise((done) => setTimeout(done, 1500))]).then(begin);
// All of the page's script is here and has run: see floor.js.
root.dataset.runs = "yes";
