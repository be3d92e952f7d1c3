import BeamscribeCore
import NIOCore

/// A port at which the page is served.
struct ServingPort: Sendable {
    let channel: any Channel
    /// Ends when the channel is closed and all that came by it.
    let serving: Task<Void, any Error>

    var number: UInt16 { UInt16(clamping: channel.localAddress?.port ?? 0) }

    /// Takes nobody in any more.
    ///
    /// A connection that was accepted and finds the channel closed, or its server cancelled, before
    /// it was handed on is dropped by NIO, which ends the program for that ("deinited without
    /// calling finish"). So no more are accepted first, and those under way get their turns.
    func close() async {
        try? await channel.setOption(.autoRead, value: false).get()
        for _ in 0..<Self.turns { try? await channel.eventLoop.submit {}.get() }
        try? await channel.close()
    }

    /// A connection takes two turns of the loop to be handed on; those that the server has not
    /// asked for yet come after others.
    private static let turns = 16
}
