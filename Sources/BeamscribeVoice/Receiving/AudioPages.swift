import BeamscribeCore

/// Coded audio as a stream that players know, page by page.
public protocol AudioContainer: AnyObject {
    /// What a player needs before any page.
    var beginning: [UInt8] { get }

    /// Adds a packet to the page that is begun.
    ///
    /// - Parameter sample: the one behind its last, counted from the stream's begin, at 48 kHz.
    func add(_ packet: [UInt8], endingAt sample: Int64)

    /// Ends the page that is begun.
    ///
    /// - Returns: it; empty where nothing was added.
    func page() -> [UInt8]
}

/// The sound of a channel on which one talks, as pages of a stream: packets as they came from him, so that what was not
/// heard is not there.
///
/// Invariant: `waiting` packets are in the page that is begun, fewer than a page has.
public final class AudioPages {
    /// 100 ms of the floor's packets: fewer would be more pages than sound.
    private static let packets = 5

    private let container: any AudioContainer
    private var waiting = 0
    private var newest: UInt32?
    /// Samples up to the newest packet's begin.
    private var position: Int64 = 0

    /// Pages of this stream.
    public init(in container: any AudioContainer) { self.container = container }

    /// What a player needs before any page.
    public var beginning: [UInt8] { container.beginning }

    /// A packet came.
    ///
    /// - Returns: the page that it completes; nil where it completes none.
    public func take(_ packet: RTPPacket) -> [UInt8]? {
        guard let coded = Self.coded(packet), let duration = OpusPacket.duration(of: coded),
            advance(to: packet.header.timestamp, by: duration)
        else { return nil }
        container.add(coded, endingAt: position + Int64(duration))
        waiting += 1
        guard waiting == Self.packets else { return nil }
        waiting = 0
        return container.page()
    }

    /// A stream has an order: what comes late is left out.
    private func advance(to timestamp: UInt32, by duration: Int) -> Bool {
        defer { newest = timestamp }
        guard let newest else { return true }
        let step = Int32(bitPattern: timestamp &- newest)
        guard step > 0 else {
            self.newest = newest
            return false
        }
        // Who has begun anew counts anew.
        position += Int64(step > Limits.timestampLeap ? Int32(clamping: duration) : step)
        return true
    }

    /// The newest audio in a packet.
    private static func coded(_ packet: RTPPacket) -> [UInt8]? {
        switch VoicePayload(rawValue: packet.header.payloadType) {
        case .opus: packet.payload
        case .redundant: try? RedundantAudio(parsing: packet.payload).blocks.last?.bytes
        case nil: nil
        }
    }
}
