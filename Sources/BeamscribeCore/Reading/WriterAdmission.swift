/// Whose logs the founder of an event lets into it.
public enum WriterAdmission: Equatable, Sendable {
    /// Those that these keys have signed; none for nobody's.
    case keys([FingerprintPin])
    /// Everybody's.
    case everybody

    /// Nobody's.
    public static let nobody = WriterAdmission.keys([])

    func admits(_ writer: Fingerprint) -> Bool {
        switch self {
        case .everybody: true
        case .keys(let pins): pins.contains { $0.matches(writer) }
        }
    }

    /// These writers'.
    package init(of writers: [Fingerprint]) {
        self = .keys(writers.compactMap { FingerprintPin($0.hex) })
    }

    /// Both: all whom either lets in.
    package func union(_ other: Self) -> Self {
        guard case .keys(let mine) = self, case .keys(let others) = other else { return .everybody }
        return .keys(mine + others.filter { !mine.contains($0) })
    }
}
