"""An event with several logs: whoever reads chooses one, and keeps to it."""

from selenium.webdriver.support.ui import Select

from support import SMALL, EventRelay, PageTest, Writer, unittest

ROOM = "?log=Room%202"
# The lines as they are read, with who says them, or whether they are being said.
ROWS = "[...document.querySelectorAll('.line')].map(e => e.textContent.trim())"


class SeveralLogs(PageTest):
    """An event with other writers."""

    def event(self):
        return self.host("--admit", "all")

    def writer(self, host, label="Room 2"):
        writer = Writer(host, label)
        self.addCleanup(writer.close)
        return writer

    def names(self):
        return self.value("[...document.querySelectorAll('#logs option')].map(e => e.textContent)")

    def choose(self, name):
        self.wait("!document.getElementById('logs').hidden")
        Select(self.browser.find_element("id", "logs")).select_by_visible_text(name)

    def rows(self):
        return self.value(ROWS)

    def in_turn(self, *turns):
        """Each says his line once everybody has heard the one before, by the page."""
        for speaker, text in turns:
            speaker.say(text)
            self.wait_text(text)


class LogTests(SeveralLogs):
    """One log by itself."""

    def read_room(self, host):
        """Opens a room in which one line was said, and gives its writer."""
        writer = self.writer(host)
        writer.say("uno")
        self.open(host.address + ROOM)
        self.wait_text("uno")
        return writer

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
        self.assertEqual(["All captions", "Town Hall", "Room 2"], self.names())
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
        self.assertEqual("?log=floor", self.value("location.search"))
        self.choose("All captions")
        self.wait_text("dos, tres")
        self.assertEqual("", self.value("location.search"))
        self.assertEqual(["one", "uno", "dos, tres", "two"], self.texts())
        # What is saved is what is read.
        self.wait("document.querySelector('#saving a').href.endsWith('?download=&log=all')")
        self.assertEqual("one\n[Room 2] uno\n[Room 2] dos, tres\ntwo\n", self.js_async(
            "const done = arguments[arguments.length - 1];"
            "fetch(document.querySelector('#saving a').href)"
            ".then((answer) => answer.text()).then(done, done);"))
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
        self.wait("document.querySelectorAll('#logs option').length === 4")
        self.js("""const logs = document.getElementById('logs'); logs.selectedIndex = 3;
                   logs.dispatchEvent(new Event('change'))""")
        self.wait("location.search.length > 20")
        self.wait_text("un")
        self.assertEqual(["un"], self.texts())


