import BeamscribeCore
internal import COpenSSL

/// Why a TLS connection cannot be, or cannot go on.
public enum TLSError: Error, Equatable, Sendable {
    /// The other side ended it and said why, in an alert.
    case alert(TLSAlert)
    /// What came is no TLS 1.3, or it is broken; OpenSSL's words for it.
    case violation(String)
    /// The other side has ended the connection in good order.
    case closed
    /// A host's key is of no use; why, as a clause.
    case unusableKey(String)
    /// OpenSSL could not do what it was asked for, for want of memory say; its words.
    case library(String)
}

extension TLSError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .alert(let alert): "ended the handshake (TLS alert: \(alert))"
        case .violation(let words): "does not speak TLS 1.3 as it should (\(words))"
        case .closed: "closed the connection"
        case .unusableKey(let why): why
        case .library(let words): "TLS failed (\(words))"
        }
    }
}

extension TLSError {
    /// Takes what OpenSSL has noted on this thread; nil if that is nothing.
    static func noted() -> TLSError? {
        var code = ERR_get_error()
        guard code != 0 else { return nil }
        let first = code
        // The first is the cause, the others say who passed it on.
        while code != 0 { code = ERR_get_error() }
        let reason = Int32(ERR_GET_REASON(first))
        if ERR_GET_LIB(first) == ERR_LIB_SSL {
            // An alert that came is told as 1000 and its number.
            if let alert = UInt8(exactly: reason - 1_000) {
                return .alert(TLSAlert(rawValue: alert))
            }
        }
        let words = ERR_reason_error_string(first).map { String(cString: $0) }
        return .violation(words ?? "error \(first)")
    }

    /// For what only fails when memory does.
    static func library() -> TLSError {
        switch noted() {
        case .violation(let words)?: .library(words)
        default: .library("no memory")
        }
    }
}
