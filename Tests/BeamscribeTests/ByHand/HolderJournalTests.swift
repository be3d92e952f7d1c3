import BeamscribeTLS
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Beamscribe
@testable import BeamscribeCore
@testable import BeamscribeIO

/// What a holder keeps on its disk, as the log that it holds grows, is begun anew and is another.
@Suite struct HolderJournalTests {
    private let machine = HandMachine()
    private let disk: MoodyFolder
    private let store: SessionStore
    private let writer: WrittenLog
    private let news = EventBuffer<HolderNews>(limit: 100)

    init() throws {
        disk = try MoodyFolder()
        store = SessionStore(in: disk)
        writer = try WrittenLog()
    }

    private func journal(
        after kept: KeptLog? = nil, keep: Duration? = nil
    ) throws -> HolderJournal {
        var keeping = HoldingConfiguration.Keeping(in: store)
        keeping.age = keep
        let configuration = HoldingConfiguration(
            deviceName: "holder", deviceID: UUID(), security: HostSecurity(try HostKey()))
        return try HolderJournal(
            keeping, configuration, after: kept, telling: news, in: machine)
    }

    private func reopened() throws -> KeptLog {
        let stored = try store.openHeld(writer.session.wireName)
        return try KeptLog(
            stored, heldBy: "holder", by: LogSHA256(), now: machine.loop.now)
    }

    private func texts(_ log: EventLog) -> [String] {
        var texts: [String] = []
        log.forEachFinal(from: 1) { texts.append($1.text) }
        return texts
    }

    /// All that was told since the last time.
    private func told() -> [HolderNews] { news.takeWaiting() }

    /// The disk does what it was asked.
    private func confirm(_ journal: HolderJournal, _ held: EventLog) {
        machine.pass(.seconds(1))
        machine.doWork()
        journal.store(held, of: writer.event)
    }

    // MARK: Keeping

    @Test func disk_hasTheLines_theHeadAndTheEnd() throws {
        let journal = try journal()
        let held = writer.held()
        writer.say("one", "two", into: held)
        journal.store(held, of: writer.event)
        #expect(told() == [.keeping(session: writer.session.wireName)])
        var record = try #require(store.list().first?.record)
        let first = record.held?.head
        #expect(first != nil && record.state == .running)
        writer.say("three", into: held)
        journal.store(held, of: writer.event)
        #expect(try store.list().first?.record.held?.head == first, "the disk may lose that line")
        confirm(journal, held)
        record = try #require(store.list().first?.record)
        #expect(record.held?.head != first && record.writer == writer.event.writer)
        #expect(record.eventName == "Town Hall" && record.deviceName == "stage")
        #expect(try store.list().first?.isInUse == true)
        journal.close()
        let kept = try reopened()
        #expect(texts(kept.held.log) == ["one", "two", "three"] && kept.tail == nil)
        #expect(kept.stored.record.state == .stopped)
    }

    /// That it is kept is told once that is true.
    @Test func keeping_isToldOnceThereIsAFolder() throws {
        let journal = try journal()
        let held = writer.held()
        disk.isFull = true
        writer.say("one", into: held)
        journal.store(held, of: writer.event)
        guard case .storage(.storageFailed)? = told().first else {
            Issue.record("the disk has failed")
            return
        }
        machine.pass(.seconds(60))
        journal.store(held, of: writer.event)
        #expect(told().isEmpty)
        disk.isFull = false
        machine.pass(.seconds(60))
        journal.store(held, of: writer.event)
        #expect(told().contains(.keeping(session: writer.session.wireName)))
        journal.store(held, of: writer.event)
        #expect(told().isEmpty)
    }

    /// What others may read is on the disk before.
    @Test func nothingIsRead_thatTheDiskHasNot_unlessItFails() throws {
        let journal = try journal()
        let held = writer.held()
        journal.store(held, of: writer.event)
        _ = told()
        writer.say("one", into: held)
        var reader = held.reader(after: 0)
        #expect(held.frames(at: reader.cursor).isEmpty)
        disk.isFull = true
        journal.store(held, of: writer.event)
        #expect(!held.frames(at: reader.cursor).isEmpty)
        guard case .storage(.storageFailed(let why))? = told().first else {
            Issue.record("nothing was told")
            return
        }
        #expect(why.contains("No space left"))
        writer.say("two", into: held)
        journal.store(held, of: writer.event)
        #expect(told().isEmpty, "it is told once")
        disk.isFull = false
        machine.pass(.seconds(60))
        journal.store(held, of: writer.event)
        #expect(told() == [.storage(.storageRestored(through: 2))])
        journal.close()
        #expect(try texts(reopened().held.log) == ["one", "two"])
        _ = reader
        reader = held.reader(after: 0)
    }

