import BeamscribeCore
import BeamscribeIO
import BeamscribeVoice
import CSound

/// The ring between a device's thread and the loop's, with its place in the loop.
final class DeviceStream {
    let stream: OpaquePointer
    private let close: (OpaquePointer) -> Void
    private let registration: Registration

    /// - Parameters:
    ///   - stream: what it takes over.
    ///   - close: lets go of it.
    ///   - ready: called when samples have come or gone.
    init(
        _ stream: OpaquePointer, on loop: EventLoop, close: @escaping (OpaquePointer) -> Void,
        ready: @escaping () -> Void
    ) throws(SystemError) {
        (self.stream, self.close) = (stream, close)
        do throws(SystemError) {
            registration = try loop.register(csound_wake(stream), for: .read) { _ in
                csound_awake(stream)
                ready()
            }
        } catch {
            close(stream)
            throw error
        }
    }

    deinit {
        registration.cancel()
        close(stream)
    }

    func read() -> [Float] {
        [Float](unsafeUninitializedCapacity: Int(csound_level(stream))) { buffer, count in
            count = Int(csound_read(stream, buffer.baseAddress, UInt32(clamping: buffer.count)))
        }
    }
}

extension SoundDevice.Direction {
    var code: csound_direction {
        switch self {
        case .microphone: csound_microphone
        case .speaker: csound_speaker
        }
    }

    init(_ code: csound_direction) {
        self = code == csound_microphone ? .microphone : .speaker
    }
}

extension SoundPort where Self: DevicePort {
    var period: Int { Int(csound_period(samples.stream)) }
    var level: Int { Int(csound_level(samples.stream)) }
    var faults: Int { Int(csound_faults(samples.stream)) }
    var hasFailed: Bool { csound_has_failed(samples.stream) != 0 }

    func read() -> [Float] { samples.read() }

    func write(_ samples: UnsafeBufferPointer<Float>) -> Bool {
        let count = UInt32(clamping: samples.count)
        return csound_write(self.samples.stream, samples.baseAddress, count) == count
    }
}

/// A port whose samples are a stream's.
protocol DevicePort: SoundPort {
    var samples: DeviceStream { get }
}