class TogetherTests(SeveralLogs):
    """All of an event's captions together."""

    def test_lines_of_two_writers_stand_in_their_order_whoever_comes_when(self):
        host = self.event()
        host.say("one")
        self.open(host.address)
        self.wait_text("one")
        # A log that comes to be while the page is open.
        writer = self.writer(host)
        self.in_turn((writer, "uno"), (host, "two"), (writer, "dos"), (host, "three"))
        shown = ["one", "Room 2: uno", "two", "Room 2: dos", "three"]
        self.assertEqual(shown, self.rows())
        writer.say("tres", speaker="Ann")
        self.wait_text("tres")
        shown.append("Room 2 · Ann: tres")
        self.assertEqual(shown, self.rows())
        self.assert_nothing_bad()
        self.open(host.address)
        self.wait_text("tres")
        self.assertEqual(shown, self.rows())
        self.assertEqual("All captions", self.value(
            "document.getElementById('logs').selectedOptions[0].textContent"))
        self.assert_nothing_bad()

    def test_what_is_being_said_in_two_rooms_is_shown_and_ends_in_its_place(self):
        host = self.event()
        writer = self.writer(host)
        self.open(host.address)
        host.partial("a", "we are")
        self.wait_text("we are")
        # The same name of a line in both.
        writer.partial("a", "estamos")
        self.wait_text("estamos")
        self.assertEqual(["we are", "Room 2: estamos"], self.rows())
        writer.say("estamos aqui", line="a")
        self.wait("document.querySelectorAll('.line:not(.open)').length === 1")
        self.assertEqual(["Room 2: estamos aqui", "we are"], self.rows())
        host.say("we are here", line="a")
        self.wait("!document.querySelector('.open')")
        shown = ["Room 2: estamos aqui", "we are here"]
        self.assertEqual(shown, self.rows())
        self.open(host.address)
        self.wait_text("we are here")
        self.assertEqual(shown, self.rows())

    def test_a_correction_of_a_room_is_one_of_its_own_line(self):
        host = self.event()
        host.say("one")
        writer = self.writer(host)
        self.open(host.address)
        self.in_turn((writer, "uno"), (host, "two"))
        writer.say("UNO", replaces=1)
        self.wait_text("UNO")
        self.assertEqual(["one", "UNO", "two"], self.texts())

    def test_a_reader_has_the_floor_alone_or_with_a_room(self):
        host = self.event()
        host.say("one")
        writer, other = self.writer(host), self.writer(host, "Room 3")
        writer.say("uno")
        other.say("un")
        self.open(host.address)
        for text in ("one", "uno", "un"):
            self.wait(f"lines.some(row => row.text === {text!r})")
        self.open(host.address + "?log=floor")
        self.wait_text("one")
        self.assertEqual(["one"], self.texts())
        self.assertEqual("Town Hall", self.value(
            "document.getElementById('logs').selectedOptions[0].textContent"))
        self.open(host.address + "?log=floor&log=Room%203")
        self.wait("lines.length === 2")
        self.assertEqual({"one", "un"}, set(self.texts()))
        self.assertEqual("Town Hall + Room 3", self.value(
            "document.getElementById('logs').selectedOptions[0].textContent"))
        self.open(host.address + "?log=Room%202&log=Room%203")
        self.wait("lines.length === 2")
        self.assertEqual({"uno", "un"}, set(self.texts()))

    def test_long_histories_of_two_writers_are_put_together(self):
        host = self.event()
        writer = self.writer(host)
        self.open(host.address)
        for start in range(1, 1500, 300):
            host.say(*(f"line {number}" for number in range(start, start + 150)))
            self.wait_text(f"line {start + 149}")
            writer.say(*(f"line {number}" for number in range(start + 150, start + 300)))
            self.wait_text(f"line {start + 299}")
        self.open(host.address)
        self.wait_text("line 1500")
        self.fetch_all()
        self.assertEqual([f"line {number}" for number in range(1, 1501)], self.all_texts())
        self.assert_nothing_bad()

    def test_a_reload_keeps_the_place_in_another_log(self):
        host = self.event()
        writer = self.writer(host)
        self.open(host.address)
        host.say(*(f"line {number}" for number in range(1, 101)))
        self.wait_text("line 100")
        writer.say(*(f"line {number}" for number in range(101, 201)))
        self.wait_text("line 200")
        self.scroll_to(self.value("document.getElementById('view').scrollHeight * 0.7"))
        self.js_async("setTimeout(arguments[0], 300)")  # a scroll's end
        before = self.value("[places()[0].row.text, places()[0].offset]")
        writer.say("said later")
        self.wait("lines[lines.length - 1].text === 'said later'")
        self.js("location.reload(); window.isOldPage = true")
        self.wait("!window.isOldPage && stream.isLive")
        after = self.value("[places()[0].row.text, places()[0].offset]")
        self.assertEqual(before[0], after[0])
        self.assertAlmostEqual(before[1], after[1], delta=1)
        self.assertEqual(
            [*(f"line {number}" for number in range(1, 201)), "said later"], self.all_texts())

    def test_a_mark_in_a_room_is_found_again(self):
        host = self.event()
        host.say("one")
        writer = self.writer(host)
        self.open(host.address)
        self.in_turn((writer, "uno"))
        self.press("m")
        self.wait("document.querySelector('.marked')?.textContent.includes('uno')")
        self.in_turn((host, "two"))
        self.open(host.address)
        self.wait("document.querySelector('.marked')?.textContent.includes('uno')")

    def test_a_standby_is_read_on_where_the_host_was_killed(self):
        host = self.host("--admit", "all", "--web-relay", "127.0.0.1")
        host.say("one")
        self.open(host.address)
        relay = EventRelay(host)
        self.addCleanup(relay.close)
        self.wait(f"elsewhere.pages.join() === {relay.address.rstrip('/')!r}", 15)
        self.wait("elsewhere.frame?.contentDocument?.URL.includes('/look')"
                  " && elsewhere.frame.contentDocument.readyState === 'complete'", 20)
        # Who comes now is told of the relay at once.
        writer = self.writer(host, "Standby")
        self.in_turn((writer, "uno"), (host, "two"))
        host.kill()
        writer.say("dos")
        self.wait(f"location.href.startsWith({relay.address!r})", 40)
        self.wait_text("dos", 40)
        writer.say("tres")
        self.wait_text("tres", 20)
        self.assertEqual(["one", "Standby: uno", "two", "Standby: dos", "Standby: tres"],
                         self.rows())
        self.assert_nothing_bad()