    /// Of a disk that could not be written from the beginning, too.
    @Test func folderIsMade_assoonAsThereIsRoom() throws {
        disk.isFull = true
        let journal = try journal()
        let held = writer.held()
        writer.say("one", into: held)
        journal.store(held, of: writer.event)
        disk.isFull = false
        machine.pass(.seconds(60))
        journal.store(held, of: writer.event)
        journal.close()
        #expect(try texts(reopened().held.log) == ["one"])
    }

    @Test func nothingIsLeft_whereItIsKeptNoLongerThanTheEvent() throws {
        let journal = try journal(keep: .zero)
        let held = writer.held()
        writer.say("one", into: held)
        journal.store(held, of: writer.event)
        held.end(.ended, "The event has ended.", now: machine.loop.now)
        journal.close()
        #expect(try store.list().isEmpty)
    }

    // MARK: Another run, another event

    /// The writer has come back without its last line, and so does the disk.
    @Test(arguments: [0, 1, 2, 3])
    func disk_hasNoLineThatWasWithdrawn(_ left: Int) throws {
        let journal = try journal()
        let first = writer.held()
        writer.say("one", "two", "three", into: first)
        journal.store(first, of: writer.event)
        let again = try writer.again(after: left)
        let second = again.held(through: left)
        again.say("new", into: second)
        journal.store(second, of: again.event)
        journal.close()
        let kept = try reopened()
        #expect(texts(kept.held.log) == ["one", "two", "three"].prefix(left) + ["new"])
        #expect(kept.held.log.runs.after == [0, left] && kept.tail == nil)
    }

    @Test func eachEvent_hasAFolderOfItsOwn() throws {
        let journal = try journal()
        let first = writer.held()
        writer.say("one", into: first)
        journal.store(first, of: writer.event)
        let other = try WrittenLog()
        let second = other.held()
        other.say("two", into: second)
        journal.store(second, of: other.event)
        #expect(try store.list().count { $0.isInUse } == 1)
        journal.close()
        #expect(try texts(reopened().held.log) == ["one"])
        #expect(Set(try store.list().map(\.record.session)).count == 2)
    }

    // MARK: What is there already

    @Test func keptLog_isGoneOnWith_whereItIsTakenUp() throws {
        try keep("one", "two")
        try goOnWithKept()
        #expect(try texts(reopened().held.log) == ["one", "two", "three"])
    }

    /// Its lock goes with it.
    private func goOnWithKept() throws {
        let kept = try reopened()
        let held = kept.held.log
        let journal = try journal(after: kept)
        #expect(told() == [.takenUp(TakenUp(kept, isMet: false))])
        journal.store(held, of: kept.held.event)
        writer.say("three", into: held)
        journal.store(held, of: kept.held.event)
        journal.close()
    }

    private func keep(_ lines: String...) throws {
        let journal = try journal()
        let held = writer.held()
        for line in lines { writer.say(line, into: held) }
        journal.store(held, of: writer.event)
        journal.close()
        _ = told()
    }

    /// It was joined by another way, and so it was not known whose event it is: what comes again is not
    /// written again, and what is there stays until it has come.
    @Test func keptLog_isGoneOnWith_onceAsMuchHasCome() throws {
        try keep("one", "two")
        let size = try store.list().first?.size
        let journal = try journal()
        let held = writer.held()
        writer.bring(1, into: held)
        journal.store(held, of: writer.event)
        #expect(held.place(of: .disk) == nil)
        #expect(try store.list().first?.size == size)
        writer.bring(2, into: held)
        journal.store(held, of: writer.event)
        writer.say("three", into: held)
        journal.store(held, of: writer.event)
        let news = told()
        guard case .takenUp(let kept)? = news.first, news.count == 1 else {
            Issue.record("\(news)")
            return
        }
        #expect(kept.lines == 2 && kept.tail == nil && !kept.event.isKept)
        journal.close()
        #expect(try texts(reopened().held.log) == ["one", "two", "three"])
    }

