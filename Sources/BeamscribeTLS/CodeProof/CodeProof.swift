import BeamscribeCore

/// A guest's proof that it knows the event's code, on one connection, which proves that the host
/// knows it, too.
public struct CodeProof {
    /// What is said first: 65 bytes.
    public var share: [UInt8] { prover.share }

    private let prover: SPAKE2Plus.Prover

    /// - Parameter exporter: ``TLSConnection/exportedKey()`` of the connection: who passes messages on
    ///   between two connections has another one at each.
    public init(
        _ secret: CodeSecret, of kind: CodeKind = .event, exporter: [UInt8]
    ) throws(TLSError) {
        prover = try SPAKE2Plus.Prover(
            w0: Scalar(reducing: secret.w0), w1: Scalar(reducing: secret.w1), x: Scalar(),
            .ofCode(kind, exporter))
    }

    /// What a host's answer is worth.
    public enum Verdict: Equatable, Sendable {
        /// The host knows the code; these 32 bytes prove to it that the guest does.
        case proven(confirm: [UInt8])
        /// The host has another code, or none, or it is at the other end of another connection.
        case wrongCode
        /// This is no answer.
        case broken
    }

    public func judge(share: [UInt8], confirm: [UInt8]) throws(TLSError) -> Verdict {
        guard let theirs = Point(share: share), confirm.count == CodeCheck.confirmBytes else {
            return .broken
        }
        let keys = try prover.keys(theirs)
        let expected = try SPAKE2Plus.confirmation(keys.confirmV, of: prover.share)
        guard SPAKE2Plus.isSame(expected, confirm) else { return .wrongCode }
        return .proven(confirm: try SPAKE2Plus.confirmation(keys.confirmP, of: share))
    }
}

/// Which of an event's codes is proved: a proof of one is none of another.
public enum CodeKind: String, Sendable {
    /// What lets a guest into the event.
    case event = "beamscribe code v1"
    /// What lets a guest talk.
    case crew = "beamscribe crew v1"
}

/// A host's check of one guest, which has one guess.
public struct CodeCheck {
    /// What the host says: its share, 65 bytes, ...
    public let share: [UInt8]
    /// ... and the proof that it knows the code, 32 bytes.
    public let confirm: [UInt8]

    private let expected: [UInt8]

    static let confirmBytes = 32

    /// - Parameters:
    ///   - share: the guest's.
    ///   - exporter: ``TLSConnection/exportedKey()`` of the connection.
    /// - Returns: nil where the guest's share is none: of another length, off the curve, or the
    ///   identity.
    public init?(
        _ record: CodeRecord, of kind: CodeKind = .event, share: [UInt8], exporter: [UInt8]
    ) throws(TLSError) {
        guard let theirs = Point(share: share), let l = Point(record.l) else { return nil }
        let verifier = try SPAKE2Plus.Verifier(
            w0: Scalar(reducing: record.w0), l: l, y: Scalar(), .ofCode(kind, exporter))
        let keys = try verifier.keys(theirs)
        self.share = verifier.share
        confirm = try SPAKE2Plus.confirmation(keys.confirmV, of: share)
        expected = try SPAKE2Plus.confirmation(keys.confirmP, of: verifier.share)
    }

    public func accepts(_ confirm: [UInt8]) -> Bool { SPAKE2Plus.isSame(expected, confirm) }
}

extension Point {
    /// The first byte of an uncompressed point (SEC 1, section 2.3.3).
    private static let uncompressed: UInt8 = 4

    /// A share as it goes over the wire: uncompressed, and a point.
    fileprivate convenience init?(share: [UInt8]) {
        guard share.count == P256.pointBytes, share.first == Self.uncompressed else { return nil }
        self.init(share)
    }
}

extension SPAKE2Plus.Transcript {
    /// What the two prove the code for: this protocol, and this connection.
    fileprivate static func ofCode(
        _ kind: CodeKind, _ exporter: [UInt8]
    ) -> SPAKE2Plus.Transcript {
        SPAKE2Plus.Transcript(context: Array(kind.rawValue.utf8) + [0] + exporter)
    }
}
