// ---- The sound of the room ----

// What has piled up is left out by asking anew. Without a loudspeaker nothing ever plays.
const sound = { player: null, isWanted: false, timer: 0, failures: 0 };

function offerSound(isThere) {
  $("listen").hidden = !isThere || new Audio().canPlayType('audio/ogg; codecs="opus"') === "";
  if ($("listen").hidden) silence();
  else if (sound.isWanted && !sound.player) listen();
}

function toggleSound() {
  Object.assign(sound, { isWanted: !sound.isWanted, failures: 0 });
  if (sound.isWanted) listen();
  else silence();
}

function listen() {
  silence();
  const player = sound.player = new Audio("/floor.ogg");
  const again = () => {
    if (sound.player !== player) return;
    sound.failures += 1;
    sound.isWanted = sound.failures < 5;
    silence();
    if (sound.isWanted) sound.timer = setTimeout(listen, 2000);
  };
  on(player, "error ended", again);
  on(player, "timeupdate", () => {
    const { buffered, currentTime } = player;
    if (currentTime > 1) sound.failures = 0;
    if (buffered.length && buffered.end(buffered.length - 1) - currentTime > 4) again();
  });
  player.play().catch(() => {});
}

function silence() {
  clearTimeout(sound.timer);
  $("listen").setAttribute("aria-pressed", String(sound.isWanted));
  if (sound.player) sound.player.src = "";
  sound.player = null;
}