    /// A torn line is set aside.
    @Test func tail_isInAFileOfItsOwn() throws {
        try keep("one", "two")
        let size = try #require(store.list().first?.size)
        let log = try store.log(of: writer.session.wireName)
        let file = try SessionStore(in: disk).openHeld(writer.session.wireName).files
        try file.log.truncate(to: size - 5)
        let kept = try KeptLog(
            StoredSession(record: #require(store.list().first?.record), files: file),
            heldBy: "holder", by: LogSHA256(), now: machine.loop.now)
        #expect(texts(kept.held.log) == ["one"])
        guard case .cutOff(let name)? = kept.tail?.fate else {
            Issue.record("nothing was set aside")
            return
        }
        #expect(FileStatus(name)?.mode == 0o600)
        #expect(try log.status().size == kept.end)
    }

    @Test func memoryAlone_hasTheEvent_thatThisMachineHosts() throws {
        let own = SessionRecord(
            session: writer.session.wireName, eventName: "Town Hall", deviceName: "stage",
            started: 1)
        let files = try store.create(own)
        try expectMemoryAlone(.ownEvent)
        #expect(try store.list().first?.record == own)
        withExtendedLifetime(files) {}
    }

    @Test func memoryAlone_hasTheEvent_thatAnotherProgramKeeps() throws {
        let other = try journal()
        let held = writer.held()
        writer.say("one", into: held)
        other.store(held, of: writer.event)
        _ = told()
        try expectMemoryAlone(.inUse)
        other.close()
    }

    @Test func memoryAlone_hasTheEvent_whereWhatIsThereProvesNothing() throws {
        try keep("one")
        let before = try #require(store.list().first)
        do {
            let stored = try store.openHeld(writer.session.wireName)
            var record = stored.record
            record.held?.log = Data("{}".utf8)
            try stored.files.write(record, durably: false)
        }
        try expectMemoryAlone(.notProven(session: writer.session.wireName))
        #expect(try store.log(of: writer.session.wireName).status().size == before.size)
    }

    private func expectMemoryAlone(_ why: KeepingTrouble) throws {
        let journal = try journal()
        let held = writer.held()
        writer.say("two", into: held)
        journal.store(held, of: writer.event)
        writer.say("three", into: held)
        journal.store(held, of: writer.event)
        #expect(told() == [.notKept(why)])
        #expect(held.place(of: .disk) == nil)
        journal.close()
    }

    @Test func held_isNobodyElsesToGoOnWith() throws {
        try keep("one")
        #expect {
            _ = try store.open(writer.session.wireName)
        } throws: { error in
            if case .held? = error as? SessionStoreError { true } else { false }
        }
    }
}

/// A log whose writer signs with a real key, and what a holder has of it.
private final class WrittenLog {
    let session: UUID
    let log: EventLog
    let event: JoinedEvent
    private let key: HostKey
    private let hasher: LogSHA256
    private let now = Moment(uptime: .seconds(1_000), wall: 1_800_000_000)

    convenience init() throws {
        try self.init(UUID(), HostKey(), SessionRuns(), lines: [])
    }

    private init(
        _ session: UUID, _ key: HostKey, _ runs: SessionRuns, lines: [[UInt8]]
    ) throws {
        (self.session, self.key, hasher) = (session, key, try LogSHA256())
        let transcript = Transcript(hashing: LineChain(of: session, by: hasher))
        for (index, line) in lines.enumerated() {
            line.withUnsafeBytes { transcript.restore(payload: $0, seq: index + 1) }
        }
        let signer = try #require(WriterKey(key))
        let record = LogRecord(
            founding: session.wireName, eventName: "Town Hall", deviceName: "stage",
            created: now.wall, number: runs.current)
        let writer = LogWriter(
            of: session, run: runs.current, as: record, by: signer, hashing: hasher)
        log = EventLog(
            session: session, runs: runs, transcript: transcript, signedBy: writer, now: now)
        var event = JoinedEvent(
            eventName: "Town Hall", deviceName: "stage", session: session.wireName, runs: runs,
            history: 0, security: .key(key.fingerprint, isNew: false))
        event.isSigned = true
        event.writer = key.fingerprint
        self.event = event
    }

    /// The same log in another run, which has lines through `seq`.
    func again(after seq: Int) throws -> WrittenLog {
        var runs = log.runs
        runs.begin(after: seq)
        return try WrittenLog(session, key, runs, lines: payloads(through: seq))
    }

