import Beamscribe
import BeamscribeCore

/// What the keys do that take the captions and hand them over. Each is pressed twice: the first time says
/// what the second would do.
///
/// Invariant: what is done is what was said before, by the key before.
actor AirDesk {
    private enum Intent: Equatable {
        case take
        /// To one of these, by a digit where there are several.
        case hand([AirClaim])
    }

    private let host: Host
    private var intent: Intent?

    init(of host: Host) { self.host = host }

    /// Another key than these was pressed.
    func forget() { intent = nil }

    /// - Parameter key: what the key is called.
    /// - Returns: what is to be said.
    func take(by key: String) async -> String {
        if intent == .take {
            intent = nil
            return await host.takeAir()
                ? "The captions are yours." : "The captions are yours already."
        }
        guard await !host.view().isOnAir else { return "The captions are yours already." }
        intent = .take
        let other = await host.captioners.filter { $0.air > 0 }.max { $0.air < $1.air }
        let who = other.map { "Now \(Self.name(of: $0)) captions" } ?? "Nobody is heard captioning"
        return "\(who); \(key) again takes the captions."
    }

    /// - Parameter key: what the key is called.
    /// - Returns: what is to be said.
    func hand(by key: String) async -> String {
        if case .hand(let all) = intent, let only = all.first, all.count == 1 {
            return await hand(to: only)
        }
        intent = nil
        guard await host.view().isOnAir else {
            return "The captions are another's, and cannot be handed over from here."
        }
        let all = Array(await host.captioners.prefix(9))
        guard let first = all.first else {
            return "Nobody stands by to caption: beamscribe host --standby does."
        }
        intent = .hand(all)
        guard all.count > 1 else {
            return "\(key) again hands the captions over to \(Self.name(of: first))."
        }
        let choice = all.enumerated().map { "\($0 + 1) \(Self.name(of: $1))" }
        return "Hand the captions over to: \(choice.joined(separator: ", "))?"
    }

    /// The digit of one of several.
    ///
    /// - Returns: what is to be said; nil where that is no answer to anything.
    func choose(_ key: Character) async -> String? {
        guard case .hand(let all) = intent, let number = key.wholeNumberValue,
            all.indices.contains(number - 1)
        else { return nil }
        return await hand(to: all[number - 1])
    }

    private func hand(to other: AirClaim) async -> String {
        intent = nil
        return await host.handAir(to: other.session)
            ? "Handing the captions over to \(Self.name(of: other)); until they are taken you caption."
            : "The captions are another's, and cannot be handed over from here."
    }

    /// Who that is, for people.
    static func name(of other: AirClaim) -> String {
        other.rank == 0
            ? "the host on \(other.deviceName)"
            : "\"\(SafeText.quoted(other.label))\" on \(other.deviceName)"
    }
}
