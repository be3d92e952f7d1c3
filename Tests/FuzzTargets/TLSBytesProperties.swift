import BeamscribeTLS

/// Anything at all, raw, to an end of a TLS connection: nothing comes out of it, it ends with an
/// error or waits, and what it holds stays small.
enum TLSBytesProperties {
    /// A host's whole flight with a certificate has under 2 KiB; nothing here earns more.
    private static let mostOutput = 4_096

    static func check(_ bytes: UnsafeRawBufferPointer) throws(BrokenProperty) {
        var choices = Choices(bytes)
        let isAtHost = choices.byte() % 2 == 0
        let isEstablished = choices.byte() % 2 == 1
        let tunnel =
            isEstablished ? try TLSTunnel.established() : try TLSTunnel()
        let end = isAtHost ? tunnel.host : tunnel.guest
        // A guest speaks first, whatever it hears.
        let hello = tunnel.output(of: end)
        try expect(isAtHost || isEstablished || !hello.isEmpty, "a guest says nothing")
        try feed(&choices, tunnel, end, isEstablished)
    }

    private static func feed(
        _ choices: inout Choices, _ tunnel: TLSTunnel, _ end: TLSConnection, _ wasEstablished: Bool
    ) throws(BrokenProperty) {
        var first: UInt8?
        var isOver = false
        while !choices.isEmpty {
            let piece = choices.byte() % 4 == 0 ? record(&choices) : choices.stretch()
            first = first ?? piece.first
            let (pieces, error) = tunnel.take(piece, to: end)
            try expect(pieces.isEmpty, "plaintext that nobody sent: \(pieces)")
            try expect(end.isEstablished == wasEstablished, "a handshake out of nothing")
            // It has failed, and whoever gives it more is not told that all is well again.
            try expect(!isOver || error != nil || piece.isEmpty, "goes on after it has failed")
            isOver = isOver || error != nil
        }
        let output = tunnel.output(of: end)
        try expect(output.count <= mostOutput, "\(output.count) bytes wait")
        try expect(!end.hasOutput, "something waits when all is flushed")
        if !wasEstablished, let first, first != 22 { try checkStranger(output) }
    }

    /// Who does not begin with a handshake is told why in an alert at most.
    private static func checkStranger(_ output: [UInt8]) throws(BrokenProperty) {
        try expect(
            output.isEmpty || output.count == 7 && output[0] == 21, "answers \(output)")
    }

    /// A record, whose header is right (RFC 8446, section 5.1).
    private static func record(_ choices: inout Choices) -> [UInt8] {
        let type: UInt8 = choices.pick([22, 20, 21, 23, 24, 0])
        let content = choices.stretch()
        return [type, 3, choices.pick([3, 1, 4]), 0, UInt8(content.count)] + content
    }
}
