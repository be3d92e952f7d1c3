// ---- The screen stays on ----

let lock = null;
let isAsking = false;

async function keepAwake() {
  if (!settings.awake || stream.isOver) return releaseScreen();
  if (!navigator.wakeLock) {
    const why = isSecureContext ? "This browser cannot do it" : "It needs HTTPS, which is not here";
    return sayAwake(why + ": set a longer time in the device's settings.");
  }
  if (lock || isAsking || document.hidden) return;
  isAsking = true;
  try {
    lock = await navigator.wakeLock.request("screen");
    on(lock, "release", () => { lock = null; });
    sayAwake("The screen stays on while this page is to be seen.");
  } catch {
    sayAwake("The device does not allow it now: its battery may be low.");
  }
  isAsking = false;
  if (!settings.awake || stream.isOver) releaseScreen();
}

function releaseScreen() {
  lock?.release();
  lock = null;
  sayAwake(stream.isOver ? "The event is over: the screen may go off." : "");
}

function sayAwake(words) { $("awake-words").textContent = words; }
