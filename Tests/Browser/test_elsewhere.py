"""The host is gone: phones read on at the page of a machine that serves the event for it."""

import json
import urllib.parse

from fake_host import FakeHost
from support import EventRelay, PageTest, unittest


class ElsewhereTest(PageTest):
    def wait_ready(self, seconds=20):
        """Until the page may ask other pages whether they are there."""
        self.wait("elsewhere.frame?.contentDocument?.URL.includes('/look')"
                  " && elsewhere.frame.contentDocument.readyState === 'complete'", seconds)


class ElsewhereTests(ElsewhereTest):
    """With real hosts and real relays."""

    def numbered(self, host, first, last):
        host.say(*(f"line {number}" for number in range(first, last + 1)))

    def relay(self, host, *options, **more):
        relay = EventRelay(host, *options, **more)
        self.addCleanup(relay.close)
        return relay

    def assert_lines(self, last, seconds=20):
        self.wait_text(f"line {last}", seconds)
        self.press("\ue011")  # Home: what was said before comes in
        self.wait("!hasHoles()", seconds)
        self.assertEqual([f"line {number}" for number in range(1, last + 1)],
                         [text for text in self.all_texts() if text.startswith("line ")])

    def wait_place(self, address, seconds=40):
        self.wait(f"location.href.startsWith({address!r})", seconds)

    def words(self):
        return self.value("document.getElementById('words').textContent")

    def test_a_phone_reads_on_at_the_relays_page_when_the_host_is_killed(self):
        host = self.host("--web-relay", "127.0.0.1")
        self.numbered(host, 1, 300)
        self.open(host.address)
        relay = self.relay(host)
        # It is told by the next sign of life; it was there before the relay.
        self.wait(f"elsewhere.pages.join() === {relay.address.rstrip('/')!r}", 15)
        self.wait_ready()
        self.set_setting("size", 1.5)
        host.kill()
        self.wait_state("lost")
        self.wait_place(relay.address)
        self.wait_text("line 300")
        self.assertIn(", through ", self.words())
        self.assertEqual(1.5, self.value("settings.size"))
        self.assertNotIn("at=", self.value("location.href"))
        self.assert_lines(300)
        # The host is back, and the relay has what it says.
        second = host.resume("--web-relay", "127.0.0.1", wire=host.wire)
        self.addCleanup(second.close)
        self.numbered(second, 301, 310)
        self.assert_lines(310, 60)
        self.assert_nothing_bad()

    def test_a_reader_of_old_lines_stays_at_his_line(self):
        host = self.host("--web-relay", "all")
        relay = self.relay(host)
        self.numbered(host, 1, 1200)
        self.open_whole(host.address)
        self.wait_ready()
        self.js("letGo(); goTo(main.bySeq.get(345))")
        self.wait("places()[0]?.row.seq > 300")
        before = self.value("places().filter(({row}) => row.seq)"
                            ".map(({row, offset}) => [row.seq, Math.round(offset)])[0]")
        host.kill()
        self.wait_place(relay.address)
        self.wait(f"places().some(({{row}}) => row.seq === {before[0]})", 30)
        after = self.value(f"places().find(({{row}}) => row.seq === {before[0]}).offset")
        self.assertAlmostEqual(before[1], after, delta=4)
        self.assertFalse(self.value("isFollowing"))

    def test_a_relay_that_nobody_has_named_is_told_of_and_nobody_goes_there(self):
        host = self.host()
        relay = self.relay(host)
        self.numbered(host, 1, 3)
        self.open(host.address)
        host.row(r"(--web-relay 127\.0\.0\.1) sends phones there", 15)
        host.kill()
        self.wait("Date.now() - stream.heard > 14000", 30)
        self.assertEqual(host.address, self.value("location.href"))
        self.assertEqual([], self.value("elsewhere.pages"))
        # By its address everybody may read there.
        self.open(relay.address, until=None)
        self.assert_lines(3)

    def test_a_relays_page_says_how_the_event_stands(self):
        host = self.host("--code=7K3M9QX2TA", "--web-relay", "all")
        relay = self.relay(host, code="7K3M9QX2TA")
        self.numbered(host, 1, 3)
        self.open(relay.address.split("#")[0], until="link")
        self.assertEqual("beamscribe", self.browser.title)
        self.assertEqual([], self.texts())
        # One link opens both.
        self.assertEqual(host.address.split("#")[1], relay.address.split("#")[1])
        self.browser.get("about:blank")
        self.open(relay.address)
        self.assert_lines(3)
        host.kill()
        self.wait_state("unheard", 30)
        self.assertIn("Host not heard for ", self.words())

    def test_a_phone_goes_on_in_an_event_with_a_code_and_to_its_end(self):
        host = self.host("--code=7K3M9QX2TA", "--web-relay", "all")
        relay = self.relay(host, code="7K3M9QX2TA")
        self.numbered(host, 1, 20)
        self.open(host.address)
        self.wait_ready()
        host.kill()
        self.wait_place(relay.address.split("#")[0])
        self.assert_lines(20)
        second = host.resume("--code=7K3M9QX2TA", "--until-eof", wire=host.wire)
        self.addCleanup(second.close)
        self.numbered(second, 21, 25)
        self.assert_lines(25, 60)
        second.end()
        self.wait_state("ended", 30)

    def test_a_relay_that_is_gone_too_leaves_the_phone_where_it_is(self):
        host = self.host("--web-relay", "all")
        relay = self.relay(host)
        self.numbered(host, 1, 20)
        self.open(host.address)
        self.wait_ready()
        relay.kill()
        host.kill()
        self.wait("Date.now() - stream.heard > 16000 && elsewhere.nextLook > 0", 40)
        self.assertEqual(host.address, self.value("location.href"))
        second = host.resume()
        self.addCleanup(second.close)
        self.numbered(second, 21, 25)
        self.assert_lines(25, 40)

    def test_a_phone_at_a_relay_goes_back_to_the_host_when_the_relay_is_gone(self):
        host = self.host()
        relay = self.relay(host)
        self.numbered(host, 1, 20)
        self.open(relay.address)
        self.wait_ready()
        relay.kill()
        self.wait_place(host.address)
        self.assert_lines(20)
        self.assertNotIn("through", self.words())


