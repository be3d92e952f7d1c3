import BeamscribeIO

/// Where a machine's sound comes from, and what records it.
enum Microphone: Equatable {
    /// A sound server's default (PulseAudio, or PipeWire in its stead), by its name where that is known.
    case server(String?)
    /// A card of the kernel's, with no sound server in front of it.
    case card(String)
    case none

    /// - Parameter source: what the sound server says of its default; nil where nobody was asked.
    init(_ files: SystemFiles, _ environment: [String: String], source: String?) {
        // "00-00: ALC257 Analog : ALC257 Analog : playback 1 : capture 1"
        let cards = (files.text("/proc/asound/pcm") ?? "").split(separator: "\n")
            .filter { $0.contains("capture") }
            .compactMap { $0.split(separator: ":").dropFirst().first }
        if Self.server(files, environment) != nil {
            self = .server(source)
        } else {
            self =
                cards.first.map { .card($0.split(separator: " ").joined(separator: " ")) } ?? .none
        }
    }

    /// Where the sound server is, as `PULSE_SERVER` has it; nil where there is none.
    static func server(_ files: SystemFiles, _ environment: [String: String]) -> String? {
        if let named = environment["PULSE_SERVER"] { return named }
        return [environment["XDG_RUNTIME_DIR"].map { "\($0)/pulse/native" }, "/run/pulse/native"]
            .compactMap(\.self).first { files.exists($0) }.map { "unix:\($0)" }
    }

    /// How it is called in a sentence.
    var words: String {
        switch self {
        case .server(let name):
            name.map { "the sound server's microphone \($0)" }
                ?? "the sound server's default microphone"
        case .card(let name): "the microphone of \(name)"
        case .none: "no microphone, for none was found"
        }
    }

    /// How another is chosen, or one is had.
    var advice: String {
        switch self {
        case .server:
            "Another microphone: put PULSE_SOURCE=NAME before beamscribe; `pactl list short sources` has the names."
        case .card: "Another microphone: make it ALSA's default; `arecord -l` lists them."
        case .none: "Connect a microphone; `arecord -l` shows whether it is known."
        }
    }

    /// The command that writes 16 kHz, 16 bits, one channel, without a header; nil where the machine has
    /// none.
    ///
    /// - Parameter has: whether it has a program.
    func recorder(_ has: (String) -> Bool) -> String? {
        if case .server = self, has("parec") {
            return "parec --format=s16le --rate=16000 --channels=1 --latency-msec=50"
        }
        if has("arecord") { return "arecord -q -t raw -f S16_LE -r 16000 -c 1" }
        return has("sox") ? "sox -q -d -t raw -r 16000 -b 16 -c 1 -e signed-integer -" : nil
    }
}
