import BeamscribeIO
import BeamscribeTLS
import BeamscribeVoice
import FoundationEssentials
import TestSupport
import Testing

@testable import Beamscribe
@testable import BeamscribeCore

/// The logs that a host writes besides its main one: who has one, what it is called, and what is left of it.
@Suite struct SideLogsTests {
    private let machine = HandMachine()
    private let folder: TemporaryFolder
    private let store: SessionStore
    private let key: HostKey

    init() throws {
        folder = try TemporaryFolder()
        store = SessionStore(in: StateFolder(environment: ["XDG_STATE_HOME": folder.path]))
        key = try HostKey()
    }

    private func configuration(
        of session: UUID = UUID(), _ storage: HostConfiguration.Storage = .none
    ) -> HostConfiguration {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", session: session,
            security: HostSecurity(key))
        (configuration.storage, configuration.otherLogs) = (storage, store)
        return configuration
    }

    private func open(
        _ configuration: HostConfiguration
    ) throws -> (sides: SideLogs, shelf: Shelf) {
        let shelf = try #require(try HostSigning(configuration).shelf(in: EventOrder()))
        return (try SideLogs(configuration, on: shelf, in: machine), shelf)
    }

    private func say(_ text: String, in side: SideLog?) {
        side?.publisher.publish(final: Caption(text: text), now: machine.now)
        _ = side?.store()
    }

    @Test func eachName_hasOneLog_thatIsServedFromItsBeginning() throws {
        let (sides, shelf) = try open(configuration())
        var opened = 0
        sides.opened = { opened += 1 }
        let ann = try #require(sides.open(for: "Ann"))
        #expect(sides.open(for: "Ann") == nil && sides.open(for: "Bob") != nil && opened == 2)
        #expect(sides.log(of: "Ann") === ann && sides.log(of: "Eve") == nil)
        #expect(shelf.titles.map(\.label) == ["Ann", "Bob"])
        #expect(shelf.titles.allSatisfy { $0.writer == key.fingerprint && $0.translates == nil })
        #expect(!sides.hasTalkersLines)
        say("hello", in: ann)
        #expect(sides.hasTalkersLines && shelf.log(of: ann.log.session.wireName)?.lastSeq == 1)
    }

    @Test func label_isOfOneLogAlone() throws {
        let (sides, shelf) = try open(configuration())
        let names = ["Ann", "ann", "ANN", "Floor", "all", String(repeating: "x", count: 255)]
        for name in names { #expect(sides.open(for: name) != nil) }
        #expect(
            shelf.titles.map(\.label) == ["Ann", "ann 2", "ANN 3", "Floor 2", "all 2", names[5]])
        #expect(sides.open(for: String(repeating: "X", count: 255)) != nil)
        let last = try #require(shelf.titles.last?.label)
        #expect(last.hasSuffix(" 2") && last.utf8.count <= Limits.labelBytes)
    }

    @Test func talkers_takeHalfOfTheRoomAlone() throws {
        let (sides, shelf) = try open(configuration())
        for number in 0..<Limits.logs { _ = sides.open(for: "person \(number)") }
        #expect(sides.ofTalkers.count == Limits.talkerLogs && shelf.hasRoom)
        #expect(sides.log(of: "person \(Limits.talkerLogs)") == nil)
    }

    @Test func nobody_hasALog_whereThatCannotBe() throws {
        let alone = try SideLogs(configuration(), on: nil, in: machine)
        #expect(alone.open(for: "Ann") == nil && alone.log(of: "Ann") == nil)
        var translated = configuration()
        translated.translations = [.init(into: "de", by: "translate")]
        let (sides, _) = try open(translated)
        #expect(sides.translations.count == 1 && sides.open(for: "Ann") == nil)
    }

    @Test func logs_goOnWithTheEvent() throws {
        let session = UUID()
        var main = SessionRecord(
            session: session.wireName, eventName: "Town Hall", deviceName: "stage", started: 1)
        (main.writer, main.keep) = (key.fingerprint, 3_600)
        _ = try store.create(main)
        do {
            let (sides, _) = try open(configuration(of: session, .new(store)))
            say("one", in: sides.open(for: "Ann"))
            say("two", in: sides.open(for: "ann"))
            sides.end(.hostDisconnected, "The host has stopped.")
            sides.close(.stopped, guests: 0)
        }
        let founder = try #require(try store.list().first { $0.record.session == session.wireName })
        #expect(founder.hasLines && founder.size == 0)
        do {
            let resumed = configuration(of: session, .resumed(try store.open(session.wireName)))
            let (sides, shelf) = try open(resumed)
            try sides.keep()
            #expect(Set(shelf.titles.map(\.label)) == ["Ann", "ann 2"] && sides.hasTalkersLines)
            #expect(sides.open(for: "Ann") == nil && sides.log(of: "Ann")?.log.runs.current == 2)
            say("three", in: sides.log(of: "Ann"))
            say("four", in: sides.open(for: "Bob"))
            sides.close(.ended, guests: 0)
        }
        let others = try store.list().filter(\.goesWithItsEvent)
        let labels = others.compactMap(\.record.contribution?.label)
        #expect(Set(labels) == ["Ann", "ann 2", "Bob"] && labels.count == 3)
        #expect(others.allSatisfy { $0.record.state == .ended })
        let bob = others.first { $0.record.contribution?.talker == "Bob" }
        #expect(bob?.record.keep == 3_600, "it is kept for as long as its event")
    }

    /// Where nothing is said in the main log nobody else tells of it.
    @Test func disk_thatTakesNothing_isToldOfOnce() throws {
        let (sides, _) = try open(configuration(of: UUID(), .new(store)))
        // A file stands where the folder has to be.
        _ = try folder.write("", to: "beamscribe")
        let ann = sides.open(for: "Ann")
        ann?.publisher.publish(final: Caption(text: "one"), now: machine.now)
        let told = sides.store()
        guard case .storageFailed? = told.first, told.count == 1 else {
            Issue.record("\(told)")
            return
        }
        #expect(sides.isFailing && sides.unsavedLines == 1)
        #expect(sides.store().isEmpty)
        try FileManager.default.removeItem(atPath: folder.path(of: "beamscribe"))
        guard case .storageRestored? = sides.store().first else {
            Issue.record("it is not told that it is saved again")
            return
        }
        #expect(!sides.isFailing && sides.unsavedLines == 0)
    }
}
