// ---- The state in words ----

const lasting = ["off_record", "paused", "input_ended", "input_stalled", "storage_failed"];
// What the host has said that lasts, and what it had said before the connection was lost.
let standing = new Set();
let formerly = new Set();
let saidKind = "connecting";
const lateNotes = [];
const ends = { resumed: ["paused", "off_record", "input_stalled"],
  storage_restored: ["storage_failed"] };

// Each state: its words, and what to do.
const states = {
  connecting: ["Connecting…", "Is this device on the network of the event?"],
  link: ["This event needs its link",
    "Scan the code that the host shows again, or open the whole link that you were given."],
  full: ["The room is full",
    "As many phones as the host takes are reading. This page tries again by itself."],
  gone: ["The host has gone", "The event may go on: this page waits. What you miss comes then."],
  lost: ["Reconnecting",
    "What you miss comes by itself. Is this device still on the network of the event?"],
  off_record: ["Off the record", "What is said now is not sent and not kept."],
  paused: ["Paused by the host", "It goes on here by itself."],
  input_ended: ["The input has ended",
    "There may be no more captions. What has been said stays here."],
  input_stalled: ["Nothing comes in at the host",
    "The recogniser or the microphone may have stopped. Tell somebody at the host."],
  ended: ["Ended", "What was said stays here until you close the page. Settings can save it."],
  syncing: ["Catching up"], silent: ["Silent"], live: ["Live"],
};

/** ` for 12 s`, ` for 2 min`. */
function age(since) {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  return seconds < 120 ? ` for ${seconds} s` : ` for ${Math.floor(seconds / 60)} min`;
}

/** Which of the states it is, and what is to be added to its words. */
function state() {
  if (stream.isOver) return ["ended", ""];
  if (stream.refusal) return [stream.refusal, ""];
  if (!stream.session) return ["connecting", ""];
  if (stream.hasHostGone) return ["gone", age(stream.heard)];
  if (!stream.isConnected || Date.now() - stream.heard > 9000) return ["lost", age(stream.heard)];
  if (!stream.isLive) return ["syncing", progress()];
  const told = lasting.slice(0, 4).find((kind) => standing.has(kind));
  if (told) return [told, ""];
  if (Date.now() - stream.spoken >= 10000) return ["silent", age(stream.spoken)];
  return ["live", lines.length ? "" : "; nothing has been said yet"];
}

/** ` 1,200 of 5,000 (24 %)`. */
function progress() {
  const part = Math.floor(100 * stream.last / Math.max(1, stream.newest));
  return ` ${number.format(stream.last)} of ${number.format(stream.newest)} (${part} %)`;
}

function showState() {
  const [kind, more] = state();
  const [words, help = ""] = states[kind];
  $("state").dataset.kind = kind;
  if ($("words").textContent !== words + more) $("words").textContent = words + more;
  // Being late at first, or lost for a moment, is no trouble yet.
  const since = Date.now() - (kind === "lost" ? stream.heard : stream.began);
  const isEarly = ["connecting", "lost"].includes(kind) && since < 5000;
  showHelp(isEarly ? "" : help, ["link", "full", "lost", "gone"].includes(kind));
  document.body.classList.toggle("calm", Date.now() - stirred > 4000 && isFollowing
    && ["live", "silent"].includes(kind) && !openedDialog());
  // Silence comes and goes with every pause of a speaker: no screen reader should tell of it.
  const said = kind === "silent" ? "live" : kind;
  if (said === saidKind || said === "syncing" || isEarly) return;
  saidKind = said;
  tell(`${states[said][0]}. ${states[said][1] ?? ""}`.trim());
}

function showHelp(words, hasButton) {
  if ($("help").textContent === words && $("card").hidden === !words) return;
  $("help").textContent = words;
  $("again").hidden = !hasButton;
  $("card").hidden = !words;
  root.style.setProperty("--over", words ? $("card").offsetHeight + "px" : "0px");
  stayAtEnd();
}

function takeAlert(alert) {
  const kind = String(alert.kind);
  if (kind === "ended") return end();
  stream.hasHostGone = kind === "host_disconnected";
  // What may become words that are not for readers must not stay on their screens.
  if (stream.hasHostGone || kind === "off_record") dropPartials(() => true);
  for (const over of ends[kind] ?? []) standing.delete(over);
  if (stream.hasHostGone) return;
  const isKnown = standing.has(kind) || formerly.has(kind);
  if (lasting.includes(kind)) standing.add(kind);
  if (isKnown || !alert.message) return;
  // What is told to everybody who comes belongs behind the lines that were said before it.
  if (stream.isLive) addNote(String(alert.message), kind);
  else lateNotes.push([String(alert.message), kind]);
}
