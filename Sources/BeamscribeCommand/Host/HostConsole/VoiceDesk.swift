import Beamscribe
import BeamscribeVoice

/// What the key does that shows who is on the voices' channels, and the digits that put one out. A digit is
/// pressed twice: the first time says what the second would do.
///
/// Invariant: what is done is what was said before, by the key before.
actor VoiceDesk {
    private let host: Host
    /// Those behind the digits, as they were shown.
    private var shown: [VoiceParticipant] = []
    /// The digit that was pressed last.
    private var chosen: Character?

    init(of host: Host) { self.host = host }

    /// Another key than these was pressed.
    func forget() { (shown, chosen) = ([], nil) }

    /// - Returns: what is to be said.
    func show() async -> String {
        forget()
        guard let all = await host.voiceParticipants else {
            return "There are no voices; begin the host with --voice for them."
        }
        guard !all.isEmpty else { return "Nobody is on the voices: beamscribe talk does." }
        shown = Array(all.prefix(9))
        let list = shown.enumerated().map { "\($0 + 1) \(Self.words(for: $1))" }
        let more = all.count > shown.count ? " and \(all.count - shown.count) more" : ""
        return "On the voices: \(list.joined(separator: ", "))\(more). A digit puts one out."
    }

    /// The digit of one of those that were shown.
    ///
    /// - Returns: what is to be said; nil where that is no answer to anything.
    func choose(_ key: Character) async -> String? {
        guard let number = key.wholeNumberValue, shown.indices.contains(number - 1) else {
            return nil
        }
        let one = shown[number - 1]
        guard chosen == key else {
            chosen = key
            return one.isPutOut
                ? "\(one.name) was put out: \(key) again lets that device in."
                : "\(one.name): \(key) again puts that device out of all channels. It may read on."
        }
        forget()
        if one.isPutOut {
            await host.letIntoVoices(device: one.device)
            return "\(one.name) may come back."
        }
        await host.putOutOfVoices(device: one.device)
        return "\(one.name) is out of the voices, until you let that device in again."
    }

    private static func words(for one: VoiceParticipant) -> String {
        if one.isPutOut { return "\(one.name) (out)" }
        guard let channel = one.channel else { return "\(one.name) (listens)" }
        return "\(one.name) (\(channel)\(one.isTalking ? ", talks" : ""))"
    }
}
