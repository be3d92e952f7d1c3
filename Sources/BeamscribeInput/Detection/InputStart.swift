import BeamscribeCore

/// The beginning of an input, as lines.
struct InputStart {
    /// The bytes without a byte order mark.
    let bytes: ArraySlice<UInt8>
    /// The lines that are whole and not blank, as they are.
    let lines: [Substring]
    /// The line that is not whole yet.
    let open: Substring

    /// - Parameter bytes: at most as many as are looked at.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = JSONText.withoutMark(bytes)
        // A character that has come in part only would count as another one.
        let whole = self.bytes.withUnsafeBytes { $0.count - ByteScan.incompleteTail(of: $0) }
        let text = String(decoding: self.bytes.prefix(whole), as: UTF8.self)
        var rows = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Substring($0) }
        open = rows.popLast() ?? ""
        lines = rows.map {
            $0.unicodeScalars.last == "\r" ? Substring($0.unicodeScalars.dropLast()) : $0
        }
        .filter { !$0.allSatisfy(\.isWhitespace) }
    }

    /// The lines, the open one as the last.
    var all: [Substring] { open.allSatisfy(\.isWhitespace) ? lines : lines + [open] }

    /// Whether the first line with something on it is whole.
    var hasLine: Bool { !lines.isEmpty }

    /// Evidence of a line that begins as `isSo` says, `couldBe` while it is not whole.
    func first(_ isSo: (Substring) -> Bool, orOpen couldBe: (Substring) -> Bool) -> Evidence {
        guard let first = all.first else { return .none }
        if isSo(first) { return .certain }
        return !hasLine && couldBe(first) ? .possible : .none
    }
}