class TranslationTests(PageTest):
    """Logs that translate another, by a made-up stream."""

    ES = "11111111-0000-4000-8000-000000000001"

    def translated(self):
        """A host whose line 2 is translated, and line 3 not yet."""
        host = self.fake_host()
        log = {"session": self.ES, "label": "Español", "lang": "es", "of": host.session,
               "deviceName": "mt"}
        host.more = {"logs": [log]}
        host.reads = [dict(log, runs=[0], firstSeq=1, lastSeq=0, after=0, at=0)]
        self.say(host, 1, "One.", 1)
        # Other logs' lines come before those of the main one where there are many.
        self.say(host, 1, "Dos.", 4, self.ES, of=2)
        self.say(host, 2, "Two.", 2)
        self.say(host, 3, "Three.", 5)
        return host

    def say(self, host, seq, text, at, session=None, **more):
        item = {"session": session or host.session}
        host.history.append(("in", item))
        host.send("in", **item)
        host.say(seq, text, at=at, **more)

    def test_a_translation_takes_its_lines_place_for_who_has_chosen_it(self):
        host = self.translated()
        self.open(host.address)
        self.wait_text("Three.")
        self.assertEqual(["One.", "Two.", "Three."], self.texts())
        self.set_setting("lang", "es")
        self.wait_text("Dos.")
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Three.'")
        self.assertIn(f"log=all&log={self.ES}", host.seen[-1])
        self.say(host, 2, "Tres.", 6, self.ES, of=3)
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Tres.'")
        self.set_setting("lang", "")
        self.wait(f"{ROWS}.join() === 'One.,Two.,Three.'")
        self.assert_nothing_bad()

    def test_the_translation_of_a_lost_line_stands_for_no_other(self):
        host = self.translated()
        # Line 3 was lost, and its number is that of a later line.
        self.say(host, 2, "Vieja.", 4, self.ES, of=3)
        self.open(host.address)
        self.set_setting("lang", "es")
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Three.'")
        self.say(host, 3, "Tres.", 6, self.ES, of=3, replaces=2)
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Tres. (corrected)'")
        self.assert_nothing_bad()

    def test_a_line_in_the_chosen_language_is_not_replaced(self):
        host = self.translated()
        self.say(host, 4, "No.", 6, lang="es")
        self.say(host, 2, "Sí.", 7, self.ES, of=4)
        self.open(host.address)
        self.set_setting("lang", "es")
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Three.,No.'")
        self.assert_nothing_bad()

    def test_a_hosts_translation_is_read_by_who_has_chosen_its_language(self):
        host = self.host("--lang", "en", "--translate", "es=sed -u s/^/es-/")
        host.say("one")
        self.open(host.address)
        self.wait_text("one")
        self.wait("[...document.querySelectorAll('#langs option')].some(e => e.value === 'es')")
        self.assertEqual(["one"], self.texts())
        self.set_setting("lang", "es")
        self.wait(f"{ROWS}.join() === 'es-one'")
        host.say("two")
        self.wait(f"{ROWS}.join() === 'es-one,es-two'")
        host.say("deux", replaces=2)
        self.wait(f"{ROWS}[1].startsWith('es-deux')")
        self.assertEqual(2, len(self.texts()))
        self.open(host.address)
        self.wait(f"{ROWS}.length === 2 && {ROWS}[1].startsWith('es-deux')")
        self.open(host.address + "?log=floor&log=es")
        self.set_setting("lang", "")
        self.wait(f"{ROWS}.length === 4")
        self.assertEqual(["one", "es-one", "deux", "es-deux"], self.texts())
        self.assert_nothing_bad()

    def test_an_interpreters_lines_stand_for_what_was_said_since_the_one_before(self):
        host = self.translated()
        self.open(host.address)
        self.set_setting("lang", "es")
        self.wait_text("Three.")
        self.say(host, 2, "Un aplauso.", 6, self.ES)
        self.say(host, 4, "Four.", 7)
        self.say(host, 5, "Five.", 8, lang="es")
        self.say(host, 6, "Six.", 9)
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Three.,Un aplauso.,Four.,Five.,Six.'")
        self.say(host, 3, "Cuatro y seis.", 10, self.ES)
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Three.,Un aplauso.,Five.,Cuatro y seis.'")
        # Who comes late sees the same, and who reads another language what was said.
        self.open(host.address)
        self.wait(f"{ROWS}.join() === 'One.,Dos.,Three.,Un aplauso.,Five.,Cuatro y seis.'")
        # It was long ago.
        self.say(host, 7, "Seven.", 11)
        self.say(host, 4, "Ocho.", 50, self.ES)
        self.wait(f"{ROWS}.slice(-2).join() === 'Seven.,Ocho.'")
        self.set_setting("lang", "")
        self.wait(f"{ROWS}.join() === 'One.,Two.,Three.,Four.,Five.,Six.,Seven.'")
        self.assert_nothing_bad()

    def test_an_interpreters_lines_stand_for_what_a_standby_says(self):
        host = self.translated()
        standby = "11111111-0000-4000-8000-000000000002"
        log = {"session": standby, "label": "Standby", "lang": "en", "standsInFor": host.session,
               "deviceName": "desk"}
        host.more["logs"].append(log)
        host.reads.append(dict(log, runs=[0], firstSeq=1, lastSeq=0, after=0, at=0))
        self.say(host, 2, "Un aplauso.", 6, self.ES)
        self.say(host, 1, "Four.", 7, standby)
        self.open(host.address)
        self.set_setting("lang", "es")
        shown = "One.,Dos.,Three.,Un aplauso."
        self.wait(f"{ROWS}.join() === '{shown},Standby: Four.'")
        self.say(host, 3, "Cuatro.", 8, self.ES)
        self.wait(f"{ROWS}.join() === '{shown},Cuatro.'")
        self.assert_nothing_bad()

    def test_a_translation_stands_under_its_line_where_both_are_asked_for(self):
        host = self.translated()
        self.open(host.address + "?log=floor&log=Espa%C3%B1ol")
        self.wait_text("Three.")
        self.assertEqual(["One.", "Two.", "Español: Dos.", "Three."], self.value(ROWS))
        self.say(host, 2, "Uno.", 6, self.ES, of=1)
        self.wait_text("Uno.")
        self.assertEqual(["One.", "Español: Uno.", "Two.", "Español: Dos.", "Three."],
                         self.value(ROWS))
        self.assert_nothing_bad()


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
        self.wait("document.querySelectorAll('#logs option').length === 66")
        self.assert_nothing_sideways()
        self.assertGreaterEqual(
            self.value("document.getElementById('logs').getBoundingClientRect().height"), 44)
        self.assert_nothing_bad()


if __name__ == "__main__":
    unittest.main()
