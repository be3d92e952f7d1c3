// ---- The state in words ----

const lasting = ["off_record", "paused", "input_ended", "input_stalled", "storage_failed"];
// What the host has said that lasts, and what it had said before the connection was lost.
let standing = new Set();
let formerly = new Set();
let saidKind = "connecting";
const lateNotes = [];
const ends = { resumed: ["paused", "off_record", "input_stalled"],
  storage_restored: ["storage_failed"] };

// What the machine through which this is read, if it is not that of the captions' writer, says of him.
const standings = { stalled: "input_stalled", ended: "input_ended", paused: "paused",
  off_record: "off_record" };

/** How the event stands, and where else it is to be had; with every beat. */
function takeStanding(said) {
  takeAlso(said.also);
  stream.standIn = text(said.standIn);
  const age = Number(said.unheard);
  // The host itself says by alerts how its own captions stand.
  stream.unheardSince = text(said.state) && age >= 0 ? Date.now() - 1000 * age : 0;
  if (!text(said.state)) return;
  // Alerts are the host's own word on its own connection; this is what it has signed.
  const told = standings[said.state];
  for (const kind of Object.values(standings)) if (kind !== told) standing.delete(kind);
  if (!told) return;
  if (told === "off_record" && !standing.has(told)) dropMain();
  standing.add(told);
}

/** `Silent for 12 s`, `Silent for 2 min`. */
function lastingFor(kind, since) {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  return say(seconds < 120 ? "for_seconds" : "for_minutes",
    { state: say(kind), seconds, minutes: Math.floor(seconds / 60) });
}

/** Which of the states it is. */
function state() {
  if (stream.isOver) return "ended";
  if (stream.refusal) return stream.refusal;
  if (!main.session) return "connecting";
  if (stream.hasHostGone) return "gone";
  if (!stream.isConnected || Date.now() - stream.heard > 9000) return "lost";
  if (!stream.isLive) return "syncing";
  if (stream.unheardSince) return "unheard";
  const told = lasting.slice(0, 4).find((kind) => standing.has(kind));
  if (told) return told;
  return Date.now() - stream.spoken >= 10000 ? "silent" : "live";
}

/** What is so, in words, and through whom the host is heard. */
function stateWords(kind) {
  const said = wordsFor(kind);
  const isThrough = stream.via && stream.isConnected && kind !== "ended";
  return isThrough ? say("through", { state: said, name: stream.via }) : said;
}

function wordsFor(kind) {
  const said = plainWords(kind);
  const isOfAnother = stream.standIn && ["live", "silent"].includes(kind);
  return isOfAnother ? say("for_host", { state: said, name: stream.standIn }) : said;
}

function plainWords(kind) {
  if (kind === "unheard") return lastingFor(kind, stream.unheardSince);
  if (kind === "gone" || kind === "lost") return lastingFor(kind, stream.heard);
  if (kind === "silent") return lastingFor(kind, stream.spoken);
  if (kind === "syncing") return progress();
  return kind !== "live" || lines.length ? say(kind) : say("nothing_yet", { state: say(kind) });
}

/** `Catching up 1,200 of 5,000 (24 %)`. */
function progress() {
  const books = allBooks().filter(({ isWanted }) => isWanted);
  const done = books.reduce((sum, { last }) => sum + last, 0);
  const all = books.reduce((sum, { last, newest }) => sum + Math.max(last, newest), 0);
  return say("progress",
    { state: say("syncing"), done, all, part: Math.floor(100 * done / Math.max(1, all)) });
}

/** What to do about it; nothing where nothing is to be done. */
const helpFor = (kind) => (kind + "_help" in english ? say(kind + "_help") : "");

function showState() {
  const kind = state();
  const said = stateWords(kind);
  $("state").dataset.kind = kind;
  if ($("words").textContent !== said) $("words").textContent = said;
  // Being late at first, or lost for a moment, is no trouble yet.
  const since = Date.now() - (kind === "lost" ? stream.heard : stream.began);
  const isEarly = ["connecting", "lost"].includes(kind) && since < 5000;
  const canTry = ["link", "cookies", "full", "lost", "gone", "absent"].includes(kind);
  showHelp(isEarly ? "" : helpFor(kind), canTry);
  document.body.classList.toggle("calm", Date.now() - stirred > 4000 && isFollowing
    && ["live", "silent"].includes(kind) && !openedDialog());
  // Silence comes and goes with every pause of a speaker: no screen reader should tell of it.
  const told = kind === "silent" ? "live" : kind;
  const standIn = told === "live" ? stream.standIn : "";
  if (told + standIn === saidKind || told === "syncing" || isEarly) return;
  saidKind = told + standIn;
  const words = standIn ? say("for_host", { state: say(told), name: standIn }) : say(told);
  tell(`${words}. ${helpFor(told)}`.trim());
}

function showHelp(words, hasButton) {
  if ($("help").textContent === words && $("card").hidden === !words) return;
  $("help").textContent = words;
  $("again").hidden = !hasButton;
  $("card").hidden = !words;
  root.style.setProperty("--over", words ? $("card").offsetHeight + "px" : "0px");
  stayAtEnd();
}

/** Alerts are of the main log. */
function dropMain() { dropPartials(({ book }) => book === main); }

function takeAlert(alert) {
  const kind = String(alert.kind);
  if (kind === "ended") return end();
  stream.hasHostGone = kind === "host_disconnected";
  // What may become words that are not for readers must not stay on their screens.
  if (stream.hasHostGone || kind === "off_record") dropMain();
  for (const over of ends[kind] ?? []) standing.delete(over);
  if (stream.hasHostGone) return;
  const isKnown = standing.has(kind) || formerly.has(kind);
  if (lasting.includes(kind)) standing.add(kind);
  if (isKnown || !alert.message) return;
  // What is told to everybody who comes belongs behind the lines that were said before it.
  if (stream.isLive) addNote(String(alert.message), kind);
  else lateNotes.push([String(alert.message), kind]);
}
