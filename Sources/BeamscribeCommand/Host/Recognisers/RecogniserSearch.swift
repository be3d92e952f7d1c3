import BeamscribeCore
import BeamscribeIO
import BeamscribeInput

/// Finds the recognisers of a machine: their programs in `PATH`, and models where each of them, or its
/// manual, puts them.
struct RecogniserSearch {
    let microphone: Microphone
    /// What can be started, the likeliest to be understood first.
    private(set) var found: [FoundRecogniser] = []
    /// What is there and lacks something, in a sentence each.
    private(set) var lacking: [String] = []

    private let files: SystemFiles
    private let environment: [String: String]
    private var home: String { environment["HOME"] ?? "" }

    /// - Parameter source: the name of the sound server's default microphone, where that was asked for.
    init(_ files: SystemFiles, environment: [String: String], source: String? = nil) {
        (self.files, self.environment) = (files, environment)
        microphone = Microphone(files, environment, source: source)
        lookForWhisper()
        lookForSherpa()
        lookForVosk()
        lookForNerdDictation()
        lookForPocketSphinx()
    }

    // MARK: What there is

    private func folder(of program: String) -> String? {
        let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map(String.init)
            .first { files.exists("\($0)/\(program)") }
    }

    private func has(_ program: String) -> Bool { folder(of: program) != nil }

    /// What is in these folders and called so, with its path; `better` says what comes first.
    private func models(
        in folders: [String], _ isOne: (String) -> Bool, better: [String]
    ) -> [String] {
        let paths = folders.flatMap { folder in
            files.names(in: folder).filter(isOne).map { "\(folder)/\($0)" }
        }
        let rank = { (path: String) in better.firstIndex { path.contains($0) } ?? better.count }
        return paths.enumerated().sorted { (rank($0.1), $0.0) < (rank($1.1), $1.0) }.map(\.1)
    }

    /// Folders for data of `name`, the user's own first.
    private func places(_ name: String) -> [String] {
        ["\(home)/.cache", "\(home)/.local/share", home, "/usr/local/share", "/usr/share"]
            .map { "\($0)/\(name)" }
    }

    private mutating func add(
        _ title: String, _ model: String, _ command: String, _ format: InputFormat
    ) {
        found.append(FoundRecogniser(title: title, model: model, command: command, format: format))
    }

    /// With what it hears; nil where nothing records.
    private mutating func recorder(for program: String) -> String? {
        if let recorder = microphone.recorder(has) { return recorder }
        lacking.append("\(program) is there, but nothing that records: alsa-utils has arecord.")
        return nil
    }

    private func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
    private func word(_ text: String) -> String {
        ShellWord(text).isPlain ? text : ShellWord(text).quoted
    }

    // MARK: Each of them

    private mutating func lookForWhisper() {
        guard let folder = folder(of: "whisper-stream") else { return }
        // Built from source, it is in build/bin, and what its script fetches in models.
        let folders =
            places("whisper.cpp").flatMap { [$0, "\($0)/models"] } + ["\(folder)/../../models"]
        let better = ["base.en", "base", "small.en", "small", "tiny.en", "tiny"]
        let all = models(
            in: folders, { $0.hasPrefix("ggml-") && $0.hasSuffix(".bin") }, better: better)
        guard let model = all.first else {
            return lacking.append(
                "whisper-stream is there, but no model (ggml-base.en.bin, say) in \(folders[0]).")
        }
        let language = model.contains(".en") ? "" : " -l auto"
        add(
            "whisper.cpp (whisper-stream)", name(model),
            "whisper-stream -m \(word(model)) --step 500 --length 5000\(language)", .whisperStream)
    }

    private mutating func lookForSherpa() {
        let programs = ["sherpa-onnx-microphone", "sherpa-onnx-alsa"]
        guard let program = programs.first(where: has) else { return }
        let folders = places("sherpa-onnx")
        let all = models(in: folders, { $0.contains("streaming") }, better: ["-en"])
        for model in all {
            let parts = ["encoder", "decoder", "joiner", "tokens"].map { part in
                models(in: [model], { $0.hasPrefix(part) }, better: [".int8.onnx"]).first
                    .map { "--\(part)=\(word($0))" }
            }
            guard !parts.contains(nil) else { continue }
            let device = program.hasSuffix("alsa") ? " default" : ""
            let options = parts.compactMap(\.self).joined(separator: " ")
            // It prints what it hears to standard error.
            return add(
                "sherpa-onnx (\(program))", name(model), "\(program) \(options)\(device) 2>&1",
                .sherpaOnnx)
        }
        lacking.append("\(program) is there, but no streaming model in \(folders[0]).")
    }

