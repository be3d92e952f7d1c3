import BeamscribeCore
public import BeamscribeIO
public import BeamscribeVoice
import CSound

/// ALSA, by libasound, for machines without PipeWire. Its device `default` may be PulseAudio's, too.
///
/// It tells nothing of devices that come and go; one that goes fails.
public final class ALSAServer: SoundServer {
    /// What it is called.
    public static let title = "ALSA"
    public var name: String { Self.title }
    private let loop: EventLoop
    private let period: UInt32

    /// - Parameters:
    ///   - period: how many samples a device is to give or take at once.
    ///   - loop: where ports are served.
    ///   - news: told, soon, that there is nothing to wait for.
    public init(
        period: Int, on loop: EventLoop, news: @escaping (SoundServerNews) -> Void
    ) {
        (self.period, self.loop) = (UInt32(clamping: period), loop)
        loop.schedule(after: .zero) { news(.told) }
    }

    public var devices: [SoundDevice] {
        SoundDevice.Direction.allCases.flatMap { direction in
            let names = Names(direction)
            csound_alsa_list(
                direction.code, Unmanaged.passUnretained(names).toOpaque()
            ) { owner, name, description in
                Unmanaged<Names>.fromOpaque(owner!).takeUnretainedValue().add(
                    String(cString: name!), String(cString: description!))
            }
            return names.devices
        }
    }

    private final class Names {
        private let direction: SoundDevice.Direction
        private(set) var devices: [SoundDevice] = []

        init(_ direction: SoundDevice.Direction) { self.direction = direction }

        func add(_ name: String, _ description: String) {
            // A card's and a device's lines are one name.
            let words = description.split(separator: "\n").joined(separator: ", ")
            devices.append(
                SoundDevice(
                    direction, name: name, description: words, isUsual: name == ALSAServer.usual))
        }
    }

    private static let usual = "default"

    private final class Port: DevicePort {
        let device: SoundDevice?
        let samples: DeviceStream

        init(_ device: SoundDevice, _ samples: DeviceStream) {
            (self.device, self.samples) = (device, samples)
        }
    }

    /// Only an attempt tells: names may have arguments, and need not be listed.
    public func refusal(
        of direction: SoundDevice.Direction, _ device: String?
    ) -> SoundServerError? { nil }

    public func open(
        _ direction: SoundDevice.Direction, _ device: String?, ready: @escaping () -> Void
    ) throws(SoundServerError) -> any SoundPort {
        let name = device ?? Self.usual
        var error: Int32 = 0
        guard let stream = csound_alsa_open(direction.code, name, period, &error) else {
            let why = String(cString: csound_alsa_words(error))
            throw SoundServerError("ALSA does not open the \(direction.rawValue) \(name): \(why)")
        }
        do throws(SystemError) {
            let samples = try DeviceStream(
                stream, on: loop, close: { csound_alsa_close($0) }, ready: ready)
            return Port(SoundDevice(direction, name: name, description: name), samples)
        } catch {
            throw SoundServerError("\(error)")
        }
    }
}
