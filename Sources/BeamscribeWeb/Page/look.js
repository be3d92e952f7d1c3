"use strict";
// Asks for the page, which may not, whether another page of the event is there: elsewhere.js.

addEventListener("message", async ({ source, origin, data }) => {
  if (source !== parent || origin !== location.origin) return;
  const patience = new AbortController();
  setTimeout(() => patience.abort(), 4000);
  let isThere = false;
  try {
    const answer = await fetch(data.address, { mode: "cors", credentials: "omit", cache: "no-store",
      redirect: "error", signal: patience.signal });
    isThere = answer.status === 204;
  } catch { /* it is not */ }
  parent.postMessage({ number: data.number, isThere }, location.origin);
});