    private mutating func lookForVosk() {
        guard let folder = folder(of: "vosk-transcriber") else { return }
        let folders = places("vosk")
        let all = models(
            in: folders, { $0.hasPrefix("vosk-model") && !$0.hasSuffix(".zip") },
            better: ["small-en", "-en"])
        guard let model = all.first else {
            return lacking.append(
                "Vosk is there, but no model (vosk-model-small-en-us-0.15, say) in \(folders[0]).")
        }
        guard let recorder = recorder(for: "Vosk") else { return }
        // Vosk's own program takes no microphone. It names the Python that has the library.
        let first = files.value("\(folder)/vosk-transcriber") ?? ""
        let python = first.hasPrefix("#!") ? String(first.dropFirst(2)) : "python3"
        add(
            "Vosk", name(model),
            "\(recorder) | \(python) -c \(ShellWord(Self.voskScript).quoted) \(word(model))", .vosk)
    }

    /// Hears standard input, and prints what the examples of Vosk's library do.
    private static let voskScript =
        "import sys, vosk; vosk.SetLogLevel(-1); "
        + "h = vosk.KaldiRecognizer(vosk.Model(sys.argv[1]), 16000); "
        + "[print(h.Result() if h.AcceptWaveform(d) else h.PartialResult()) "
        + "for d in iter(lambda: sys.stdin.buffer.read(4000), b\"\")]; print(h.FinalResult())"

    private mutating func lookForNerdDictation() {
        guard has("nerd-dictation") else { return }
        let model = "\(home)/.config/nerd-dictation/model"
        guard files.exists(model) else {
            return lacking.append("nerd-dictation is there, but no model at \(model).")
        }
        add(
            "nerd-dictation", model,
            "nerd-dictation begin --simulate-input-tool STDOUT --continuous", .nerdDictation)
    }

    private mutating func lookForPocketSphinx() {
        // Version 5 listens to nobody but standard input; the older one asks a sound server by itself.
        if has("pocketsphinx"), let recorder = recorder(for: "pocketsphinx") {
            add(
                "PocketSphinx", "its English one", "\(recorder) | pocketsphinx live -",
                .pocketsphinx)
        }
        guard has("pocketsphinx_continuous") else { return }
        guard files.exists("/usr/share/pocketsphinx/model/en-us/en-us") else {
            return lacking.append(
                "pocketsphinx_continuous is there, but no model: pocketsphinx-en-us has it.")
        }
        let title = "PocketSphinx (pocketsphinx_continuous)"
        if case .server = microphone {
            add(title, "en-us", "pocketsphinx_continuous -inmic yes", .pocketsphinx)
        } else if let recorder = recorder(for: "pocketsphinx_continuous") {
            let command = "\(recorder) | pocketsphinx_continuous -infile /dev/stdin"
            add(title, "en-us", command, .pocketsphinx)
        }
    }
}

extension RecogniserSearch {
    /// Looks at this machine. The sound server is asked, and may take its time.
    static func run(environment: [String: String]) async -> RecogniserSearch {
        let source = await BlockingCall.run(within: .seconds(2)) { defaultSource(environment) }
        return RecogniserSearch(SystemFiles(), environment: environment, source: source ?? nil)
    }

    /// A client of a server that is named starts none; and it keeps no cookie that it can write nowhere.
    private static func defaultSource(_ environment: [String: String]) -> String? {
        guard let server = Microphone.server(SystemFiles(), environment),
            let answer = SystemTool.run(
                "/usr/bin/env",
                [
                    "PULSE_SERVER=\(server)", "PULSE_COOKIE=/dev/null", "pactl",
                    "get-default-source",
                ],
                patience: .seconds(1)), answer.code == 0
        else { return nil }
        return answer.output.split(separator: "\n").first.map(String.init)
    }

    /// What an operator is told of the choice, a sentence each.
    var choiceWords: [String] {
        guard let chosen = found.first else { return [] }
        let others = found.dropFirst().map(\.title).joined(separator: ", ")
        return [
            "Recogniser: \(chosen.title), its model \(chosen.model), listening to \(microphone.words).",
            "Another: --run 'COMMAND' (docs/RECOGNISERS.md)"
                + (others.isEmpty ? "." : "; this machine also has \(others)."),
            microphone.advice, "It is started as: \(chosen.command)",
        ]
    }

    /// What to do where there is none.
    func advice(on machine: Machine) -> String {
        let install =
            machine.install("pocketsphinx pocketsphinx-en-us alsa-utils", "pocketsphinx")
            .map { "Install one, PocketSphinx with \($0) say" } ?? "Install one"
        return "\(install): docs/RECOGNISERS.md has more, and how good each is."
    }
}
