// ---- The screen stays on ----

let lock = null;
let isAsking = false;
// WebKit, on iPhones too, lets a page ask only once somebody has touched it.
let hasBeenTouched = false;

async function keepAwake() {
  if (!settings.awake || stream.isOver) return releaseScreen();
  if (!navigator.wakeLock) {
    return sayAwake(isSecureContext ? "awake_never" : "awake_https");
  }
  if (lock || isAsking || document.hidden) return;
  isAsking = true;
  try {
    lock = await navigator.wakeLock.request("screen");
    on(lock, "release", () => { lock = null; });
    sayAwake("awake_on");
  } catch {
    sayAwake(hasBeenTouched ? "awake_refused" : "awake_touch");
  }
  isAsking = false;
  if (!settings.awake || stream.isOver) releaseScreen();
}

/** A touch or a key: what was refused for want of one may be had now. */
function askAfterTouch() {
  hasBeenTouched = true;
  if (!lock) keepAwake();
}

function releaseScreen() {
  lock?.release();
  lock = null;
  sayAwake(stream.isOver ? "awake_over" : "");
}

function sayAwake(key) { $("awake-words").textContent = key && say(key); }
