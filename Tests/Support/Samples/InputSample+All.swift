extension InputSample {
    /// Every sample. Each was made after the shape that the program's source describes, and says
    /// much the same thing.
    public static let all = streaming + cloud + typed + files

    private static let morning = "Good morning, everyone."
    private static let train = "The train leaves at nine."

    private static let streaming = [
        InputSample("whisper-stream.txt", "whisper-stream", [morning, train]),
        InputSample(
            "whisper-stream-vad.txt", "whisper-stream", [morning, ">> Good morning.", train]),
        InputSample("whisper-cli.txt", "whisper", [morning, "Speaker 1: " + train, "It is late."]),
        InputSample("whisper-cli-colours.txt", "whisper", ["Speaker 0: Good morning.", "Bye."]),
        InputSample("openai-whisper.txt", "whisper", [morning, train, "Thank you."]),
        InputSample("vosk.txt", "vosk", ["good morning everyone", "the train"]),
        InputSample("vosk-alternatives.txt", "vosk", ["hello there"]),
        InputSample(
            "whisper-streaming.txt", "whisper-streaming", ["Good morning,", "everyone.", train]),
        InputSample(
            "whisper-streaming-server.txt", "whisper-streaming",
            ["Good morning,", "everyone.", train]),
        InputSample(
            "pocketsphinx.txt", "pocketsphinx",
            ["good morning the train", #"they say "nine" today"#]),
        InputSample(
            "pocketsphinx-old.txt", "pocketsphinx", ["good morning", "the train leaves at nine"]),
        InputSample(
            "sherpa-onnx.txt", "sherpa-onnx", ["good morning everyone", "the train leaves at nine"]),
        InputSample(
            "sherpa-onnx-display.txt", "sherpa-onnx",
            [
                "good morning everyone and welcome to the station from which all of our trains leave",
                "at nine",
            ]),
        InputSample(
            "april-asr.txt", "april-asr", ["good morning everyone", "the train leaves at nine"]),
    ]

    private static let cloud = [
        InputSample(
            "whisperlivekit.txt", "whisperlivekit",
            [
                "Speaker 1: Good morning.", "Speaker 1: Everyone is here.",
                "Speaker 1: Good morning!", "Speaker 2: " + train,
            ], correcting: [2: 1]),
        InputSample(
            "whisperlivekit-diff.txt", "whisperlivekit",
            ["Speaker 1: Good morning.", "Speaker 1: Everyone.", "Speaker 2: " + train]),
        InputSample("deepgram.txt", "deepgram", [morning, "Speaker 1: " + train]),
        InputSample(
            "assemblyai.txt", "assemblyai", ["good morning everyone", morning, train],
            correcting: [1: 1]),
        InputSample("captions.jsonl", "jsonl", ["Ann: " + morning, "Bob: " + train]),
        InputSample("crispasr.jsonl", "jsonl", [morning, train]),
    ]

    private static let typed = [
        InputSample(
            "nerd-dictation.txt", "nerd-dictation",
            [
                "hello everyone, this is the stage speaking and the train will leave at nine from "
                    + "the far side of the",
                "station. Please take your bags with you, and mind the gap between the train and "
                    + "the platform when you get in.",
            ]),
        InputSample(
            "plover.txt", "plover",
            ["Good morning.", "The train leave.", "The train leaves at jn."], correcting: [2: 2]),
        InputSample(
            "captioner.txt", "text",
            [
                "ANN: " + morning, ">> Good morning.", "BOB RAY: " + train, "NOTE: it is late.",
                ">>> The news.", "(Laughter)",
            ]),
    ]

    private static let files = [
        InputSample(
            "talk.srt", "srt", [morning, "ANN: The train leaves at nine & ten.", "[APPLAUSE]"]),
        InputSample(
            "talk.vtt", "vtt",
            [
                "Ann: " + morning, "Bob Ray: The train leaves at nine & ten.",
                "Ann: Thank you <all>.",
            ]),
        InputSample("talk.sbv", "sbv", [morning, train]),
    ]
}
