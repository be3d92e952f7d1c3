import BeamscribeCore
internal import CCairo

/// Collects the bytes of a file that libcairo writes.
final class CairoOutput {
    private(set) var bytes: [UInt8] = []

    /// What to give libcairo with ``write``. It must not outlive this object.
    var closure: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let write:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, UInt32
        ) -> cairo_status_t = { closure, data, count in
            guard let closure else { return CAIRO_STATUS_WRITE_ERROR }
            let output = Unmanaged<CairoOutput>.fromOpaque(closure).takeUnretainedValue()
            output.bytes += UnsafeBufferPointer(start: data, count: Int(count))
            return CAIRO_STATUS_SUCCESS
        }
}
