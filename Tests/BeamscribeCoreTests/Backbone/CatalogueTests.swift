import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// Which events a server keeps, among everything that anybody has put there.
@Suite("A server's catalogue of events")
struct CatalogueTests {
    /// Counts how often something is hashed.
    private final class Counter { var count = 0 }

    private struct CountingCrypto: LogCrypto {
        let toy = ToyCrypto()
        let counter: Counter

        func hash(
            _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
        ) -> LogHash {
            counter.count += 1
            return toy.hash(first, second)
        }

        func verifier(of publicKey: [UInt8]) -> (any LogVerifier)? {
            toy.verifier(of: publicKey)
        }
    }

    private func payload(_ frame: [UInt8]) -> [UInt8] {
        Array(frame.dropFirst(FrameDecoder.prefixLength))
    }

    private func record(
        _ session: UUID, called name: String, by crypto: ToyCrypto, hasCode: Bool? = nil
    ) -> [UInt8] {
        var record = LogRecord(
            founding: session.wireName, eventName: name, deviceName: "balcony",
            created: 1_800_000_000, number: 1)
        record.code = hasCode
        let writer = LogWriter(of: session, run: 1, as: record, by: crypto, hashing: crypto)!
        let log = EventLog(
            session: session, transcript: Transcript(hashing: LineChain(of: session, by: crypto)),
            signedBy: writer, now: VirtualRoom.beginning)
        return payload(log.record!)
    }

    @Test("An event is found in a flood of strangers' records and words, read twice at most")
    func flood() {
        let (counter, session) = (Counter(), UUID())
        var catalogue = BackboneCatalogue(
            of: "Town Hall", proving: CountingCrypto(counter: counter))
        let code = BackboneEntry(.code, of: session, in: session).subject
        func flood() {
            // The code's word comes before it is known whose event that is.
            catalogue.take(code, [49])
            for _ in 0..<20_000 {
                let entry = BackboneEntry(.head, of: UUID(), in: UUID())
                catalogue.take(entry.subject, Array("{}".utf8))
            }
            for number in 0..<300 {
                let other = UUID()
                catalogue.take(
                    BackboneEntry(.log, of: other, in: other).subject,
                    record(other, called: "Else \(number)", by: ToyCrypto("stranger")))
            }
            catalogue.take(
                BackboneEntry(.log, of: session, in: session).subject,
                record(session, called: "Town Hall", by: ToyCrypto()))
        }
        flood()
        #expect(catalogue.needsAnotherLook)
        catalogue.lookAgain()
        flood()
        #expect(!catalogue.needsAnotherLook)
        #expect(catalogue.wanted.map(\.id) == [session])
        #expect(catalogue.wanted.first?.hasCode == true)
        // What is not of the name is not even hashed.
        #expect(counter.count < 20)
    }

    @Test(
        "Whether there is a code the founder signs; the entry counts where his record is silent",
        arguments: [(Bool?.none, true), (false, false), (true, true)])
    func code(signed: Bool?, isNeeded: Bool) {
        let session = UUID()
        let code = BackboneEntry(.code, of: session, in: session).subject
        let own = BackboneEntry(.log, of: session, in: session).subject
        var catalogue = BackboneCatalogue(of: "Town Hall", proving: ToyCrypto())
        let record = record(session, called: "Town Hall", by: ToyCrypto(), hasCode: signed)
        for (subject, payload) in [(own, record), (code, [49]), (own, record)] {
            catalogue.take(subject, payload)
        }
        #expect(catalogue.wanted.map(\.hasCode) == [isNeeded])
    }

    @Test("Of too many events of the name the one that was heard last stays")
    func sameName() {
        var catalogue = BackboneCatalogue(of: "Town Hall", proving: ToyCrypto())
        for _ in 0..<Limits.catalogueEvents + 50 {
            let session = UUID()
            catalogue.take(
                BackboneEntry(.log, of: session, in: session).subject,
                record(session, called: "Town Hall", by: ToyCrypto()))
        }
        #expect(catalogue.wanted.count == Limits.catalogueEvents)
    }

    // MARK: Records of one log by two keys

    /// A record of the founder's log by another key, with any number.
    private func forged(_ session: UUID, number: Int, isOpen: Bool? = nil) -> [UInt8] {
        let stranger = ToyCrypto("stranger")
        var record = LogRecord(
            founding: session.wireName, eventName: "Town Hall", deviceName: "evil",
            created: 1_800_000_000, number: number)
        (record.key, record.open) = (Data(stranger.publicKey), isOpen)
        let frame = stranger.signedFrame(try! FrameEncoder().frame(.log(record))) {
            LogStatement.record($0)
        }
        return payload(frame)
    }

    private static let numbers = [1, 2, 1_000_000, Limits.lineNumber]

