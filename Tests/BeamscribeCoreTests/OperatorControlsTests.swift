import BeamscribeCore
import Testing

/// What an operator does with an event, as its guests learn it.
@Suite struct OperatorControlsTests {
    private func roomWithAGuest() -> (VirtualRoom, VirtualGuest) {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pass(seconds: 1)
        return (room, guest)
    }

    private func set(_ gate: InputGate, in room: VirtualRoom) {
        room.host.publisher.set(gate, now: room.now)
        room.pass(seconds: 1)
    }

    @Test(arguments: [(InputGate.paused, InputTrouble.paused), (.offRecord, .offRecord)])
    func gate_isToldToAll_toLatecomersToo_andThatItIsOpenAgain(
        _ gate: InputGate, _ trouble: InputTrouble
    ) {
        let (room, guest) = roomWithAGuest()
        room.say("one")
        set(gate, in: room)
        #expect(guest.states.last == .stalled(trouble) && guest.alerts == [gate.rawValue])
        let late = room.guest("Late")
        room.connect(late)
        room.pass(seconds: 1)
        #expect(late.states.last == .stalled(trouble) && late.texts == ["one"])
        let told = late.alerts
        set(gate, in: room)
        #expect(late.alerts == told)
        set(.open, in: room)
        #expect(guest.alerts.last == "resumed" && guest.states.last == .live)
        let later = room.guest("Later")
        room.connect(later)
        room.pass(seconds: 1)
        #expect(later.alerts.isEmpty && later.states.last == .live)
    }

    @Test func guests_areLive_afterALongPause() {
        let (room, guest) = roomWithAGuest()
        set(.paused, in: room)
        room.pass(seconds: 300)
        set(.open, in: room)
        room.pass(seconds: 4)
        #expect(guest.states.last == .live)
    }

    @Test func openLines_areWithdrawn_offTheRecord() {
        let (room, guest) = roomWithAGuest()
        room.whisper("what I really th")
        room.host.publisher.publish(partial: Caption(text: "psst", line: "b"), now: room.now)
        room.deliver()
        #expect(room.host.publisher.recent.open.map(\.text) == ["what I really th", "psst"])
        set(.offRecord, in: room)
        var open: [String: String] = [:]
        for case .partial(let partial) in guest.events { open[partial.line] = partial.text }
        #expect(Set(open.values) == [""] && open.count == 2)
        #expect(room.host.publisher.recent.open.isEmpty)
        let late = room.guest("Late")
        room.connect(late)
        room.pass(seconds: 1)
        #expect(late.lastPartial == nil || late.lastPartial == "")
    }

    @Test func allOpenLines_areWithdrawnOffTheRecord_whereSomeHadGivenWay() {
        let (room, guest) = roomWithAGuest()
        let publisher = room.host.publisher
        for number in [1...Limits.openLines, 1...1, 50...52].joined() {
            let partial = Caption(text: "\(number)", line: "u\(number)")
            publisher.publish(partial: partial, now: room.now)
            room.deliver()
        }
        #expect(publisher.recent.open.count == Limits.openLines)
        set(.offRecord, in: room)
        var open: [String: String] = [:]
        for case .partial(let partial) in guest.events { open[partial.line] = partial.text }
        #expect(Set(open.values) == [""] && publisher.recent.open.isEmpty)
    }

    @Test func mark_tellsItsPlace() {
        let (room, guest) = roomWithAGuest()
        _ = room.host.publisher.mark(now: room.now)
        room.say("Good morning")
        _ = room.host.publisher.mark(now: room.now)
        room.deliver()
        let messages = guest.events.compactMap { event -> String? in
            if case .alert("mark", let message) = event { message } else { nil }
        }
        #expect(
            messages == [
                "The host has marked this place, before the first line",
                "The host has marked this place, after line 1: \"Good morning\"",
            ])
        let late = room.guest("Late")
        room.connect(late)
        #expect(late.alerts.isEmpty)
    }

    @Test func correction_isALineThatReplaces_andLeavesTheOpenLineAlone() {
        let (room, guest) = roomWithAGuest()
        room.say("Good mourning", "and hello")
        room.whisper("to y")
        room.deliver()
        #expect(room.host.publisher.correct(1, text: "Good morning", now: room.now) == 3)
        // What corrects a correction corrects the line itself.
        #expect(
            room.host.publisher.correct(3, text: "Good morning.", speaker: "Ann", now: room.now)
                == 4)
        room.say("to you")
        room.deliver()
        #expect(guest.lines.map(\.replaces) == [nil, nil, 1, 1, nil])
        #expect(guest.lines[3].text == "Good morning." && guest.lines[3].speaker == "Ann")
        let partial = guest.events.compactMap {
            if case .partial(let partial) = $0 { partial } else { nil }
        }
        #expect(guest.lines[4].line == partial.last?.line, "the open line went on")
        #expect(
            room.host.publisher.recent.newest.map(\.spokenText) == [
                "Ann: Good morning.", "and hello", "to you",
            ])
        #expect(room.host.publisher.recent.newest.map(\.isCorrected) == [true, false, false])
    }

    @Test(arguments: [(0, "x"), (3, "x"), (-1, "x"), (3, "")])
    func correction_isRefused_whenItMakesNoSense(_ seq: Int, _ text: String) {
        let (room, guest) = roomWithAGuest()
        #expect(room.host.publisher.correct(1, text: "x", now: room.now) == nil)
        room.say("one", "two")
        #expect(room.host.publisher.correct(seq, text: text, now: room.now) == nil)
        room.deliver()
        #expect(guest.texts == ["one", "two"])
    }

    @Test func correction_isSafeAndShort_whateverIsTyped() {
        let (room, guest) = roomWithAGuest()
        room.say("one")
        let long = String(repeating: "x\u{1B}[2J", count: 4_000)
        #expect(room.host.publisher.correct(1, text: long, speaker: long, now: room.now) == 2)
        room.deliver()
        #expect(guest.lines.last.map { SafeText.isSafe($0.spokenText) } == true)
        #expect(guest.lines.last.map { $0.text.utf8.count <= Limits.lineBytes } == true)
    }

    @Test func resumedSession_knowsItsNewestLines() throws {
        let transcript = Transcript()
        var log: [UInt8] = []
        for seq in 1...100 {
            log += try SampleLog.frame(seq, "text \(seq)", replaces: seq == 100 ? 99 : nil)
        }
        var reader = JournalReader()
        log.withUnsafeBytes {
            reader.read($0) { payload, _, seq in transcript.restore(payload: payload, seq: seq) }
        }
        let room = VirtualRoom(transcript: transcript)
        #expect(room.host.publisher.recent.newest.last?.text == "text 100")
        #expect(room.host.publisher.recent.newest.last?.seq == 99)
        #expect(room.host.publisher.recent.newest.count == Limits.recentLines - 1)
    }
}