    private func payloads(from first: Int = 1, through last: Int) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        log.forEachPayload(from: first, through: last) { payloads.append(Array($1)) }
        return payloads
    }

    /// What a holder has who has got the lines through `seq`.
    func held(through seq: Int = 0) -> EventLog {
        let record = Array(log.record!.dropFirst(FrameDecoder.prefixLength))
        let held = EventLog(
            session: session, runs: log.runs,
            transcript: Transcript(hashing: LineChain(of: session, by: hasher)), holding: record,
            now: now)
        for line in 1...max(1, seq) where line <= seq { bring(line, into: held) }
        return held
    }

    /// A line comes to a holder.
    func bring(_ seq: Int, into held: EventLog) {
        for payload in payloads(from: seq, through: seq) {
            let chunk = LiveChunk(final: seq, line: "l", text: "", sentTimestamp: 0)
            payload.withUnsafeBytes {
                held.restore(final: chunk, seq: seq, at: seq, payload: $0)
            }
        }
    }

    /// Says lines, which come to a holder with how the log stands then.
    func say(_ texts: String..., into held: EventLog) {
        let first = log.lastSeq + 1
        for text in texts {
            _ = log.append(
                LiveChunk(final: log.lastSeq + 1, line: "l", text: text, sentTimestamp: 1))
        }
        log.seal()
        for seq in first...log.lastSeq { bring(seq, into: held) }
        guard let frame = log.head(Timing(), now: now) else { return }
        let payload = Array(frame.dropFirst(FrameDecoder.prefixLength))
        payload.withUnsafeBytes { bytes in
            if case .head(let head)? = try? PacketDecoder().packet(bytes) {
                held.keep(head, as: bytes)
            }
        }
    }
}

/// A folder of the system's, on a disk that is full whenever a test wants it.
private final class MoodyFolder: FolderRoot, @unchecked Sendable {
    var isFull = false
    private let folder: TemporaryFolder
    private let state: StateFolder

    init() throws {
        folder = try TemporaryFolder()
        state = StateFolder(environment: ["XDG_STATE_HOME": folder.path])
    }

    func open(for purpose: OpenPurpose) throws(SystemError) -> any Folder {
        MoodyView(try state.open(for: purpose), of: self)
    }

    func checkRoom() throws(SystemError) {
        if isFull { throw SystemError("write to", folder.path, code: ENOSPC) }
    }
}

private final class MoodyView: Folder, @unchecked Sendable {
    private let real: any Folder
    private let disk: MoodyFolder

    init(_ real: any Folder, of disk: MoodyFolder) { (self.real, self.disk) = (real, disk) }

    var path: String { real.path }
    func folder(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any Folder {
        if case .make = purpose { try disk.checkRoom() }
        return MoodyView(try real.folder(name, for: purpose), of: disk)
    }
    func file(_ name: String, for purpose: OpenPurpose) throws(SystemError) -> any File {
        MoodyFile(try real.file(name, for: purpose), of: disk)
    }
    func read(_ name: String, limit: Int) throws(SystemError) -> [UInt8] {
        try real.read(name, limit: limit)
    }
    func replace(_ name: String, with bytes: [UInt8], durably: Bool) throws(SystemError) {
        try disk.checkRoom()
        try real.replace(name, with: bytes, durably: durably)
    }
    func synchronize(_ name: String) throws(SystemError) { try real.synchronize(name) }
    func remove(_ name: String) throws(SystemError) { try real.remove(name) }
    func names() -> [String] { real.names() }
    func synchronize() throws(SystemError) { try real.synchronize() }
}

private final class MoodyFile: File, @unchecked Sendable {
    private let real: any File
    private let disk: MoodyFolder

    init(_ real: any File, of disk: MoodyFolder) { (self.real, self.disk) = (real, disk) }

    func lock() throws(SystemError) -> Bool { try real.lock() }
    var isLockedByAnother: Bool { real.isLockedByAnother }
    func status() throws(SystemError) -> (size: UInt64, modified: Double) { try real.status() }
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int { try real.read(into: buffer, at: offset) }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) -> Int {
        try disk.checkRoom()
        return try real.write(bytes, at: offset)
    }
    func synchronize() throws(SystemError) { try real.synchronize() }
    func truncate(to size: UInt64) throws(SystemError) { try real.truncate(to: size) }
}
