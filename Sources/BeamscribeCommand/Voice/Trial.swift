import Beamscribe
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// `talk --try`: somebody hears himself as others would.
struct Trial {
    private let microphone: String?
    private let speaker: String?

    /// Quieter than that nobody would be understood, in decibels of full scale.
    private static let quiet = -50.0

    /// - Parameters:
    ///   - microphone: its name, as it was given; nil for the usual one.
    ///   - speaker: the same of the loudspeaker.
    init(microphone: String?, speaker: String?) {
        self.microphone = microphone.flatMap(SoundEnd.deviceName)
        self.speaker = speaker.flatMap(SoundEnd.deviceName)
    }

    func run() async throws {
        try await exiting {
            let thread = try LoopThread()
            let signals = Signals(on: thread)
            try await signals.start()
            let trial = try Self.trial()
            let ending = Task { for await _ in signals.ending.listen() { await trial.end() } }
            defer { ending.cancel() }
            await trial.begin(microphone: microphone, speaker: speaker)
            for await batch in trial.events {
                for event in batch { try tell(event) }
            }
        }
    }

    private static func trial() throws -> SoundTrial {
        do throws(IntercomError) {
            return try SoundTrial()
        } catch {
            throw Failure(.system, "\(error).")
        }
    }

    private func tell(_ event: SoundTrialEvent) throws {
        switch event {
        case .device(.uses(.microphone, let name, isChange: _)):
            try writeOutput("Speak now, for 5 s: \(SafeText.line(name)) listens.\n")
        case .device(.refused(let why)): throw Failure.noSound(why)
        case .device(.missing), .device(.lost):
            throw Failure.noSound("the microphone or the loudspeaker is gone")
        case .device: break
        case .hears(let decibels): try writeOutput(Self.meter(decibels))
        case .plays: try writeOutput("This is how others hear you:\n")
        case .ended(let loudest): try writeOutput(Self.verdict(loudest))
        }
    }

    /// A row for a level, which also says it in figures.
    private static func meter(_ decibels: Double) -> String {
        let length = max(0, min(30, Int(saturating: (decibels + 60) / 2)))
        let bar = String(repeating: "#", count: length) + String(repeating: ".", count: 30 - length)
        return "  \(bar) \(Int(saturating: decibels)) dB\n"
    }

    private static func verdict(_ loudest: Double) -> String {
        switch loudest {
        case ..<(-90):
            "Nothing but silence came from the microphone: is it muted, or another one meant? (--devices)\n"
        case ..<quiet:
            "That was very quiet: \(Int(saturating: loudest)) dB at most. Go nearer, or turn it up.\n"
        case (-1)...: "That was too loud, and was cut: turn the microphone down.\n"
        default: "Loud enough: \(Int(saturating: loudest)) dB at most.\n"
        }
    }
}
