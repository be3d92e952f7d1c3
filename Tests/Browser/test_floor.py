"""What the oldest browsers can read (Safari 14, Chrome 80, Firefox 78), and what older ones see."""

import json
import re
import subprocess

from fake_host import PAGE, SCRIPTS
from old_browser import MISSING, NEEDED
from support import PHONE, PageTest, only_in, unittest

FLOOR = PAGE / "floor.js"
# What is called of these is called only where there is such a thing.
GUARDED = {"Highlight", "StaticRange", "highlights", "DisplayNames", "wakeLock", "reportError",
           "showModal", "close"}
NEWER = {name for names in [*MISSING.values(), NEEDED] for name in names} - GUARDED
# Words of CSS that one of the three lacks, each with what has to stand before it for the three.
NEWER_VALUES = {
    r"(height|max-height|min-height): [^;]*d?[dsl]vh": r"\1: [^;]*(vh|%);",
    r"overflow: clip": r"overflow: hidden;",
    r'content: "[^"]*" / ': r'content: "[^"]*";',
    r"(border[a-z-]*|background|color): [^;]*color-mix": r"border[a-z-]*: [^;]*;",
    r"(?<!-webkit-)mask-image:": r"-webkit-mask-image:",
}
NEWER_CSS = [
    r"\binset: (?!0\))", r"(?<!not \()\binset-(block|inline): ",
    r"\b(margin|padding)-(inline|block): ",
    r":(is|where|has)\(", r"(?<!:not\():focus-visible", r"overflow: \w+ \w+", r"@(layer|container)",
    r"aspect-ratio", r"light-dark\(", r"\b(lch|lab|oklch|hwb)\(", r"text-wrap",
    r"@media \([a-z-]+ [<>]",
]


def acorn(source, *options):
    """The tree that the parser makes of it, or what it says against it."""
    run = subprocess.run(["acorn", *options], input=source, capture_output=True, text=True)
    return (json.loads(run.stdout), "") if run.returncode == 0 else (None, run.stderr)


def nodes(tree):
    """All of a tree, each with those around it."""
    waiting = [(tree, [])]
    while waiting:
        node, around = waiting.pop()
        if isinstance(node, dict):
            yield node, around
            waiting += [(inner, [*around, node]) for inner in node.values()]
        elif isinstance(node, list):
            waiting += [(inner, around) for inner in node]


def newer_names(tree):
    """Names of what the oldest browsers lack, used without asking whether they are there."""
    for node, around in nodes(tree):
        if node.get("type") == "MemberExpression" and not node["computed"]:
            name, parent = node["property"].get("name"), around[-1]
            is_called = parent.get("callee") is node and not parent.get("optional")
            if name in NEWER and is_called:
                yield name
        elif node.get("type") == "NewExpression" and node["callee"].get("name") in NEWER:
            yield node["callee"]["name"]


@only_in("chromium", because="it reads the page's files, and asks no browser")
class SyntaxTests(unittest.TestCase):
    script = "".join(path.read_text() for path in SCRIPTS)

    def test_the_script_is_of_2020(self):
        tree, trouble = acorn(self.script, "--ecma2020")
        self.assertEqual("", trouble)
        self.assertEqual([], sorted(set(newer_names(tree))))
        # Assertions about what stands before: not in Safari before 16.4.
        self.assertIsNone(re.search(r"\(\?<[=!]", self.script))

    def test_a_newer_script_would_be_seen(self):
        for newer in ("a ??= 1;", "class A { #b; }", "a.b = 1_000;", "await 1;"):
            self.assertNotEqual("", acorn(newer, "--ecma2020")[1], newer)
        for name in ("[].at(-1)", "a.findLastIndex(b)", "a.replaceChildren()", "new WeakRef(a)",
                     "AbortSignal.timeout(9)"):
            self.assertEqual(1, len(list(newer_names(acorn(name, "--ecma2020")[0]))), name)
        self.assertEqual([], list(newer_names(acorn("a.at?.(1)", "--ecma2020")[0])))

    def test_what_tells_of_old_browsers_is_of_2009(self):
        self.assertEqual("", acorn(FLOOR.read_text(), "--ecma5")[1])

    def test_the_style_has_something_for_old_browsers_in_each_place(self):
        style = re.sub(r"@supports \(content.*", "", (PAGE / "page.css").read_text())
        style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
        for newer in NEWER_CSS:
            self.assertIsNone(re.search(newer, style), newer)
        for newer, before in NEWER_VALUES.items():
            for match in re.finditer(newer, style):
                rule = style[style.rindex("{", 0, match.start()):match.start()]
                self.assertRegex(rule, match.expand(before) if "\\1" in before else before)


