import Beamscribe
import BeamscribeCore

/// What the keys do that let others caption in the event, and put them out. Each is pressed twice: the
/// first time says what the second would do.
///
/// Invariant: what is done is what was said before, by the key before.
actor WriterDesk {
    private enum Intent: Equatable {
        /// Let this log in, or the digit of one of those that are in.
        case letIn(LogTitle?)
        /// Put out the writer behind this digit, or let him in again.
        case change(Character)
    }

    private let host: Host
    private var intent: Intent?
    /// The logs behind the digits, as they were shown.
    private var shown: [(title: LogTitle, isPutOut: Bool)] = []

    init(of host: Host) { self.host = host }

    /// Another key than these was pressed.
    func forget() { (intent, shown) = (nil, []) }

    /// Lets the writer in who was shown; else shows the one who has asked first, and who is in. Two may
    /// call theirs the same: the key tells them apart.
    ///
    /// - Parameter key: what the key is called.
    /// - Returns: what is to be said.
    func letIn(by key: String) async -> String {
        let asking = await host.writersAsking
        if case .letIn(let log?) = intent, asking.contains(log) {
            forget()
            return await letIn(log)
        }
        // Of writers with several logs the newest is meant, with all of them.
        shown = Array(await host.writers.suffix(9))
        intent = .letIn(asking.first)
        var asks: String?
        if let first = asking.first {
            let refusal = await host.refusal(of: first)
            asks =
                "Key \(first.writer.groups) wants to caption here: "
                + (refusal?.reason ?? "\(key) again lets it in.")
                + " It calls itself \(Self.name(of: first))."
        }
        let all = [asks, list].compactMap(\.self).joined(separator: " ")
        return all.isEmpty
            ? "Nobody asks to caption in this event: beamscribe host --into does." : all
    }

    private var list: String? {
        guard !shown.isEmpty else { return nil }
        let all = shown.enumerated().map { index, log in
            "\(index + 1) \"\(SafeText.quoted(log.title.label))\"\(log.isPutOut ? " (out)" : "")"
        }
        return "Put one out: \(all.joined(separator: ", "))?"
    }

    /// The digit of one of those that were shown.
    ///
    /// - Returns: what is to be said; nil where that is no answer to anything.
    func choose(_ key: Character) async -> String? {
        guard intent != nil, let number = key.wholeNumberValue, shown.indices.contains(number - 1)
        else { return nil }
        let log = shown[number - 1]
        if intent == .change(key) {
            forget()
            return await log.isPutOut ? letIn(log.title) : putOut(log.title)
        }
        intent = .change(key)
        let name = "Key \(log.title.writer.groups)"
        let action =
            log.isPutOut
            ? "\(name) was put out: \(key) again lets it in."
            : "\(name): \(key) again puts it out. What it has said stays."
        return "\(action) It calls itself \(Self.name(of: log.title))."
    }

    private func letIn(_ log: LogTitle) async -> String {
        let refusal = await host.refusal(of: log)
        if let pin = FingerprintPin(log.writer.hex) { await host.admit(.keys([pin])) }
        let label = SafeText.quoted(log.label)
        if let refusal { return "\"\(label)\" cannot be let in yet: \(refusal.reason)" }
        return "\"\(label)\" captions in this event, too."
    }

    private func putOut(_ log: LogTitle) async -> String {
        await host.putOut(log.writer)
        return "\"\(SafeText.quoted(log.label))\" is out: nothing more of it comes into the event."
    }

    private static func name(of log: LogTitle) -> String {
        "\"\(SafeText.quoted(log.label))\" on \"\(SafeText.quoted(log.deviceName))\""
    }
}
