/// Where sound devices are had: PipeWire, ALSA, or a test's.
///
/// It belongs to one thread, on which it calls back.
public protocol SoundServer: AnyObject {
    /// What it is called, for people.
    var name: String { get }
    /// What there is, once it has told so.
    var devices: [SoundDevice] { get }

    /// Why a device cannot be opened; nil where it can, as far as is known without trying.
    ///
    /// - Parameter device: its name; nil for the usual one.
    func refusal(of direction: SoundDevice.Direction, _ device: String?) -> SoundServerError?

    /// Opens a device.
    ///
    /// - Parameters:
    ///   - device: its name; nil for the usual one.
    ///   - ready: called when samples have come or gone, or the device has failed.
    func open(
        _ direction: SoundDevice.Direction, _ device: String?, ready: @escaping () -> Void
    ) throws(SoundServerError) -> any SoundPort
}

/// What a sound server tells.
public enum SoundServerNews: Sendable {
    /// All that there is has been told.
    case told
    /// A device has come or gone, or a port has another one.
    case changed
    /// The server is gone, with all that was opened there.
    case lost
}

/// A device that is open, until nobody has this any more.
public protocol SoundPort: AnyObject {
    /// What it is connected with; nil where there is none just now.
    var device: SoundDevice? { get }
    /// How many samples come or go at once; 0 before any have.
    var period: Int { get }
    /// How many samples wait.
    var level: Int { get }
    /// Of a microphone how many samples were lost, of a loudspeaker how often too few were there: since it was opened.
    var faults: Int { get }
    /// Whether it will give or take nothing any more.
    var hasFailed: Bool { get }

    /// Takes what a microphone has heard.
    func read() -> [Float]
    /// Gives a loudspeaker samples, all or as many as there is room for.
    ///
    /// - Returns: whether there was room for all.
    func write(_ samples: UnsafeBufferPointer<Float>) -> Bool
}

/// Why there is no device to be had.
public struct SoundServerError: Error, Equatable, CustomStringConvertible {
    public let description: String

    /// Why, as a sentence without its stop.
    public init(_ description: String) { self.description = description }
}
