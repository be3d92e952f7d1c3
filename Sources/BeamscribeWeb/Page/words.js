// ---- The page's own words ----

// English is in the page and here; another language is fetched if it is read. Every key of the two is
// in each of Words/*.json, for each plural category of its language where a number counts.
const english = {
  connecting: "Connecting…", connecting_help: "Is this device on the network of the event?",
  link: "This event needs its link",
  link_help: "Scan the code that the host shows again, or open the whole link that you were given.",
  cookies: "This browser keeps no cookies",
  cookies_help: "The event's link needs one: allow cookies for this address in the browser's "
    + "settings, and try again.",
  full: "The room is full",
  full_help: "As many phones as the host takes are reading. This page tries again by itself.",
  all_logs: "All captions",
  absent: "These captions are not there",
  absent_help: "They come by themselves once they are there. Others can be chosen above.",
  gone: "The host has gone",
  gone_help: "The event may go on: this page waits. What you miss comes then.",
  lost: "Reconnecting",
  lost_help: "What you miss comes by itself. Is this device still on the network of the event?",
  unheard: "Host not heard",
  unheard_help: "What has come is all here. What the host says now comes once it is heard again.",
  through: "{state}, through {name}",
  for_host: "{state}: {name} captions for the host",
  off_record: "Off the record", off_record_help: "What is said now is not sent and not kept.",
  paused: "Paused by the host", paused_help: "It goes on here by itself.",
  input_ended: "The input has ended",
  input_ended_help: "There may be no more captions. What has been said stays here.",
  input_stalled: "Nothing comes in at the host",
  input_stalled_help:
    "The recogniser or the microphone may have stopped. Tell somebody at the host.",
  ended: "Ended",
  ended_help: "What was said stays here until you close the page. Settings can save it.",
  syncing: "Catching up", silent: "Silent", live: "Live",
  for_seconds: "{state} for {seconds} s", for_minutes: "{state} for {minutes} min",
  progress: "{state} {done} of {all} ({part} %)",
  nothing_yet: "{state}; nothing has been said yet",
  to_live: "Live ↓",
  new_lines: { one: "{count} new line ↓", other: "{count} new lines ↓" },
  while_away: { one: "↑ {count} line while you were away",
    other: "↑ {count} lines while you were away" },
  earlier: { one: "{count} earlier line: fetched as you come here.",
    other: "{count} earlier lines: fetched as you come here." },
  missed_nothing: "You have missed nothing.",
  first_missed: "The first line that came while you were away.",
  no_line: "There is no line to mark yet.", marked: "Marked: {line}",
  unmarked: "The mark is taken away.", no_mark: "You have marked no place.",
  your_mark: "Your mark:",
  nothing_found: "Nothing found", hit_of: "{hit} of {all}",
  corrected: "(corrected)", withdrawn: "(withdrawn)",
  gap_of_one: "Line {from} is no longer to be had.",
  gap: "Lines {from} to {through} are no longer to be had.",
  new_session: "A new transcript begins here: the host has started another event.",
  not_saved: "The host does not answer, so it has no transcript to save now. “What this page has” "
    + "saves what you have read.",
  awake_on: "The screen stays on while this page is to be seen.",
  awake_touch: "The browser wants one touch first: touch the page, or press a key.",
  awake_refused: "The device does not allow it now: its battery may be low.",
  awake_https: "It needs HTTPS, which is not here: set a longer time in the device's settings.",
  awake_never: "This browser cannot do it: set a longer time in the device's settings.",
  awake_over: "The event is over: the screen may go off.",
  percent: "{part} %", letters: "{count} letters", whole_width: "the whole screen",
  normal: "normal",
  contrast_good: "Contrast {ratio} : 1",
  contrast_low: "Contrast {ratio} : 1. To read well it takes 7 : 1.",
};
const wordLanguages = { en: "English", ar: "العربية", de: "Deutsch", es: "Español",
  fr: "Français", ja: "日本語" };
const wordPlaces = {
  say: (element, text) => { element.textContent = text; },
  label: (element, text) => element.setAttribute("aria-label", text),
  title: (element, text) => { element.title = text; },
  placeholder: (element, text) => { element.placeholder = text; },
};
let words = english;
let wordsTag = "en";
let plurals = new Intl.PluralRules("en");

/** Does something with each place in the page that has words of its own. */
function eachWord(action) {
  for (const [kind, put] of Object.entries(wordPlaces)) {
    for (const element of document.querySelectorAll(`[data-${kind}]`)) {
      action(element, element.dataset[kind], (text) => put(element, text), kind);
    }
  }
}

eachWord((element, key, _, kind) => {
  const said = { say: element.textContent, label: element.getAttribute("aria-label") };
  english[key] = (said[kind] || element[kind]).replace(/\s+/g, " ").trim();
});

/** The words of a key; `count` of the values decides their form. */
function say(key, values = {}) {
  const entry = words[key] ?? english[key];
  const form = typeof entry === "string" ? entry
    : entry[plurals.select(values.count)] ?? entry.other;
  return form.replace(/\{(\w+)\}/g, (_, name) =>
    (typeof values[name] === "number" ? number.format(values[name]) : values[name]));
}

/** What the reader has chosen, or the first of the browser's languages that there is. */
function wantedWords() {
  if (wordLanguages[settings.words]) return settings.words;
  const bases = (navigator.languages || [navigator.language])
    .map((tag) => String(tag).toLowerCase().split("-")[0]);
  return bases.find((base) => wordLanguages[base]) ?? "en";
}

/** Where the words cannot be had the page stays in those that it has. */
async function loadWords() {
  const tag = wantedWords();
  if (tag === wordsTag) return;
  let fetched = english;
  try {
    if (tag !== "en") fetched = await (await fetch(`/words/${tag}.json`, patiently())).json();
  } catch { return; }
  if (tag !== wantedWords()) return;
  [words, wordsTag, plurals] = [fetched, tag, new Intl.PluralRules(tag)];
  number = new Intl.NumberFormat(tag);
  showWords();
}

function showWords() {
  root.lang = wordsTag;
  root.dir = wordsTag === "ar" ? "rtl" : "ltr";
  eachWord((element, key, put) => put(say(key)));
  root.style.setProperty("--your-mark", JSON.stringify(say("your_mark")));
  applySettings();
  showLogs();
  showJumps();
  showState();
}

for (const [tag, name] of Object.entries(wordLanguages)) {
  const option = new Option(name, tag);
  option.lang = tag;
  $("page-words").append(option);
}
