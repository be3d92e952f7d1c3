import BeamscribeCore
internal import Glibc

/// A key of an input device, of a foot pedal say: when it is pressed and released, for as long as somebody has this.
///
///     missing --it can be opened--> there --it is pulled out--> missing
///
/// Invariant: it is not down while its device is missing.
public final class InputKey {
    /// What becomes of it.
    public enum News: Sendable {
        /// It is down, or up again.
        case pressed(Bool)
        /// Its device cannot be read, and is tried again every second. Told once.
        case missing(SystemError)
        /// Its device is there again.
        case found
    }

    private let path: String
    private let loop: EventLoop
    private let tell: (News) -> Void
    private var events: KeyEvents
    private var source: ByteSource?
    private var isMissing = false
    @OwnedTimer private var retrying: LoopTimer?

    private static let pause: Duration = .seconds(1)
    /// Of 64 records.
    private static let size = 1_536

    /// - Parameters:
    ///   - code: the key's, of linux/input-event-codes.h.
    ///   - path: the device's, under /dev/input.
    ///   - tell: told on the loop, of a device that cannot be opened at once.
    public init(
        _ code: UInt16, of path: String, on loop: EventLoop, _ tell: @escaping (News) -> Void
    ) {
        (self.path, self.loop, self.tell) = (path, loop, tell)
        events = KeyEvents(of: code)
        open()
    }

    private func open() {
        do throws(SystemError) {
            let made = try ByteSource(
                path: path, size: Self.size, on: loop, { [unowned self] in read($0) },
                ended: { [weak self] in self?.lose($0) })
            guard !made.isFile else { throw SystemError("read keys from", path, code: ENODEV) }
            source = made
            if isMissing { tell(.found) }
            isMissing = false
        } catch {
            lose(error)
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> Int {
        events.read(bytes).forEach { tell(.pressed($0)) }
        return bytes.count
    }

    private func lose(_ error: SystemError?) {
        if events.end() { tell(.pressed(false)) }
        if !isMissing {
            isMissing = true
            tell(.missing(error ?? SystemError("read keys from", path, code: ENODEV)))
        }
        // It is what calls this.
        retrying = loop.schedule(after: Self.pause) { [unowned self] in
            source = nil
            open()
        }
    }
}