class FloorTests(PageTest):
    def old(self):
        return self.value("document.getElementById('old').offsetHeight > 0")

    def open_with(self, script, path=""):
        host = self.fake_host(script=script)
        host.say(1, "One.")
        self.open(host.address + path, until=None)
        return host

    def test_a_browser_that_cannot_read_the_script_is_told_so(self):
        host = self.open_with("let a = b ?!? c;", "#token")
        self.wait("document.getElementById('old').offsetHeight > 0")
        self.assertIn("too old", self.value("document.getElementById('old').textContent"))
        self.assertEqual("/transcript.txt", self.value(
            "document.querySelector('#old a').getAttribute('href')"))
        self.assertFalse(self.value("document.getElementById('empty').offsetHeight > 0"))
        self.wait("true")
        self.assertIn("POST /access HTTP/1.1", host.seen)
        self.assertEqual("token", host.token)

    def test_a_browser_that_lacks_what_the_script_needs_is_told_so(self):
        self.preload("Object.defineProperty(window, 'EventSource', { value: undefined });"
                     "Object.defineProperty(window, 'ResizeObserver', { value: undefined });")
        self.open_with(None)
        self.wait("document.getElementById('old').offsetHeight > 0")

    def test_a_page_that_has_not_come_whole_is_not_called_old(self):
        self.open_with(404)
        self.wait("document.getElementById('old').offsetHeight > 0")
        words = self.value("document.getElementById('old').textContent")
        self.assertNotIn("too old", words)
        self.assertIn("load it again", words)

    def test_a_browser_of_today_is_not_told_so(self):
        host = self.fake_host()
        self.open(host.address)
        self.assertEqual("complete", self.value("document.readyState"))
        self.assertFalse(self.old())
        self.assert_nothing_bad()


class DialogTests(PageTest):
    """With and without dialogs of the browser's own."""

    size = PHONE
    is_bare = False

    def begin(self):
        if self.is_bare:
            self.preload("for (const name of ['show', 'showModal', 'close', 'open'])"
                         " if (window.HTMLDialogElement) delete HTMLDialogElement.prototype[name];")
        host = self.fake_host()
        host.say(1, "One.")
        self.open(host.address)

    def is_open(self, identifier):
        return self.value(f"document.getElementById('{identifier}').offsetHeight > 0")

    def test_settings_take_the_focus_and_give_it_back(self):
        self.begin()
        self.assertFalse(self.is_open("panel"))
        self.js("document.getElementById('settings').focus()")
        self.press("s")
        self.wait("document.getElementById('panel').offsetHeight > 0")
        self.assertEqual("done", self.value("document.activeElement.id"))
        self.press("\ue004" * 3, "\ue008\ue004", "\ue008\ue004", "\ue008\ue004", "\ue008\ue004")
        self.assertTrue(self.value("document.getElementById('panel')"
                                   ".contains(document.activeElement)"))
        self.press("\ue00c")
        self.wait("document.getElementById('panel').offsetHeight === 0")
        self.assertEqual("settings", self.value("document.activeElement.id"))
        self.assertEqual(0, self.value("document.querySelectorAll('[aria-hidden] #view').length"))

    def test_settings_close_by_their_button_and_open_the_keys(self):
        self.begin()
        self.click("settings")
        self.click("done")
        self.wait("document.getElementById('panel').offsetHeight === 0")
        self.click("settings")
        self.click("keys")
        self.wait("document.getElementById('list').offsetHeight > 0")
        self.assertTrue(self.value("document.getElementById('list')"
                                   ".contains(document.activeElement)"))
        self.press("?")
        self.assertEqual("live", self.value("document.getElementById('state').dataset.kind"))
        self.assert_nothing_bad()


class BareDialogTests(DialogTests):
    is_bare = True


if __name__ == "__main__":
    unittest.main()
