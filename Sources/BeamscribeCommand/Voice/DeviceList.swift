import Beamscribe
import BeamscribeCore

/// `talk --devices`: the microphones and loudspeakers that there are.
struct DeviceList {
    /// Whether it is for programs.
    let isJSON: Bool

    private struct Row: Encodable {
        let direction: String
        let name: String
        let description: String
        let `default`: Bool
        let server: String
    }

    func run() async throws {
        try await exiting {
            let found: SoundDevices
            do throws(IntercomError) {
                found = try await SoundDevices.list()
            } catch {
                throw Failure.noSound("\(error)")
            }
            try writeOutput(isJSON ? lines(found) : text(found))
        }
    }

    private func lines(_ found: SoundDevices) -> String {
        found.all.map { device in
            Row(
                direction: device.direction.rawValue, name: device.name,
                description: device.description, default: device.isUsual, server: found.server
            ).json + "\n"
        }.joined()
    }

    private func text(_ found: SoundDevices) -> String {
        let parts = SoundDevice.Direction.allCases.map { direction in
            let title = direction == .microphone ? "Microphones" : "Loudspeakers"
            let rows = found.all.filter { $0.direction == direction }.map { device in
                let mark = device.isUsual ? "*" : " "
                return
                    "\(mark) \(SafeText.line(device.name))\n    \(SafeText.line(device.description))\n"
            }
            return "\(title) (\(found.server))\n" + (rows.isEmpty ? "  none\n" : rows.joined())
        }
        return parts.joined(separator: "\n") + "\nThose with a star are used where none is named.\n"
    }
}
