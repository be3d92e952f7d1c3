import BeamscribeCore
import BeamscribeIO
public import BeamscribeVoice

/// What microphones and loudspeakers there are.
public struct SoundDevices: Sendable {
    /// Where they are had, for people: PipeWire or ALSA.
    public let server: String
    /// Microphones and loudspeakers.
    public let all: [SoundDevice]

    /// Asks the sound server.
    ///
    /// - Parameter patience: for how long it may say nothing at all.
    public static func list(
        within patience: Duration = .seconds(5)
    ) async throws(IntercomError) -> SoundDevices {
        guard VoiceLibraries.areHere else { throw .notBuilt }
        do {
            let survey = SoundSurvey(on: try LoopThread())
            return try await survey.devices(within: patience)
        } catch {
            throw .system("\(error)")
        }
    }
}

/// One question to a sound server.
private actor SoundSurvey {
    private nonisolated let thread: LoopThread
    private var server: (any SoundServer)?
    private var asked: CheckedContinuation<SoundDevices, any Error>?
    @OwnedTimer private var waiting: LoopTimer?

    init(on thread: LoopThread) { self.thread = thread }

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    func devices(within patience: Duration) async throws -> SoundDevices {
        try await withCheckedThrowingContinuation { continuation in
            asked = continuation
            do throws(SoundServerError) {
                server = try VoiceLibraries.soundServer(on: thread.loop) { [unowned self] in
                    take($0)
                }
                waiting = thread.loop.schedule(after: patience) { [unowned self] in
                    answer(.failure(SoundServerError("the sound server does not answer")))
                }
            } catch {
                answer(.failure(error))
            }
        }
    }

    private func take(_ news: SoundServerNews) {
        switch news {
        case .told:
            guard let server else { return }
            answer(.success(SoundDevices(server: server.name, all: server.devices)))
        case .changed: break
        case .lost: answer(.failure(SoundServerError("the sound server is gone")))
        }
    }

    private func answer(_ result: Result<SoundDevices, any Error>) {
        asked?.resume(with: result)
        (asked, server, waiting) = (nil, nil, nil)
    }
}
