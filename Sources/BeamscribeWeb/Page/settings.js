// ---- Settings ----

const standard = {
  size: 1, leading: 1.4, spacing: 0, width: 60, face: "system", theme: "auto",
  ownText: "#ffffff", ownGround: "#10243e", words: "auto", names: true, colours: true,
  partials: true, times: "off", lang: "", awake: true, announce: false, keys: true,
};
const themes = ["auto", "dark", "light", "contrast", "yellow", "own"];
// A wall has settings of its own: one browser may show both.
const place = isProjector ? "projector" : "settings";
const settings = { ...standard };
readSettings();

function readSettings() {
  for (const [key, value] of Object.entries(store.read(place) ?? {})) {
    if (typeof value === typeof standard[key]) settings[key] = value;
  }
}

/** Those of another tab that was used. */
function adoptSettings() {
  readSettings();
  keepingPlace(applySettings);
  loadWords();
}

function set(key, value) {
  settings[key] = value;
  store.write(place, settings);
  const before = isFollowing ? [] : places();
  applySettings();
  resize(before);
}

const wantsLight = matchMedia("(prefers-color-scheme: light)");
const wantsContrast = matchMedia("(prefers-contrast: more)");
const isColour = (text) => /^#[0-9a-f]{6}$/i.test(text);

/** How bright a colour is, from 0 to 1, as WCAG 2.2 defines it. */
function brightness(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4)));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [low, high] = [brightness(one), brightness(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function applyOwnColours() {
  for (const key of ["ownText", "ownGround"]) {
    if (!isColour(settings[key])) settings[key] = standard[key];
  }
  root.style.setProperty("--own-text", settings.ownText);
  root.style.setProperty("--own-ground", settings.ownGround);
  const isOwn = settings.theme === "own";
  const scheme = brightness(settings.ownGround) > 0.2 ? "light" : "dark";
  root.style.setProperty("color-scheme", isOwn ? scheme : "");
  $("own").hidden = !isOwn;
  const ratio = contrast(settings.ownText, settings.ownGround);
  // Cut, not rounded: 6.99 is not 7.
  $("contrast").textContent = say(ratio < 7 ? "contrast_low" : "contrast_good",
    { ratio: Math.floor(ratio * 10) / 10 });
}

function applyTheme() {
  const bright = wantsLight.matches ? "light" : "dark";
  const ofDevice = wantsContrast.matches ? "contrast" : bright;
  root.dataset.theme = themes.slice(1).find((theme) => theme === settings.theme) ?? ofDevice;
  applyOwnColours();
  const ground = getComputedStyle(root).getPropertyValue("--ground").trim();
  document.querySelector("meta[name=theme-color]").content = ground;
}

function applySettings() {
  applyTheme();
  for (const key of ["size", "leading", "spacing"]) {
    root.style.setProperty("--" + key, String(settings[key]));
  }
  root.style.setProperty("--width", settings.width >= 100 ? "9999" : String(settings.width));
  root.dataset.face = settings.face;
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
  const percent = (value) => say("percent", { part: Math.round(value * 100) });
  const shown = {
    size: percent(settings.size), leading: percent(settings.leading),
    spacing: settings.spacing ? percent(settings.spacing) : say("normal"),
    width: settings.width >= 100 ? say("whole_width") : say("letters", { count: settings.width }),
  };
  for (const [key, text] of Object.entries(shown)) {
    $(key + "-value").textContent = text;
    document.querySelector(`[data-set=${key}]`).setAttribute("aria-valuetext", text);
  }
}
