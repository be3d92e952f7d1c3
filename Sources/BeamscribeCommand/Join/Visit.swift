import Beamscribe
import BeamscribeCore
import BeamscribeIO
import Logging

/// Which event is read, and how: what `join` and `relay` are asked for.
struct Visit {
    /// The event's name, or a beginning of it.
    let event: String?
    /// Where to join, without looking for it.
    let host: String?
    /// Nil to look for ever.
    let searchTimeout: Duration?
    /// Where to begin, where nothing is there yet.
    var start = GuestSession.Start.beginning
    var reconnects = true
    /// A server that keeps the event; nil for none.
    var backbone: BackboneServer?
    let insecure: Bool
    let bluetooth: BluetoothOption
    let logger: Logger
    /// In which form lines are printed; nil to print none.
    let format: TranscriptFormat?
    /// Whether lines are read where they are printed, by a person.
    var isPlainTerminal = false
    /// How the event is served to others; nil to read only.
    let serving: ServingOptions.Serving?
    /// Captions of one's own in it; nil to read only.
    var contribution: Contributor?
    /// Makes what takes part in its voices in place of its captions; nil to read.
    var talk: (@Sendable () throws -> Talker)?
    /// What the guest is called; nil for the machine's name.
    var displayName: String? = nil
    /// The page for browsers that is served with it; nil for none.
    var page: Page?

    /// How a page is served and told of.
    struct Page {
        let options: HostWebOptions
        let format: StatusLog.Format
    }

    /// The first line that is asked for by its number; 0 where none is.
    var firstLine: Int { if case .line(let seq) = start { seq } else { 0 } }
}
