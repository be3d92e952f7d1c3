// ---- What is kept on the phone ----

/** localStorage throws where a browser keeps nothing; then all holds until the page is closed. */
const store = {
  read(key) {
    try { return JSON.parse(localStorage.getItem("beamscribe." + key)); } catch { return null; }
  },
  write(key, value) {
    try { localStorage.setItem("beamscribe." + key, JSON.stringify(value)); } catch { return; }
  },
};
