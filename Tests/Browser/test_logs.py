"""An event with several logs: whoever reads chooses one, and keeps to it."""

from selenium.webdriver.support.ui import Select

from support import SMALL, EventRelay, PageTest, Writer, unittest

ROOM = "?log=Room%202"


class LogTests(PageTest):
    def event(self):
        return self.host("--admit", "all")

    def writer(self, host, label="Room 2"):
        writer = Writer(host, label)
        self.addCleanup(writer.close)
        return writer

    def read_room(self, host):
        """Opens a room in which one line was said, and gives its writer."""
        writer = self.writer(host)
        writer.say("uno")
        self.open(host.address + ROOM)
        self.wait_text("uno")
        return writer

    def names(self):
        return self.value("[...document.querySelectorAll('#logs option')].map(e => e.textContent)")

    def choose(self, name):
        self.wait("!document.getElementById('logs').hidden")
        Select(self.browser.find_element("id", "logs")).select_by_visible_text(name)

    def test_a_reader_chooses_a_room_and_goes_back(self):
        host = self.event()
        host.say("one")
        self.open(host.address)
        self.wait_text("one")
        self.assertTrue(self.value("document.getElementById('logs').hidden"))
        writer = self.writer(host)
        writer.say("uno")
        # By the next sign of life.
        self.wait("!document.getElementById('logs').hidden")
        self.assertEqual(["Town Hall", "Room 2"], self.names())
        self.choose("Room 2")
        self.wait_text("uno")
        self.assertIn("log=Room%202", self.value("location.search"))
        writer.partial("a", "dos, t")
        self.wait_text("dos, t")
        writer.say("dos, tres", line="a")
        self.wait_text("dos, tres")
        self.assertEqual(["uno", "dos, tres"], self.texts())
        self.assertIn("log=Room%202", self.value("document.querySelector('#saving a').href"))
        host.say("two")
        self.choose("Town Hall")
        self.wait_text("two")
        self.assertEqual(["one", "two"], self.texts())
        self.assertNotIn("log", self.value("location.search"))
        self.assert_nothing_bad()

    def test_a_long_history_of_a_room_is_fetched(self):
        host = self.event()
        host.say("one")
        self.writer(host).say(*(f"line {number}" for number in range(1, 701)))
        self.open(host.address + ROOM)
        self.wait_text("line 700")
        self.fetch_all()
        self.assertEqual([f"line {number}" for number in range(1, 701)], self.all_texts())

    def test_a_room_that_has_not_begun_is_waited_for(self):
        host = self.event()
        host.say("one")
        self.open(host.address + ROOM, until="absent")
        self.assertEqual([], self.texts())
        self.assertEqual("Room 2", self.value(
            "document.getElementById('logs').selectedOptions[0].textContent"))
        self.assertEqual("Town Hall", self.value("document.title"))
        self.writer(host).say("uno")
        self.wait_text("uno", 20)
        self.assertEqual(["uno"], self.texts())

    def test_each_line_of_a_room_is_there_once_when_the_host_is_back(self):
        host = self.event()
        host.say("one")
        writer = self.read_room(host)
        host.kill()
        writer.say("dos")
        self.wait_state("lost", 20)
        second = host.resume(wire=host.wire)
        self.addCleanup(second.close)
        second.say("two")
        self.wait_text("dos", 40)
        writer.say("tres")
        self.wait_text("tres", 20)
        self.assertEqual(["uno", "dos", "tres"], self.texts())

    def test_a_reader_of_a_room_keeps_to_it_at_a_relays_page(self):
        host = self.host("--admit", "all", "--web-relay", "127.0.0.1")
        self.read_room(host)
        relay = EventRelay(host)
        self.addCleanup(relay.close)
        self.wait(f"elsewhere.pages.join() === {relay.address.rstrip('/')!r}", 15)
        self.wait("elsewhere.frame?.contentDocument?.URL.includes('/look')"
                  " && elsewhere.frame.contentDocument.readyState === 'complete'", 20)
        host.kill()
        self.wait(f"location.href.startsWith({relay.address!r})", 40)
        self.wait_text("uno", 20)
        self.assertEqual("Room 2", self.value("wantedLog"))
        self.assertEqual(["uno"], self.texts())

    def test_a_writer_who_has_gone_is_told(self):
        host = self.event()
        writer = self.read_room(host)
        writer.kill()
        self.wait_state("unheard", 30)
        self.assertEqual(["uno"], self.texts())

    def test_the_event_ends_for_a_rooms_readers_too(self):
        host = self.host("--admit", "all", "--until-eof")
        self.read_room(host)
        host.end()
        self.wait_state("ended")
        self.assertEqual(["uno"], self.texts())

    def test_two_rooms_of_one_name_are_told_apart(self):
        host = self.event()
        first, second = self.writer(host), self.writer(host)
        first.say("uno")
        second.say("un")
        self.open(host.address)
        self.wait("document.querySelectorAll('#logs option').length === 3")
        self.js("""const logs = document.getElementById('logs'); logs.selectedIndex = 2;
                   logs.dispatchEvent(new Event('change'))""")
        self.wait("location.search.length > 20")
        self.wait_text("un")
        self.assertEqual(["un"], self.texts())


class ChooserTests(PageTest):
    """The chooser itself, whatever the host says."""

    size = SMALL

    def test_strange_lists_do_no_harm(self):
        for logs in ([None, 3, {}, {"session": "a"}, {"session": "a", "label": 7}], "x", 5, {}):
            host = self.fake_host(more={"logs": logs})
            host.say(1, "one")
            self.open(host.address)
            self.wait_text("one")
            self.assertTrue(self.value("document.getElementById('logs').hidden"))
            self.assert_nothing_bad()

    def test_many_and_long_names_fit(self):
        name = "<img src=x onerror=alert(1)>" + "W" * 200
        logs = [{"session": f"s{number}", "label": name, "lang": name} for number in range(200)]
        host = self.fake_host(more={"logs": logs})
        host.say(1, "one")
        self.open(host.address)
        self.wait("document.querySelectorAll('#logs option').length === 65")
        self.assert_nothing_sideways()
        self.assertGreaterEqual(
            self.value("document.getElementById('logs').getBoundingClientRect().height"), 44)
        self.assert_nothing_bad()


if __name__ == "__main__":
    unittest.main()