class OtherPageTests(ElsewhereTest):
    """What a phone does, at hosts that do as they are told."""

    def page(self, at="127.0.0.1", **traits):
        host = FakeHost(at)
        self.addCleanup(host.close)
        for name, value in traits.items():
            setattr(host, name, value)
        return host

    def pair(self, at="127.0.0.1"):
        """A host, and a page where its phones go."""
        other = self.page(at, more=dict(via="annas-laptop", state="live"))
        host = self.page(also=[other.address.rstrip("/")])
        for page in (host, other):
            page.say(1, "one")
            page.say(2, "two")
        return host, other

    def go(self, host):
        host.answer = None  # it answers nothing any more
        host.close()

    def was_asked(self, page):
        return [row for row in page.seen if row.startswith("GET /here?")]

    def test_a_relays_page_shows_the_state_that_the_host_has_signed(self):
        other = self.page(more=dict(via="annas-laptop", state="paused"))
        other.say(1, "one")
        self.open(other.address, until="paused")
        for state, kind in (("live", "live"), ("ended", "input_ended"),
                            ("stalled", "input_stalled"), ("off_record", "off_record")):
            other.partial("open", "half a sentence")
            other.more = dict(via="annas-laptop", state=state)
            other.beat()
            self.wait_state(kind)
        # What may not be for readers is taken back.
        self.wait("document.querySelectorAll('.line').length === 1")
        other.more = dict(other.more, unheard=40.5)
        other.beat()
        self.wait_state("unheard")
        self.assertRegex(self.value("document.getElementById('words').textContent"),
                         "^Host not heard for 4[0-9] s, through annas-laptop$")
        self.assertIn("comes once", self.value("document.getElementById('help').textContent"))
        other.more = dict(via="annas-laptop", state="live", standIn="Standby")
        other.beat()
        self.wait_state("live")
        self.assertEqual("Live: Standby captions for the host, through annas-laptop", self.value(
            "document.getElementById('words').textContent"))
        other.more = dict(via="annas-laptop", state="live")
        other.beat()
        self.wait("document.getElementById('words').textContent === 'Live, through annas-laptop'")
        other.alert("ended", "The event has ended.")
        self.wait_state("ended")

    def test_a_policy_with_an_address_lets_the_frame_ask_there(self):
        # Not of the address of the host: a policy may name any.
        host, other = self.pair(at="127.0.0.2")
        self.open(host.address)
        self.wait_ready()
        self.go(host)
        self.wait(f"location.href === {other.address!r}", 30)
        self.wait_text("two")
        self.assertEqual("Live, through annas-laptop", self.value(
            "document.getElementById('words').textContent"))
        self.assert_nothing_bad()

    def test_the_page_itself_may_ask_nobody(self):
        host, other = self.pair()
        self.open(host.address)
        self.assertTrue(self.js_async(
            "fetch(arguments[0] + 'here').then(() => arguments[1](false),"
            " () => arguments[1](true))", other.address))
        self.assertEqual([], self.was_asked(other))

    def test_a_phone_without_a_network_goes_nowhere(self):
        host, other = self.pair()
        self.open(host.address)
        self.js("Object.defineProperty(navigator, 'onLine',"
                " { value: false, configurable: true })")
        self.go(host)
        self.wait("Date.now() - stream.heard > 15000", 30)
        self.assertEqual([], self.was_asked(other))

    def test_a_phone_that_slept_listens_first(self):
        host, other = self.pair()
        self.open(host.address)
        self.wait_ready()
        self.js("stream.heard = elsewhere.awake = Date.now() - 600000;"
                "elsewhere.seen = Date.now() - 500000;"
                "stream.isConnected = false; watchHost()")
        self.assertFalse(self.value("isHostLost()"))
        self.assertEqual([], self.was_asked(other))

    def test_a_page_that_lacks_a_line_is_not_gone_to(self):
        host, other = self.pair()
        host.say(3, "three")
        self.open(host.address)
        self.wait_text("three")
        self.wait_ready()
        self.go(host)
        self.wait("elsewhere.nextLook > 0", 40)
        self.assertTrue(self.was_asked(other))
        self.assertEqual(host.address, self.value("location.href"))
        other.say(3, "three")
        self.wait(f"location.href === {other.address!r}", 30)

    def test_a_host_that_answers_is_not_left(self):
        host, other = self.pair()
        self.open(host.address)
        self.wait_ready()
        # It takes requests, and gives out no stream: slow, and not gone.
        host.answer = 500
        host.cut()
        self.wait("Date.now() - stream.heard > 15000", 40)
        self.assertTrue(self.was_asked(other))
        self.assertEqual(host.address, self.value("location.href"))

    def test_what_is_no_page_is_never_gone_to(self):
        host, _ = self.pair()
        self.open(host.address)
        for bad in ("javascript:alert(1)", "data:text/html,x", "ftp://192.0.2.1", "", "//x",
                    host.address, None, 7):
            self.assertFalse(self.value(f"isPage({json.dumps(bad)})"), bad)
        self.assertTrue(self.value("isPage('http://192.0.2.8:8080')"))
        self.js("takeAlso('http://192.0.2.8')")
        self.assertEqual([], self.value("elsewhere.pages"))

    def test_what_a_stranger_puts_into_a_link_does_nothing_bad(self):
        host, _ = self.pair()
        at = dict(session=host.session, last=1, mark=1, place=["<b>", 2],
                  settings=dict(size=9e9, theme="dark", names="no", __proto__=1, evil=1))
        for text in (json.dumps(at), "{", "[]", "null", "x" * 3000):
            self.open(host.address + "?at=" + urllib.parse.quote(text))
            self.wait_text("two")
            self.assertEqual(host.address, self.value("location.href"))
        self.assertLessEqual(self.value("settings.size"), 4)
        self.assertIsNone(self.value("settings.evil ?? null"))
        self.assertIs(True, self.value("settings.names"))
        self.assert_nothing_bad()


if __name__ == "__main__":
    unittest.main()
