// ---- Which of the event's captions are read ----

// Rooms, languages, a second captioner: the address says which (?log=Room%202), so that a reload, the
// event's other pages and a sign at a door keep to it.
const wantedLog = new URLSearchParams(location.search).get("log") || "";
let logs = [];
let shownLogs = "";

const isWanted = ({ session, label }) => session === wantedLog || label === wantedLog;

function takeLogs(said) {
  logs = (Array.isArray(said) ? said : [])
    .filter((one) => one && text(one.session) && text(one.label)).slice(0, 64);
  const shown = JSON.stringify([$("event").textContent, logs]);
  if (shown === shownLogs) return;
  shownLogs = shown;
  const chooser = $("logs");
  const all = [{ session: "", label: $("event").textContent }, ...logs];
  // One that is not there must not look as if another had been chosen.
  if (wantedLog && !logs.some(isWanted)) all.push({ session: wantedLog, label: wantedLog });
  chooser.textContent = "";
  for (const { session, label, lang } of all) {
    const option = new Option(label, session);
    option.lang = text(lang);
    chooser.append(option);
  }
  chooser.value = logs.find(isWanted)?.session ?? wantedLog;
  chooser.hidden = all.length === 1;
}

/** The host gives its own captions for those that are not there. */
const isAbsent = (session) => Boolean(wantedLog)
  && !logs.some((one) => one.session === session && isWanted(one));

function waitForLog() {
  stop();
  stream.refusal = "absent";
  retry(4);
}

/** The same place for the captions that are wanted. */
function ofLog(address, name = wantedLog) {
  const url = new URL(address, location.href);
  url.searchParams.delete("log");
  if (name) url.searchParams.set("log", name);
  // A space as every server knows it.
  url.search = url.search.replace(/\+/g, "%20");
  return url;
}

on($("logs"), "change", ({ target }) => {
  const chosen = logs.find(({ session }) => session === target.value);
  const isAlone = logs.filter(({ label }) => label === chosen?.label).length === 1;
  location.assign(ofLog(location.href, chosen && (isAlone ? chosen.label : chosen.session) || ""));
});

if (wantedLog) {
  for (const link of document.querySelectorAll("#saving a")) link.href = ofLog(link.href);
}
