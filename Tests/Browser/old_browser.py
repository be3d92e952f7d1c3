"""What the oldest browsers that can read the page lack: Safari 14, Chrome 80, Firefox 78.

A browser of today is made like them by `scripts/test-page --old`; what cannot be taken away from
it, its syntax and its CSS, is held by test_floor.py.
"""

import json

# What Chromium's driver needs for itself: only looked for in the script.
NEEDED = ["hasOwn", "visualViewport"]
# Owner and names: each is missing in one of the three at least.
MISSING = {
    "Array.prototype": ["at", "findLast", "findLastIndex", "toSorted", "toReversed", "toSpliced",
                        "with"],
    "Array": ["fromAsync"],
    "String.prototype": ["at", "replaceAll", "isWellFormed", "toWellFormed"],
    "Object": ["groupBy"],
    "Map": ["groupBy"],
    "Promise": ["any", "withResolvers", "try"],
    "AbortSignal": ["timeout", "any"],
    "URL": ["canParse"],
    "Intl": ["DisplayNames", "ListFormat", "Segmenter", "DurationFormat"],
    "Element.prototype": ["replaceChildren", "checkVisibility", "setHTML", "setHTMLUnsafe"],
    "Document.prototype": ["replaceChildren", "startViewTransition"],
    "DocumentFragment.prototype": ["replaceChildren"],
    "HTMLElement.prototype": ["inert", "popover", "showPopover", "hidePopover", "togglePopover"],
    "HTMLDialogElement.prototype": ["show", "showModal", "close", "open", "returnValue"],
    "CSS": ["highlights"],
    "Navigator.prototype": ["wakeLock", "locks", "userActivation", "share", "storage"],
    "window": ["HTMLDialogElement", "Highlight", "HighlightRegistry", "StaticRange", "reportError",
               "structuredClone", "requestIdleCallback", "cancelIdleCallback", "scheduler",
               "BroadcastChannel", "CompressionStream", "DecompressionStream",
               "WeakRef", "FinalizationRegistry", "trustedTypes", "cookieStore", "navigation"],
}

OLD = """(() => {
  const missing = %s;
  for (const [path, names] of Object.entries(missing)) {
    const owner = path.split(".").reduce((at, name) => at && at[name], window);
    for (const name of owner ? names : []) {
      if (!(name in owner)) continue;
      if (!delete owner[name] || name in owner) {
        Object.defineProperty(owner, name, { value: undefined, configurable: true });
      }
    }
  }
})();""" % json.dumps(MISSING)
