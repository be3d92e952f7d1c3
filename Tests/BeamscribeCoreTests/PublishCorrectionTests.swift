import BeamscribeCore
import Testing

@Suite("A line that the input sends again")
struct PublishCorrectionTests {
    private let room = VirtualRoom()

    @Test
    func guests_getTheNewWordingWithTheOldLinesNumber_whenItsIDIsKnown() {
        let guest = room.guest()
        room.connect(guest)
        publish("good morning", "turn-1")
        publish("who is there", "turn-2")
        correct("Good morning.", "turn-1")
        correct("Good morning!", "turn-1")
        #expect(guest.lines.map(\.replaces) == [nil, nil, 1, 1])
        #expect(guest.lines.last?.text == "Good morning!")
    }

    @Test
    func guestWhoComesLate_getsTheSameLines() {
        publish("good morning", "turn-1")
        correct("Good morning.", "turn-1")
        let guest = room.guest()
        room.connect(guest)
        #expect(guest.lines.map(\.text) == ["good morning", "Good morning."])
        #expect(guest.lines.map(\.replaces) == [nil, 1])
    }

    @Test
    func correction_isALineOfItsOwn_whenNobodyKnowsItsID() {
        let guest = room.guest()
        room.connect(guest)
        room.say("good morning")
        correct("Good morning.", "l-1")
        #expect(guest.lines.map(\.replaces) == [nil, nil])
    }

    private func publish(_ text: String, _ line: String) {
        room.host.publisher.publish(final: Caption(text: text, line: line), now: room.now)
        room.deliver()
    }

    private func correct(_ text: String, _ line: String) {
        room.host.publisher.publish(correction: Caption(text: text, line: line), now: room.now)
        room.deliver()
    }
}
