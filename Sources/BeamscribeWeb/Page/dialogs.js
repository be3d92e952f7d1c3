// ---- Dialogs ----

// Safari has had them since 15.4, Firefox since 98. Elsewhere the attribute opens them, and this does
// what a browser does: focus, Tab, Escape, and the rest out of reach.
const isBareDialog = typeof $("panel").showModal !== "function";
let cameFrom = null;

const openedDialog = () => document.querySelector("dialog[open]");

function openDialog(id) {
  if (!isBareDialog) return $(id).showModal();
  if (openedDialog()) closeDialog();
  cameFrom = document.activeElement;
  $(id).setAttribute("open", "");
  $(id).setAttribute("role", "dialog");
  $(id).setAttribute("aria-modal", "true");
  hideRest(true);
  $(id).querySelector("button").focus();
}

function closeDialog() {
  const dialog = openedDialog();
  if (!isBareDialog) return dialog?.close();
  dialog.removeAttribute("open");
  hideRest(false);
  cameFrom?.focus();
}

/** From screen readers: aria-modal alone is not believed by all of these browsers. */
function hideRest(isHidden) {
  for (const element of document.querySelectorAll("body > :not(dialog)")) {
    if (isHidden) element.setAttribute("aria-hidden", "true");
    else element.removeAttribute("aria-hidden");
  }
}

/** The keys that a browser sees to where it knows dialogs. */
function keepInDialog(event) {
  if (!isBareDialog) return;
  if (event.key === "Escape") return closeDialog();
  if (event.key !== "Tab") return;
  const all = [...openedDialog().querySelectorAll("button, a, input, select")]
    .filter((each) => each.offsetHeight);
  const isLast = document.activeElement === all[event.shiftKey ? 0 : all.length - 1];
  if (!isLast && openedDialog().contains(document.activeElement)) return;
  event.preventDefault();
  all[event.shiftKey ? all.length - 1 : 0].focus();
}

if (isBareDialog) {
  on(document, "submit", (event) => {
    if (event.target.getAttribute("method") !== "dialog") return;
    event.preventDefault();
    closeDialog();
  });
}
