// ---- The sound of the room ----

// An ordinary audio element plays it, which no script gets at. It is asked for by a touch: no data and no
// place at the host are used by whoever only reads. Players keep some of it in store; what has piled up
// behind a bad network is left out by asking anew.
const sound = { player: null, isWanted: false, timer: 0, failures: 0 };
const soundKind = 'audio/ogg; codecs="opus"';
const mostBehind = 4;
// A device without a loudspeaker never plays anything.
const mostFailures = 5;

function offerSound(isThere) {
  const player = document.createElement("audio");
  const isPlayable = isThere && player.canPlayType(soundKind) !== "";
  $("listen").hidden = !isPlayable;
  if (!isPlayable) silence();
  else if (sound.isWanted && !sound.player) listen();
}

function toggleSound() {
  sound.isWanted = !sound.isWanted;
  sound.failures = 0;
  if (sound.isWanted) listen();
  else silence();
}

function listen() {
  silence();
  const player = new Audio("/floor.ogg");
  sound.player = player;
  const again = () => {
    if (sound.player !== player) return;
    sound.failures += 1;
    if (sound.failures >= mostFailures) sound.isWanted = false;
    silence();
    if (sound.isWanted) sound.timer = setTimeout(listen, 2000);
  };
  on(player, "error ended", again);
  on(player, "timeupdate", () => {
    const { buffered, currentTime } = player;
    if (currentTime > 1) sound.failures = 0;
    if (buffered.length && buffered.end(buffered.length - 1) - currentTime > mostBehind) again();
  });
  player.play().catch((error) => {
    // The browser does not let it before a touch.
    if (error.name === "NotAllowedError" && sound.player === player) {
      sound.isWanted = false;
      silence();
    }
  });
  $("listen").setAttribute("aria-pressed", "true");
}

function silence() {
  clearTimeout(sound.timer);
  $("listen").setAttribute("aria-pressed", String(sound.isWanted));
  const { player } = sound;
  sound.player = null;
  if (!player) return;
  player.pause();
  // It lets the connection go.
  player.removeAttribute("src");
  player.load();
}
