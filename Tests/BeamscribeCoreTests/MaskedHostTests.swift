import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// What a host that masks words puts into its log, and so onto the wire.
@Suite struct MaskedHostTests {
    private func host(masking list: String?) throws -> VirtualHost {
        VirtualHost(
            masking: try list.map { try WordMask(list: $0) },
            now: Moment(uptime: .zero, wall: 1_000))
    }

    /// The frames that a new guest is sent.
    private func chunks(_ host: VirtualHost) -> [LiveChunk] {
        var chunks: [LiveChunk] = []
        host.log.forEachFinal(from: 1) { _, chunk in chunks.append(chunk) }
        return chunks
    }

    @Test func finals_areMasked_andKeepWhatWasSaid() throws {
        let host = try host(masking: "darn")
        let now = Moment(uptime: .zero, wall: 1_000)
        host.publisher.publish(final: Caption(text: "oh darn"), now: now)
        host.publisher.publish(final: Caption(text: "all is well"), now: now)
        host.publisher.publish(correction: Caption(text: "darn it", line: "x"), now: now)
        let chunks = chunks(host)
        #expect(chunks.map(\.text) == ["oh d***", "all is well", "d*** it"])
        #expect(chunks.map(\.original) == ["oh darn", nil, "darn it"])
    }

    @Test func nothing_isMasked_withoutAList() throws {
        let host = try host(masking: nil)
        host.publisher.publish(
            final: Caption(text: "oh shit"), now: Moment(uptime: .zero, wall: 1_000))
        #expect(chunks(host).map(\.original) == [nil])
        #expect(chunks(host).map(\.text) == ["oh shit"])
    }

    /// The largest frame that can come of it is one that a session's log can hold.
    @Test func largestFrame_fitsIntoALog() throws {
        let text = String(repeating: "\u{1}", count: Limits.lineBytes)
        let label = String(repeating: "\u{1}", count: Limits.labelBytes)
        var chunk = LiveChunk(
            final: Limits.lineNumber, line: label, text: text, sentTimestamp: 1.0 / 3)
        (chunk.speaker, chunk.lang, chunk.original) = (label, label, text)
        (chunk.start, chunk.end, chunk.replaces) = (1.0 / 3, 2.0 / 3, Limits.lineNumber)
        let frame = try FrameEncoder().frame(.liveChunk(chunk))
        #expect(frame.count - 4 <= 54_000 && frame.count - 4 <= Limits.journalFramePayload)
    }
}
