// ---- Settings ----

const standard = {
  size: 1, leading: 1.4, spacing: 0, width: 60, theme: "auto", names: true, colours: true,
  partials: true, times: "off", lang: "", awake: true, announce: false, keys: true,
};
const themes = ["auto", "dark", "light", "contrast", "yellow"];
// A wall has settings of its own: one browser may show both.
const place = isProjector ? "projector" : "settings";
const settings = { ...standard };
for (const [key, value] of Object.entries(store.read(place) ?? {})) {
  if (typeof value === typeof standard[key]) settings[key] = value;
}

function set(key, value) {
  settings[key] = value;
  store.write(place, settings);
  const before = isFollowing ? [] : places();
  applySettings();
  resize(before);
}

const wantsLight = matchMedia("(prefers-color-scheme: light)");

function applyTheme() {
  const ofDevice = wantsLight.matches ? "light" : "dark";
  root.dataset.theme = themes.slice(1).find((theme) => theme === settings.theme) ?? ofDevice;
  const ground = getComputedStyle(root).getPropertyValue("--ground").trim();
  document.querySelector("meta[name=theme-color]").content = ground;
}

function applySettings() {
  applyTheme();
  for (const key of ["size", "leading", "spacing"]) {
    root.style.setProperty("--" + key, String(settings[key]));
  }
  root.style.setProperty("--width", settings.width >= 100 ? "9999" : String(settings.width));
  const looks = { nameless: !settings.names, plain: !settings.colours,
    silent: !settings.partials, timed: settings.times !== "off" };
  for (const [name, isOn] of Object.entries(looks)) log.classList.toggle(name, isOn);
  $("spoken").setAttribute("aria-live", settings.announce ? "polite" : "off");
  if (shownTimes !== settings.times) showTimes();
  if (shownLang !== settings.lang) filterLanguage();
  fillPanel();
  keepAwake();
}

function fillPanel() {
  for (const control of document.querySelectorAll("[data-set]")) {
    const value = settings[control.dataset.set];
    if (control.type === "checkbox") control.checked = value;
    else control.value = String(value);
  }
  for (const radio of document.querySelectorAll("[name=theme]")) {
    radio.checked = radio.value === settings.theme;
  }
  const percent = (value) => Math.round(value * 100) + " %";
  const words = {
    size: percent(settings.size), leading: percent(settings.leading),
    spacing: settings.spacing ? percent(settings.spacing) : "normal",
    width: settings.width >= 100 ? "the whole screen" : settings.width + " letters",
  };
  for (const [key, text] of Object.entries(words)) {
    $(key + "-value").textContent = text;
    document.querySelector(`[data-set=${key}]`).setAttribute("aria-valuetext", text);
  }
}
