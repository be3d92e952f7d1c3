import Testing

@testable import BeamscribeCommand
@testable import BeamscribeCore

/// Lines that are fetched for caption services, and not for the reader.
@Suite struct BacklogTests {
    private let lacking = Handshake.Resume(session: "s", after: 5, run: 1)

    private func events(_ seqs: ClosedRange<Int>, history: Int) -> [GuestEvent] {
        [
            .joined(
                JoinedEvent(eventName: "E", deviceName: "D", session: "s", history: history))
        ]
            + seqs.map {
                .line(
                    TranscriptLine(
                        seq: $0, line: "l", text: "t", sentTimestamp: 0, receivedTimestamp: 0,
                        latency: 0))
            }
    }

    private func lines(_ events: [GuestEvent]) -> [Int] {
        events.compactMap { if case .line(let line) = $0 { line.seq } else { nil } }
    }

    @Test func reader_getsWhatItAskedFor_whileServicesGetWhatTheyLack() {
        let cases: [(GuestSession.Start, Handshake.Resume?, shown: ClosedRange<Int>)] = [
            (.next, nil, 9...10), (.line(8), nil, 8...10),
            (.beginning, Handshake.Resume(session: "s", after: 7, run: 1), 8...10),
        ]
        for (start, resume, shown) in cases {
            let backlog = Backlog([lacking])
            let (begins, has) = backlog.start(for: start, resume)
            #expect(begins == .beginning && has == lacking)
            #expect(lines(backlog.asked(events(6...10, history: 8))) == Array(shown))
            #expect(!backlog.isOfAnotherEvent(), "It was joined.")
        }
    }

    @Test func nothingIsFetched_whenTheReaderGetsItAll_orNobodyLacksAnything() {
        let older = Handshake.Resume(session: "s", after: 3, run: 1)
        let cases: [([Handshake.Resume], GuestSession.Start, Handshake.Resume?)] = [
            ([lacking], .beginning, nil), ([lacking], .line(6), nil), ([lacking], .line(2), nil),
            ([lacking], .beginning, older), ([], .next, nil), ([], .line(4), nil),
            ([lacking], .beginning, Handshake.Resume(session: "t", after: 9, run: 1)),
        ]
        for (lacking, start, resume) in cases {
            let backlog = Backlog(lacking)
            let (begins, has) = backlog.start(for: start, resume)
            #expect(begins == start && has == resume)
            #expect(lines(backlog.asked(events(6...10, history: 8))) == Array(6...10))
        }
    }

    @Test func anotherEvent_isJoinedAsItsReaderWants() {
        let backlog = Backlog([lacking])
        _ = backlog.start(for: .next, nil)
        #expect(backlog.isOfAnotherEvent())
        let (start, resume) = backlog.start(for: .next, nil)
        #expect(start == .next && resume == nil)
        #expect(!backlog.isOfAnotherEvent())
    }

    @Test func nothingIsHidden_ofAnEventThatIsBegunAnew() {
        let backlog = Backlog([lacking])
        _ = backlog.start(for: .next, nil)
        #expect(lines(backlog.asked(events(6...10, history: 8))) == [9, 10])
        #expect(lines(backlog.asked([.begunAnew] + events(1...3, history: 3))) == [1, 2, 3])
    }
}
