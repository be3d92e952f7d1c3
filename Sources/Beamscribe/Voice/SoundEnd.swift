/// Where a guest's sound comes from, or goes to.
public enum SoundEnd: Equatable, Sendable {
    /// Raw samples, which programs write and read.
    case raw(RawSound)
    /// A microphone or a loudspeaker, by its name; nil for the one that the system uses. Of ALSA's where it begins with
    /// `alsa:`.
    case device(String?)

    private static let direct = "alsa:"

    /// Whether it is to be had without PipeWire.
    var isDirect: Bool {
        if case .device(let name?) = self { name.hasPrefix(Self.direct) } else { false }
    }

    /// The same, by the name that its sound server knows.
    var named: SoundEnd {
        guard isDirect, case .device(let name?) = self else { return self }
        return .device(String(name.dropFirst(Self.direct.count)))
    }

    var raw: RawSound? { if case .raw(let raw) = self { raw } else { nil } }
    var isDevice: Bool { if case .device = self { true } else { false } }
}
