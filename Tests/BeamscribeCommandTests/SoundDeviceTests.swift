import Foundation
import TestSupport
import Testing

/// The program's voices, from a microphone to a loudspeaker.
@Suite struct SoundDeviceTests {
    private static let code = Room.crewCode

    private func talk(_ words: String..., on sound: SoundLab, in room: Room) throws
        -> RunningProgram
    {
        try RunningProgram(launch(["--host", room.address] + words, on: sound))
    }

    private func launch(_ words: [String], on sound: SoundLab) throws -> Launch {
        var launch = sound.inside(Launch.beamscribe(["talk"] + words, state: try TemporaryFolder()))
        launch.environment["BEAMSCRIBE_CREW_CODE"] = Self.code
        return launch
    }

    private func says(_ words: String, _ program: RunningProgram) async throws {
        try await program.waitForLine(containing: words, on: .standardError)
    }

    @Test(Skip.withoutSoundLab)
    func devices_areListed() async throws {
        let sound = try await SoundLab("ann", "bob")
        let list = try RunningProgram(launch(["--devices"], on: sound))
        try await list.expectExit(0)
        #expect(
            list.standardOutputText == """
                Microphones (PipeWire)
                * mic-ann
                    Microphone of ann
                  mic-bob
                    Microphone of bob

                Loudspeakers (PipeWire)
                * spk-ann
                    Loudspeaker of ann
                  spk-bob
                    Loudspeaker of bob

                Those with a star are used where none is named.

                """)
        let json = try RunningProgram(launch(["--devices", "--json"], on: sound))
        try await json.expectExit(0)
        #expect(
            json.standardOutputLines.first
                == #"{"default":true,"description":"Microphone of ann","direction":"microphone","name":"mic-ann","server":"PipeWire"}"#
        )
        #expect(json.standardOutputLines.count == 4)
    }

    @Test(Skip.withoutSoundLab)
    func whatAMicrophoneHears_comesFromALoudspeaker() async throws {
        let (room, sound) = (try await Room.withVoices(), try await SoundLab("ann", "bob"))
        let (said, ear) = (room.folder.path(of: "said.wav"), room.folder.path(of: "ear.wav"))
        try SoundSamples.wave(SoundSamples.voice(seconds: 4)).write(to: URL(filePath: said))
        let listener = try talk("--mic", "none", "--speaker", "spk-bob", on: sound, in: room)
        try await says("The loudspeaker is Loudspeaker of bob.", listener)
        try await says("On the channel", listener)
        let recorder = try await sound.record("bob", into: ear)
        let talker = try talk(
            "--mic", "mic-ann", "--speaker", "none", "--talk", "open", on: sound, in: room)
        try await says("The microphone is Microphone of ann.", talker)
        try await says("You are heard.", talker)
        try await says("talks (crew)", listener)
        let mouth = try await sound.say(said, into: "ann")
        try await mouth.expectExit(0)
        talker.interrupt()
        try await talker.expectExit(0)
        try await says("is gone (crew)", listener)
        listener.interrupt()
        try await listener.expectExit(0)
        recorder.interrupt()
        _ = try await recorder.waitForExit()
        let heard = SoundSamples.samples(
            ofWave: try Data(contentsOf: URL(filePath: ear)))
        #expect(SoundSamples.tones(in: heard) == 4)
    }

    @Test(Skip.withoutSoundLab)
    func microphoneThatIsPulledOut_isReplaced_andNobodyIsHeardByIt() async throws {
        let (room, sound) = (try await Room.withVoices(), try await SoundLab("ann", "bob"))
        let talker = try talk("--mic", "mic-bob", "--talk", "open", on: sound, in: room)
        try await says("The microphone is Microphone of bob.", talker)
        try await says("You are heard.", talker)
        try await sound.remove(.microphone, "bob")
        try await says(
            "The microphone is Microphone of ann: you are not heard until you talk again.", talker)
        try await says("You are not heard.", talker)
        let told = talker.standardErrorLines.count
        talker.signal(SIGUSR2)
        try await talker.waitForLine(
            containing: "You are heard.", on: .standardError, after: told)
        try await sound.add(.microphone, "bob")
        try await talker.waitForLine(
            containing: "The microphone is Microphone of bob: you", on: .standardError, after: told)
        talker.interrupt()
        try await talker.expectExit(0)
    }

    @Test(Skip.withoutSoundLab)
    func soundServerThatEnds_isWaitedFor() async throws {
        let (room, sound) = (try await Room.withVoices(), try await SoundLab("ann"))
        let talker = try talk("--talk", "open", on: sound, in: room)
        try await says("The loudspeaker is Loudspeaker of ann.", talker)
        try await says("You are heard.", talker)
        try await sound.kill()
        try await says("The sound server is gone", talker)
        let told = talker.standardErrorLines.count
        try await sound.start()
        try await talker.waitForLine(
            containing: "The loudspeaker is Loudspeaker of ann.", on: .standardError, after: told)
        talker.signal(SIGUSR2)
        try await talker.waitForLine(
            containing: "You are heard.", on: .standardError, after: told)
        talker.interrupt()
        try await talker.expectExit(0)
    }

    /// It is not a microphone that is gone.
    @Test(Skip.withoutSoundLab)
    func whoIsHeardByAStream_staysSo_whenTheLoudspeakerIsGone() async throws {
        let (room, sound) = (try await Room.withVoices(), try await SoundLab("ann"))
        let talker = try talk("--input", "/dev/zero", "--speaker", "default", on: sound, in: room)
        try await says("The loudspeaker is Loudspeaker of ann.", talker)
        try await says("You are heard.", talker)
        try await sound.kill()
        try await says("The sound server is gone", talker)
        let told = talker.standardErrorLines.count
        try await sound.start()
        try await talker.waitForLine(
            containing: "The loudspeaker is Loudspeaker of ann.", on: .standardError, after: told)
        #expect(!talker.standardErrorText.contains("You are not heard"))
        talker.interrupt()
        try await talker.expectExit(0)
    }

    @Test(Skip.withoutSoundLab)
    func deviceThatIsNotThere_isRefused() async throws {
        let (room, sound) = (try await Room.withVoices(), try await SoundLab("ann"))
        let talker = try talk("--mic", "mic-carol", on: sound, in: room)
        try await talker.expectExit(71)
        #expect(talker.standardErrorText.contains("PipeWire has no microphone 'mic-carol'"))
    }

    @Test func withoutASoundServer_itEndsWithCode71_andSaysWhatToDo() async throws {
        let room = try await Room.withVoices()
        var launch = Launch.beamscribe(
            ["talk", "--host", room.address], state: try TemporaryFolder())
        launch.environment["BEAMSCRIBE_CREW_CODE"] = Self.code
        launch.environment["XDG_RUNTIME_DIR"] = room.folder.path
        launch.environment["PIPEWIRE_RUNTIME_DIR"] = room.folder.path
        launch.environment["ALSA_CONFIG_PATH"] = try room.folder.write("", to: "asound.conf")
        let talker = try RunningProgram(launch)
        try await talker.expectExit(71)
        #expect(talker.standardErrorText.contains("no sound: "))
        #expect(talker.standardErrorText.contains("--input and --output need no devices"))
    }

    /// By ALSA's own door; its device leads to the same place.
    @Test(Skip.withoutSoundLab)
    func devicesOfALSA_areUsed() async throws {
        let (room, sound) = (try await Room.withVoices(), try await SoundLab("ann"))
        var launch = try launch(
            ["--host", room.address, "--mic", "alsa:plug:lab", "--speaker", "alsa:plug:lab"]
                + ["--talk", "open", "--format", "jsonl"], on: sound)
        launch.environment["ALSA_CONFIG_PATH"] = try room.folder.write(
            """
            </usr/share/alsa/alsa.conf>
            pcm.lab { type pipewire }

            """, to: "asound.conf")
        let talker = try RunningProgram(launch)
        try await talker.waitForLine(containing: #""state":"talking""#)
        #expect(
            talker.standardOutputLines.contains(
                #"{"direction":"speaker","name":"plug:lab","type":"voice_device"}"#))
        try await sound.kill()
        try await talker.waitForLine(containing: #""what":"no_microphone""#)
        talker.interrupt()
        try await talker.expectExit(0)
    }

    @Test(Skip.withoutSoundLab)
    func whoTries_hearsHimself() async throws {
        let sound = try await SoundLab("ann", "bob")
        let folder = try TemporaryFolder()
        let (said, ear) = (folder.path(of: "said.wav"), folder.path(of: "ear.wav"))
        try SoundSamples.wave(SoundSamples.voice(seconds: 8)).write(to: URL(filePath: said))
        let recorder = try await sound.record("bob", into: ear)
        let mouth = try await sound.say(said, into: "ann")
        let trial = try RunningProgram(launch(["--try", "--speaker", "spk-bob"], on: sound))
        try await trial.expectExit(0)
        recorder.interrupt()
        mouth.interrupt()
        _ = try await recorder.waitForExit()
        let heard = SoundSamples.samples(ofWave: try Data(contentsOf: URL(filePath: ear)))
        #expect((4...6).contains(SoundSamples.tones(in: heard)))
        #expect(trial.standardOutputText.contains("Speak now, for 5 s: Microphone of ann listens."))
        #expect(trial.standardOutputText.contains("Loud enough"))
    }
}
