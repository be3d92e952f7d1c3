import CZlib
import Testing

@testable import BeamscribeWeb

@Suite struct GzipTests {
    /// What a browser makes of it; nil where it is no gzip, or is damaged.
    private func expanded(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard
            inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var (input, output) = (bytes, [UInt8](repeating: 0, count: 2_000_000))
        let (length, room) = (UInt32(input.count), UInt32(output.count))
        return input.withUnsafeMutableBufferPointer { source in
            let written = output.withUnsafeMutableBufferPointer { target -> Int? in
                (stream.next_in, stream.avail_in) = (source.baseAddress, length)
                (stream.next_out, stream.avail_out) = (target.baseAddress, room)
                let isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
                return isWhole ? Int(stream.total_out) : nil
            }
            return written.map { Array(output[..<$0]) }
        }
    }

    @Test(arguments: [200, 65_536, 1_000_000])
    func compressed_isTheSame_andSmaller(size: Int) throws {
        let words = Array("the bus line to the station, ".utf8)
        let bytes = (0..<size).map { words[($0 + $0 / 1_000) % words.count] }
        let compressed = try #require(Gzip.compressed(bytes))
        #expect(compressed.count * 2 < bytes.count)
        #expect(expanded(compressed) == bytes)
    }

    @Test func compressed_isNone_whereItWouldBeLarger() {
        #expect(Gzip.compressed([]) == nil)
        #expect(Gzip.compressed(Array("short".utf8)) == nil)
        var random = SystemRandomNumberGenerator()
        #expect(
            Gzip.compressed((0..<10_000).map { _ in .random(in: 0...255, using: &random) }) == nil)
    }
}
