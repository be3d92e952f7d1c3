import BeamscribeCore

/// Who gets what is said on a channel, and how: found out once, and not anew for each packet and each of them.
///
/// Invariant: `sources`, `protections` and `addresses` are of the same members, in one order.
struct VoiceLegs<ID: Hashable & Comparable & Sendable, Address: Equatable> {
    /// Those who are reached by datagrams.
    private(set) var sources: [UInt32] = []
    /// What protects packets for them.
    private(set) var protections: [any VoiceProtection] = []
    /// Where they are.
    private(set) var addresses: [Address] = []
    /// Those who are reached by their connections alone. Who has sent nothing lately is not known to hear anything.
    private(set) var tunnelled: [VoiceMember<ID, Address>] = []
    /// When one of them is reached in another way, where nothing more comes of any; nil for never.
    private var end: Duration?

    init(to audience: [VoiceMember<ID, Address>], now: Duration) {
        for member in audience {
            if member.isTunnelled(now: now) {
                tunnelled.append(member)
            } else if let address = member.address(now: now) {
                sources.append(member.source)
                protections.append(member.protection)
                addresses.append(address)
            }
        }
        end = audience.compactMap { $0.change(after: now) }.min()
    }

    /// Whether it is still so, where nobody has come, gone, moved or been heard from again.
    func holds(at now: Duration) -> Bool { end.map { now < $0 } ?? true }
}
