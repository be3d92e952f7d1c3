import BeamscribeCore
package import BeamscribeDiscovery
package import BeamscribeIO

/// All that a host, a guest or a browser has around it, and the thread on which it lives there. It
/// touches the world by this alone, so that one of a test's making will do.
///
/// What is here belongs to that thread, but for what is said to be for all.
package protocol Surroundings: AnyObject, Sendable {
    /// The executor of those who live here, who keep this for as long as they do. For all.
    func asUnownedSerialExecutor() -> UnownedSerialExecutor
    /// Does something on the thread, soon. For all; waits for nothing.
    func perform(_ body: @escaping @Sendable () -> Void)

    var network: any Network { get }
    var discovery: any Discovery { get }
    var worker: any Worker { get }
    /// Opens what a host reads; see ``ByteSource``.
    func openInput(
        _ path: String?, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (SystemError?) -> Void
    ) throws(SystemError) -> any InputSource
    /// Starts a command that gives what a host reads, or answers what it is asked; see
    /// ``TerminalCommand``.
    func run(
        _ command: String, isAsked: Bool, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (ShellCommand.Outcome, [String]) -> Void
    ) throws(SystemError) -> any RunningInput
    /// Looks for a server that keeps logs; nil where the program was built without what that needs.
    func backbone(at server: BackboneServer) throws(SystemError) -> (any Backbone)?
    /// What chance is made of.
    func seed() -> UInt64
}

extension Surroundings {
    package func backbone(at server: BackboneServer) throws(SystemError) -> (any Backbone)? { nil }
}

/// Gives the bytes of an input while it is not paused.
package protocol InputSource: AnyObject {
    /// Whether reading rests. Set while what came cannot be passed on.
    var isPaused: Bool { get set }
}

/// An input that a program of ours gives.
package protocol RunningInput: InputSource {
    /// Gives it something to read, where it was started to be asked.
    func ask(_ bytes: [UInt8])
    /// Gives it samples of two bytes to read, likewise; see ``TerminalCommand``.
    func feed(samples: [UInt8], keeping limit: Int) -> Bool
    /// It is given nothing more.
    func endInput()
    /// Ends the program; `gone` is called once that is done, and nothing else any more.
    func stop(_ gone: @escaping () -> Void)
}

extension ByteSource: InputSource {}
extension TerminalCommand: RunningInput {}
