public import BeamscribeCore
public import BeamscribeDiscovery
public import BeamscribeIO
public import BeamscribeInput
public import FoundationEssentials

/// What a ``Host`` tells while it runs.
public enum HostNews: Sendable, Equatable {
    /// It listens; guests can join at these addresses (the likeliest first).
    case listening([Endpoint])
    /// This machine's addresses have changed; guests can now join at these.
    case addressesChanged([Endpoint])
    /// Browsers see the event under this name.
    case announced(name: String)
    /// Browsers cannot see it for now.
    case announcementFailed(String)
    /// The event's beacon is in the air, sent by these adapters (`hci0`), and guests without a
    /// network can take the captions from it.
    case beacon(adapters: [String], takesGuests: Bool)
    /// It is not, for now.
    case beaconFailed(BluetoothTrouble)
    /// Guests without a network cannot take the captions over Bluetooth.
    case channelsFailed(SystemError)
    /// A guest came or went, and how many there are now.
    case guests(HostEvent, GuestCounts)
    /// The transcript is kept as this session.
    case storing(session: UUID)
    /// The disk takes nothing of the event's other logs, and why, or does again.
    case othersUnsaved(String?)
    /// One of them, by its label, stays in memory, and why.
    case otherNotKept(log: String, KeepingTrouble)
    /// A line of standard input was typed as a command; this is what became of it.
    case typed(TypedOutcome)
    /// One of the event's other logs, by its label, is damaged on the disk.
    case otherDamaged(log: String, OtherLogDamage)
    /// What becomes of the event at the server that is to keep it.
    case backbone(BackboneNews)
    /// There are voices beside the captions.
    case voices(VoiceOffer)
    /// What becomes of the host's own voice.
    case floor(FloorNews)
    /// What becomes of the captions of what is said on a channel.
    case voiceCaptions(channel: String, VoiceCaptionNews)
    /// What is said is not signed.
    case unsigned(UnsignedReason)
    /// A session goes on after these lines.
    case resumed(session: UUID, lines: Int)
    /// So many lines of a session that the disk had lost came back from this machine.
    case regained(lines: Int, from: String)
    /// So many bytes at the end of a session's log are no whole line.
    case logTail(bytes: UInt64, TailFate)
    /// These rows of lines are missing in a session's log.
    case logGaps([ClosedRange<Int>])
    /// These lines were at the end of a session's log, by its notes, and are not there any more.
    case logEndLost(ClosedRange<Int>)
    /// The disk has changed these lines of a session's log.
    case logDamaged([ClosedRange<Int>])
    /// The machine's battery has this much left, in per cent, and nothing charges it.
    case batteryLow(percent: Int)
    /// What the input was taken for.
    case inputFormat(InputFormat)
    /// Something in the input could not be used.
    case inputWarning(String)
    /// The input is a pipe or terminal and has given nothing for this long, from the start.
    case inputSilent(Duration)
    /// The input is open and has given nothing for this long; guests see for how long, and no more.
    case inputQuiet(Duration)
    /// The input is open and has given nothing for so long that guests are told.
    case inputStalled(Duration)
    /// After ``inputSilent(_:)`` or ``inputStalled(_:)`` something has come.
    case inputResumed
    /// The input has ended; it has given so many lines.
    case inputEnded(lines: Int)
    /// What becomes of the command of ``HostConfiguration/Input/command(_:)``.
    case recogniser(RecogniserNews)
    /// What becomes of the translation into a language.
    case translation(into: String, TranslationNews)
    /// The operator has let everything through again, nothing for now, or nothing at all.
    case gate(InputGate)
    /// Whose turn the captions are.
    case air(AirNews)
    /// What becomes of other nodes of a mesh.
    case mesh(MeshNews)
    /// The operator has marked the place after this line.
    case marked(after: Int)
    /// Line `seq` corrects another, which readers had in these words.
    case corrected(line: Int, seq: Int, from: String?)
    /// The input cannot be read any more.
    case inputFailed(SystemError)
    /// Nobody can be let in for a moment.
    case acceptFailed(SystemError)
    /// The event has ended, and whoever comes late still gets all of it for this long.
    case lingering(Duration)
    /// The host is at its end, but this many guests have not taken everything yet.
    case waitingForGuests(Int)
    /// So many of the newest lines are not on the disk, and will not be.
    case unsaved(lines: Int)
    /// The host is done; `isOver` says that the event is, too.
    case finished(lines: Int, isOver: Bool)
}
