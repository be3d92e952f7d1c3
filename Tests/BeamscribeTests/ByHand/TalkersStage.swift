import BeamscribeIO
import BeamscribeInput
import BeamscribeTLS
import BeamscribeVoice
import FoundationEssentials
import TestSupport

@testable import Beamscribe
@testable import BeamscribeCore

/// A host's captions of what is said, with its logs on a disk and readers who are there from the beginning; the commands
/// a test plays.
final class TalkersStage {
    let machine = HandMachine()
    let captions: HostCaptions
    let sides: SideLogs
    /// The main log.
    let log: EventLog
    /// All that readers were given, in this order: "Ann: words", what is begun in brackets, alerts of the main log.
    private(set) var shown: [String] = []
    private let configuration: HostConfiguration
    private let journal: HostJournal
    private var readers: [UUID: Reader] = [:]
    private var sequences: [ConnectionID: UInt16] = [:]

    /// - Parameter configuration: as of ``configuration(in:by:of:_:)``.
    init(_ configuration: HostConfiguration) throws {
        self.configuration = configuration
        let signing = try HostSigning(configuration)
        let transcript = signing.emptyTranscript()
        let recovered = try RecoveredTranscript.load(
            configuration, into: transcript, provenBy: signing.verifier)
        let order = EventOrder()
        log =
            signing.log(
                holding: recovered?.transcript ?? transcript, isProven: true, in: order,
                now: machine.now
            ).0
        sides = try SideLogs(configuration, on: signing.shelf(in: order), in: machine)
        captions = HostCaptions(
            configuration, into: log, sides, telling: EventBuffer(limit: 1_000),
            copying: EventBuffer(limit: 1_000), in: machine)
        journal = HostJournal(log, configuration, in: machine)
        _ = try journal.open(port: nil)
        try sides.keep()
        captions.giveOut = { [unowned self] in giveOut() }
        try captions.open()
    }

    static func configuration(
        in store: SessionStore, by key: HostKey, of session: UUID,
        _ storage: HostConfiguration.Storage
    ) -> HostConfiguration {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", session: session,
            security: HostSecurity(key))
        (configuration.storage, configuration.otherLogs) = (storage, store)
        configuration.input = .typed
        var voices = VoiceConfiguration(channels: [.crew])
        voices.captions = [VoiceConfiguration.Captions(of: "crew", by: "listen")]
        configuration.voices = voices
        return configuration
    }

    var commands: [HandCommand] { machine.commands }

    /// Somebody talks for so many packets of 10 ms, behind what he has said before.
    func talk(_ id: ConnectionID, _ name: String, packets: Int = 1) {
        for _ in 0..<packets {
            let sequence = sequences[id] ?? 0
            sequences[id] = sequence &+ 1
            let header = RTPHeader(
                payloadType: VoicePayload.opus.rawValue, isMarked: sequence == 0,
                sequence: sequence, timestamp: UInt32(sequence) &* 480, source: UInt32(clamping: id)
            )
            let bytes = RTPPacket(header, payload: [18 << 3]).bytes
            captions.hear(
                .packet(bytes, of: id, named: name, on: "crew", at: machine.uptime))
            machine.pass(.milliseconds(10))
        }
    }

    func pause() { captions.follow { $0.pause(now: $1) } }
    func goOffRecord() { captions.follow { $0.goOffRecord(now: $1) } }
    func resume() { captions.follow { $0.resume(now: $1) } }

    private func giveOut() {
        _ = journal.store()
        _ = sides.store()
        for log in logs { look(at: log) }
    }

    private var logs: [EventLog] { [log] + sides.ofTalkers.map(\.log) }

    private func look(at log: EventLog) {
        var reader = readers[log.session] ?? log.reader(after: 0)
        _ = reader.read(log, limit: .max) { item in
            if let words = words(item, of: log) { shown.append(words) }
        }
        readers[log.session] = reader
    }

    private func words(_ item: Reader.Item, of log: EventLog) -> String? {
        let packets = PacketDecoder()
        switch item {
        case .final(_, let payload):
            guard case .liveChunk(let chunk)? = try? packets.packet(payload) else { return nil }
            return "\(chunk.speaker ?? ""): \(chunk.text)"
        case .partial(let payload):
            guard case .liveChunk(let chunk)? = try? packets.packet(payload) else { return nil }
            return "[\(chunk.speaker ?? ""): \(chunk.text)]"
        case .alert(let payload):
            guard log === self.log, case .alert(let alert)? = try? packets.packet(payload) else {
                return nil
            }
            return alert.kind
        case .gap(let lines): return "\(lines)"
        }
    }

    /// The finals that readers were given.
    var finals: [String] { shown.filter { $0.contains(": ") && !$0.hasPrefix("[") } }

    /// What one who comes now is given of a log, but for alerts; nil for the main one.
    func late(_ talker: String? = nil) -> [String] {
        let log = talker.map { sides.log(of: $0)?.log } ?? log
        guard let log else { return [] }
        var reader = log.reader(after: 0)
        var read: [String] = []
        _ = reader.read(log, limit: .max) { read += [words($0, of: log)].compactMap(\.self) }
        return read.filter { $0.contains(": ") }
    }

    /// The event ends, or its host stops.
    func close(_ state: SessionRecord.State = .ended) {
        sides.end(.ended, "The event has ended.")
        giveOut()
        sides.close(state, guests: 0)
        _ = journal.close(state, guests: 0)
        // What the disk was asked for has its files.
        machine.doWork()
    }
}