    @Test(
        "The founder's record counts once it is there, whatever number a forged one had",
        arguments: numbers)
    func forgedFounder(number: Int) {
        let (crypto, session) = (ToyCrypto(), UUID())
        let log = crypto.log(session, now: VirtualRoom.beginning)
        let head = payload(log.head(Timing(), now: VirtualRoom.beginning)!)
        let (own, heads) = (
            BackboneEntry(.log, of: session, in: session).subject,
            BackboneEntry(.head, of: session, in: session).subject
        )
        var catalogue = BackboneCatalogue(of: "Town Hall", proving: crypto)
        catalogue.take(heads, head)
        catalogue.take(own, forged(session, number: number))
        #expect(catalogue.wanted.map(\.isStanding) == [false])
        catalogue.take(own, payload(log.record!))
        #expect(catalogue.needsAnotherLook)
        catalogue.lookAgain()
        catalogue.take(heads, head)
        catalogue.take(own, payload(log.record!))
        #expect(catalogue.wanted.map(\.isStanding) == [true])
        #expect(catalogue.wanted.map(\.deviceName) == ["stage"])
        // Now that it is known whose the event is a forged record changes nothing.
        catalogue.take(own, forged(session, number: Limits.lineNumber))
        #expect(catalogue.wanted.map(\.deviceName) == ["stage"])
        #expect(!catalogue.needsAnotherLook)
    }

    @Test(
        "A relay that starts while a forged record stands over the host's reads every line",
        arguments: numbers)
    func forgedBeforeARelay(number: Int) {
        let (world, session) = (BackboneWorld(seed: 9), UUID())
        let host = world.host(ToyCrypto(), session)
        world.run(seconds: 1)
        host.say(5)
        world.run(seconds: 1)
        world.server.write(
            forged(session, number: number), under: BackboneEntry(.log, of: session, in: session))
        let relay = world.relay(of: session)
        world.run(seconds: 0.5)
        #expect(relay.shown.isEmpty)
        world.run(seconds: 15)
        #expect(relay.shown.count == 5 && relay.faults == [])
        // A relay that reads already does not mind another over it.
        world.server.write(
            forged(session, number: number), under: BackboneEntry(.log, of: session, in: session))
        host.say(2)
        world.run(seconds: 15)
        #expect(relay.shown.count == 7 && relay.faults == [])
    }

    @Test("A forged record that says that everybody may write counts for nothing")
    func forgedOpenEvent() {
        let session = UUID()
        let reader = BackboneReader(of: session, isOpen: false, proving: ToyCrypto())
        _ = reader.take(.connected, now: .zero)
        let subject = BackboneEntry(.log, of: session, in: session).subject
        let lie = forged(session, number: 5, isOpen: true)
        let requests = reader.take(
            .message(reading: 1, subject: subject, number: 1, lie), now: .zero)
        // The founder's record is the first there is: nothing is asked for it.
        let log = ToyCrypto().log(session, now: VirtualRoom.beginning)
        let right = reader.take(
            .message(reading: 1, subject: subject, number: 2, payload(log.record!)), now: .zero)
        #expect(requests == [] && right == [])
    }

    // MARK: Logs of one event

    @Test(
        "64 and more records that nobody has let in hide neither the founder's log nor one that was let in"
    )
    func selfSignedRecords() throws {
        let (crypto, event, second) = (ToyCrypto(), UUID(), UUID())
        let reader = BackboneReader(of: event, isOpen: false, proving: crypto)
        reader.begin()
        var following = 0
        func note(_ requests: [BackboneRequest]) {
            for case .follow(_, let reading) in requests { following = reading }
        }
        note(reader.take(.connected, now: .zero))
        func say(_ kind: BackboneEntry.Kind, _ session: UUID, _ payload: [UInt8])
            -> [BackboneRequest]
        {
            let subject = BackboneEntry(kind, of: session, in: event).subject
            return reader.take(
                .message(reading: following, subject: subject, number: 1, payload),
                now: .zero)
        }
        func record(_ session: UUID, by crypto: ToyCrypto) -> [UInt8] {
            payload(
                crypto.log(session, of: event, as: "Other", now: VirtualRoom.beginning).record!)
        }
        for number in 0..<200 {
            _ = say(.log, UUID(), record(UUID(), by: ToyCrypto("stranger \(number)")))
            let session = UUID()
            _ = say(.log, session, record(session, by: ToyCrypto("stranger \(number)")))
        }
        let main = crypto.log(event, now: VirtualRoom.beginning)
        _ = say(.log, event, payload(main.record!))
        let first = following
        note(reader.take(.caughtUp(reading: following), now: .zero))
        #expect(following != first)
        let head = main.head(Timing(), now: VirtualRoom.beginning)!
        _ = say(.head, event, payload(head))
        _ = reader.take(.caughtUp(reading: following), now: .zero)
        #expect(reader.main != nil)
        let writer = ToyVerifier(crypto: ToyCrypto("second")).writer
        let words = payload(
            try FrameEncoder().frame(
                .grant(LogGrant(event: event, session: second, writer: writer))))
        let hash = words.withUnsafeBytes { crypto.hash(SignedPayload($0).body) }
        let grant = SignedPayload.signed(
            words, by: crypto.sign(LogStatement.grant(hash, to: event))!)
        let asked = say(.grant, second, grant)
        let subject = BackboneEntry(.log, of: second, in: event).subject
        #expect(asked.contains(.recall(subject)))
        _ = reader.take(.recalled(subject, record(second, by: ToyCrypto("second"))), now: .zero)
        let known = reader.takeOutput()
        #expect(known.isEmpty == false)
        // Of a log that is known it is heard how it stands.
        let log = ToyCrypto("second").log(
            second, of: event, as: "Other", now: VirtualRoom.beginning)
        let heads = BackboneEntry(.head, of: second, in: event).subject
        _ = reader.take(
            .recalled(heads, payload(log.head(Timing(), now: VirtualRoom.beginning)!)), now: .zero)
        let told = reader.takeOutput()
        #expect(String(decoding: told, as: UTF8.self).contains(second.wireName))
    }
}
