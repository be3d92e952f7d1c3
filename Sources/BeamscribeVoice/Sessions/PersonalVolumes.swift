import BeamscribeCore

/// How loud those of a name are to be, as somebody wants it who hears them: people come back with another source.
///
/// Invariant: at most as many names are remembered as there may be people.
struct PersonalVolumes {
    private struct Wish {
        var decibels = 0.0
        var isMuted = false
    }

    private var wishes: [String: Wish] = [:]

    mutating func set(_ decibels: Double, of name: String) {
        change(name) { $0.decibels = decibels }
    }

    mutating func setMuted(_ isMuted: Bool, of name: String) {
        change(name) { $0.isMuted = isMuted }
    }

    private mutating func change(_ name: String, _ body: (inout Wish) -> Void) {
        guard wishes[name] != nil || wishes.count < Limits.listeners else { return }
        body(&wishes[name, default: Wish()])
    }

    /// A factor.
    ///
    /// - Parameter decibels: how loud they are anyway.
    func gain(of name: String, besides decibels: Double) -> Float {
        let wish = wishes[name] ?? Wish()
        return wish.isMuted ? 0 : Decibels.factor(decibels + wish.decibels)
    }
}
