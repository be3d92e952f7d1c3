public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO
public import BeamscribeInput
public import FoundationEssentials

/// What an event is to be: its name, where its captions come from, who may read them, what is kept.
public struct HostConfiguration: Sendable {
    /// The event's name: 1 to 255 bytes of UTF-8.
    public var eventName: String
    /// The machine's name for people.
    public var deviceName: String
    /// This machine's lasting id.
    public var deviceID: UUID
    /// The session's id: new for a new event.
    public var session: UUID
    /// Where guests come in.
    public var port = PortChoice.standard
    /// The addresses to listen at; empty for all, IPv4 and IPv6.
    public var addresses: [IPAddress] = []
    /// Where the captions come from.
    public var input = Input.standardInput
    /// Whether the lines of standard input are typed, so that `/to` and `/except` are commands in a
    /// mesh.
    public var isTypedLineByLine = false
    /// How they are written there; by default it is found out.
    public var inputFormat = InputFormat.auto
    /// What is known of it beyond that.
    public var inputOptions = InputOptions()
    /// Send captions that say when they were spoken in their own time: so many seconds of the
    /// recording a second. Nil to send each as it comes.
    public var pace: Double?
    /// End the event once the input has ended and every guest has all of it.
    public var endsWithInput = false
    /// How long a host that has ended its event still serves those who come late.
    public var linger = Duration.zero
    /// Guests at once; the next is told that the host is full.
    public var maximumGuests = Limits.guests
    /// Memory for the transcript, in bytes.
    public var history = Limits.history
    /// The pieces of that memory, in bytes; the oldest goes whole.
    package var chunk = Limits.chunk
    /// What becomes of the transcript.
    public var storage = Storage.none
    /// Where the event's other logs are kept, each as a session that is only held there, and translations of
    /// one that goes on; nil for in memory alone. Translations of a new event are where that is.
    public var otherLogs: SessionStore?
    /// What others have given back of a session that goes on; see ``regainLostLines(code:on:)``.
    var regained: RegainedLines?
    /// How long the transcript is kept after the last that was heard of it; zero for no longer than
    /// the event, nil for until somebody deletes it, or as a resumed session has it.
    public var keep: Duration?
    /// Where the system tells of its batteries (Linux's sysfs); nil to take no interest.
    public var powerSupplies: String?
    /// How the host proves who it is, and whom it lets in.
    public var security: HostSecurity
    /// Announce the event by Bonjour.
    public var announces = true
    /// What goes over Bluetooth.
    public var bluetooth = Bluetooth.beacon
    /// The D-Bus address by which BlueZ is reached.
    public var bluetoothBus = BusAddress.bluetooth(environment: [:])
    /// Words that guests do not get to see; nil to change nothing. The log keeps what was said.
    public var wordMask: WordMask?
    /// What the recogniser hears wrongly, and how it is meant; nil for nothing.
    public var glossary: Glossary?
    /// The languages into which what is said is translated, each once. In an event that is signed each
    /// translation is a log of its own.
    public var translations: [Translation] = []
    /// The protocol's times.
    public var timing = Timing()
    /// Copy the finals to ``Host/finals``. The input rests while nobody reads them.
    public var copiesFinals = false

    /// What a host does with Bluetooth.
    public enum Bluetooth: Equatable, Sendable {
        /// It does without.
        case nothing
        /// To be found, also where a network lets no multicast through.
        case beacon
        /// To be found, and for guests who have no network.
        case captions
    }

    /// To whose pages for browsers phones go once this host is not heard any more.
    public var pageAdmission = PageAdmission.nobody

    /// Whose logs are let into the event beside this host's.
    public var writers = WriterAdmission.nobody
    /// Whose logs are let in no more, whatever lets in others: what they have said stays.
    public var refusedWriters: [FingerprintPin] = []
    /// The event of somebody else whose log this host writes; nil for an event of its own. Nobody dials
    /// such a host: what is said goes where ``Host/contribute(through:)`` says.
    public var contribution: SessionRecord.Contribution?

    /// How the host takes part in a mesh; nil for an event of its own, or of somebody else's that it
    /// contributes to.
    public var mesh: MeshMembership?

    /// A server that is to keep the event, and in a mesh has what others write, too; nil for none. Whoever may
    /// read there reads the event.
    public var backbone: BackboneServer?

    /// Voices beside the captions; nil for none. They need encryption.
    public var voices: VoiceConfiguration?

    /// Whether others caption as the host begins: it waits until nobody else does, or it is its turn.
    public var beginsOffAir = false

    /// What becomes of the transcript.
    public enum Storage: Sendable {
        /// It is kept in memory only.
        case none
        /// It is kept as a new session.
        case new(SessionStore)
        /// A session goes on that was kept.
        case resumed(StoredSession)
    }

    /// Where captions come from.
    public enum Input: Equatable, Sendable {
        /// The process's standard input.
        case standardInput
        /// The file at this path, also a named pipe.
        case file(String)
        /// What a command prints, which the host runs, and starts again when it ends.
        case command(String)
        /// The owner gives the captions, by ``Host/type(_:speaker:)`` and its like.
        case typed
    }

    /// What translates the lines of an event.
    public struct Translation: Equatable, Sendable {
        /// A BCP 47 tag.
        public var language: String
        /// A command that reads a line and prints it in that language, again and again.
        public var command: String

        /// A translation into a language by a command.
        public init(into language: String, by command: String) {
            (self.language, self.command) = (language, command)
        }
    }

    /// BEAMS on a phone's keys.
    public static let standardNumber: UInt16 = 23_267

    /// A host with the usual port, reading standard input, announced on every interface.
    ///
    /// - Parameter deviceID: see ``deviceID``; by default that of a machine that nobody has seen.
    public init(
        eventName: String, deviceName: String, deviceID: UUID = UUID(), session: UUID = UUID(),
        security: HostSecurity
    ) {
        self.eventName = eventName
        self.deviceName = deviceName
        self.deviceID = deviceID
        self.session = session
        self.security = security
    }
}

extension HostConfiguration {
    /// What is served to guests.
    var room: Room.Configuration {
        Room.Configuration(
            eventName: eventName, deviceName: deviceName, deviceID: deviceID,
            maximumGuests: maximumGuests, timing: timing)
    }

    /// The rules of the event's input.
    ///
    /// - Parameter seq: the newest line of earlier runs.
    func pipeline(after seq: Int) -> InputPipeline.Configuration {
        var pipeline = InputPipeline.Configuration()
        pipeline.format = inputFormat
        pipeline.options = inputOptions
        pipeline.pace = pace
        pipeline.isTyped = input == .typed
        pipeline.timing = timing
        pipeline.lastSeq = seq
        return pipeline
    }
}
