/// The forms of input that the host reads. The raw values are what a user types.
public enum InputFormat: String, CaseIterable, Sendable {
    /// The beginning of the input decides.
    case auto

    /// Text as a person types it or a recogniser prints it, repairs on the same line included.
    case text

    /// One JSON object a line.
    case jsonl

    /// whisper.cpp's `whisper-stream`: a line that is rewritten, or blocks of timed lines.
    case whisperStream = "whisper-stream"

    /// Lines with times in brackets: whisper.cpp's `whisper-cli`, openai-whisper and its kin.
    case whisper

    /// Vosk's JSON objects.
    case vosk

    /// whisper_streaming: lines that begin with times in milliseconds.
    case whisperStreaming = "whisper-streaming"

    /// PocketSphinx: a JSON object a line, or what its older programs print.
    case pocketsphinx

    /// WhisperLiveKit's JSON messages, whole lists or differences.
    case whisperLiveKit = "whisperlivekit"

    /// nerd-dictation: characters, and backspaces that take them back.
    case nerdDictation = "nerd-dictation"

    /// sherpa-onnx: numbered segments that are rewritten.
    case sherpaOnnx = "sherpa-onnx"

    /// April-ASR's example program.
    case aprilASR = "april-asr"

    /// Deepgram's live messages.
    case deepgram

    /// AssemblyAI's streaming messages, version 3.
    case assemblyAI = "assemblyai"

    /// The log of Plover's translations.
    case plover

    /// SubRip subtitles.
    case srt

    /// WebVTT subtitles.
    case vtt

    /// YouTube's subtitles.
    case sbv

    /// A parser of this form that has seen nothing yet.
    public func makeParser() -> any InputParser {
        switch self {
        case .auto: AutoParser()
        case .text: TextParser()
        case .jsonl: JSONLinesParser()
        case .whisperStream: WhisperStreamParser()
        case .whisper: LineParser(WhisperGrammar())
        case .vosk: ObjectParser<VoskGrammar>()
        case .whisperStreaming: LineParser(WhisperStreamingGrammar())
        case .pocketsphinx: LineParser(PocketSphinxGrammar())
        case .whisperLiveKit: ObjectParser<WhisperLiveKitGrammar>()
        case .nerdDictation: TypedTextParser()
        case .sherpaOnnx: SherpaParser()
        case .aprilASR: LineParser(AprilGrammar())
        case .deepgram: ObjectParser<DeepgramGrammar>()
        case .assemblyAI: ObjectParser<AssemblyAIGrammar>()
        case .plover: LineParser(PloverGrammar())
        case .srt: LineParser(CueGrammar(.subRip))
        case .vtt: LineParser(CueGrammar(.webVTT))
        case .sbv: LineParser(CueGrammar(.subViewer))
        }
    }

    /// A parser of this form behind which `options` are applied.
    public func makeReader(_ options: InputOptions = InputOptions()) -> InputReader {
        InputReader(self, options)
    }

    /// How a person calls it.
    public var title: String { self == .text ? "plain text" : rawValue }

    /// Whether people wrote the text, who mean what they put into brackets.
    var isWrittenByPeople: Bool {
        switch self {
        case .text, .jsonl, .plover, .srt, .vtt, .sbv: true
        default: false
        }
    }

    /// Whether a line may begin with a mark of who speaks.
    var hasSpeakerMarks: Bool { isWrittenByPeople && self != .jsonl }
}
