import BeamscribeInput
import TestSupport
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeIO

/// What `host --run` finds on machines that are folders.
@Suite struct RecogniserSearchTests {
    private let folder: TemporaryFolder
    private let debian = Machine(hasSystemd: true, packages: .apt, isRoot: false)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ text: String = "", _ paths: String...) throws {
        for path in paths {
            let parent = path.split(separator: "/").dropLast().joined(separator: "/")
            try folder.makeFolder(parent)
            try folder.write(text, to: path)
        }
    }

    private func search(_ more: [String: String] = [:], source: String? = nil) -> RecogniserSearch {
        let environment = ["PATH": "/usr/bin:/opt/w/build/bin", "HOME": "/home/ann"]
        return RecogniserSearch(
            SystemFiles(root: folder.path), environment: environment.merging(more) { $1 },
            source: source)
    }

    /// A sound server's socket.
    private static let server = "run/user/7/pulse/native"
    private static let hasServer = ["XDG_RUNTIME_DIR": "/run/user/7"]

    @Test func nothing_isFound_whereNothingIs() {
        let result = RecogniserCheck.result(search(), on: debian)
        #expect(result.status == .note && result.found.hasPrefix("There is no recogniser"))
        #expect(
            result.advice?.contains("`sudo apt-get install pocketsphinx pocketsphinx-en-us") == true
        )
    }

    @Test func pocketSphinx_listensToTheSoundServer() throws {
        try write(
            "", "usr/bin/pocketsphinx_continuous", "usr/share/pocketsphinx/model/en-us/en-us/mdef",
            Self.server)
        let search = search(Self.hasServer, source: "mic")
        #expect(search.found.map(\.command) == ["pocketsphinx_continuous -inmic yes"])
        #expect(search.found.first?.format == .pocketsphinx && search.lacking.isEmpty)
        #expect(search.microphone == .server("mic"))
        #expect(
            search.choiceWords.first?.contains(
                "en-us, listening to the sound server's microphone mic") == true)
        #expect(RecogniserCheck.result(search, on: debian).status == .ok)
    }

    @Test func pocketSphinx_isGivenWhatACardHears_whereThereIsNoSoundServer() throws {
        try write("", "usr/bin/pocketsphinx_continuous", "usr/bin/arecord", "usr/bin/parec")
        try write("", "usr/share/pocketsphinx/model/en-us/en-us/mdef")
        #expect(search().microphone == .none)
        #expect(RecogniserCheck.result(search(), on: debian).status == .note)
        #expect(search().choiceWords.contains { $0.hasPrefix("Connect a microphone;") })
        try write(
            "00-00: HDMI : HDMI : playback 1\n01-00: USB Audio : USB  Audio : capture 1\n",
            "proc/asound/pcm")
        let found = search()
        #expect(found.microphone == .card("USB Audio"))
        #expect(
            found.found.map(\.command) == [
                "arecord -q -t raw -f S16_LE -r 16000 -c 1 | pocketsphinx_continuous -infile /dev/stdin"
            ])
    }

    @Test func program_isSaidToLackAModel_orWhatRecords() throws {
        try write(
            "", "usr/bin/pocketsphinx_continuous", "usr/bin/pocketsphinx", "usr/bin/whisper-stream")
        let result = search()
        #expect(result.found.isEmpty)
        #expect(
            result.lacking.map { $0.split(separator: " ")[0] } == [
                "whisper-stream", "pocketsphinx", "pocketsphinx_continuous",
            ])
        let said = RecogniserCheck.result(result, on: debian).found
        #expect(said.contains("/home/ann/.cache/whisper.cpp"))
    }

    @Test func whisper_takesTheModelThatGoesBestWithALaptop() throws {
        try write(
            "", "opt/w/build/bin/whisper-stream", "opt/w/models/ggml-tiny.bin",
            "opt/w/models/ggml-medium.bin", "home/ann/.cache/whisper.cpp/notes.txt", Self.server)
        #expect(
            search(Self.hasServer).found.map(\.command) == [
                "whisper-stream -m /opt/w/build/bin/../../models/ggml-tiny.bin --step 500 "
                    + "--length 5000 -l auto"
            ])
        try write("", "home/ann/.cache/whisper.cpp/ggml-base.en.bin")
        #expect(
            search(Self.hasServer).found.map(\.command) == [
                "whisper-stream -m /home/ann/.cache/whisper.cpp/ggml-base.en.bin --step 500 --length 5000"
            ])
    }

    @Test func everyRecogniser_hasItsCommand_theBestFirst() throws {
        let model = "usr/share/sherpa-onnx/sherpa-onnx-streaming-zipformer-en"
        try write(
            "", "usr/bin/sherpa-onnx-alsa", "\(model)/encoder-epoch-99.onnx",
            "\(model)/encoder-epoch-99.int8.onnx", "\(model)/decoder-epoch-99.onnx",
            "\(model)/joiner-epoch-99.onnx", "\(model)/tokens.txt", "usr/bin/parec", Self.server,
            "usr/bin/pocketsphinx", "usr/bin/nerd-dictation",
            "home/ann/.config/nerd-dictation/model/README")
        try write("#!/opt/vosk/bin/python3\nimport vosk\n", "usr/bin/vosk-transcriber")
        try write("", "home/ann/.cache/vosk/vosk-model-small-en-us-0.15/README")
        let found = search(Self.hasServer).found
        #expect(found.map(\.format) == [.sherpaOnnx, .vosk, .nerdDictation, .pocketsphinx])
        #expect(found[0].command.contains("--encoder=/\(model)/encoder-epoch-99.int8.onnx"))
        #expect(found[0].command.hasSuffix("/tokens.txt default 2>&1"))
        let recorder = "parec --format=s16le --rate=16000 --channels=1 --latency-msec=50 | "
        #expect(found[1].command.hasPrefix(recorder + "/opt/vosk/bin/python3 -c 'import sys"))
        #expect(found[1].command.hasSuffix("' /home/ann/.cache/vosk/vosk-model-small-en-us-0.15"))
        #expect(found[3].command == recorder + "pocketsphinx live -")
    }
}
