import BeamscribeIO
import BeamscribeTLS
import Testing

@testable import Beamscribe

@Suite struct SecureSocketTests {
    /// A kernel that takes so many bytes.
    private final class NarrowStream: ByteStream {
        var room = 0
        private(set) var sent = 0
        private(set) var ends = 0
        var interest: Interest = []

        func send(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Transfer {
            #expect(ends == 0, "something is sent behind the end")
            let count = min(room, bytes.count)
            room -= count
            sent += count
            return count == 0 ? .wouldBlock : .bytes(count)
        }

        func receive(
            into buffer: UnsafeMutableRawBufferPointer
        ) throws(SystemError) -> Transfer { .wouldBlock }

        func finishSending() { ends += 1 }
        func connectionError(to destination: Destination) -> SystemError? { nil }
        func watch(for interest: Interest, _ handler: @escaping (Interest) -> Void) {}
        func ignore() {}
    }

    @Test func end_isSaidOnce_andBehindWhatTheKernelHadNoRoomFor() throws {
        let stream = NarrowStream()
        // A guest's connection has its first record to say at once.
        let socket = SecureSocket(stream, try TLSConnection(.guest()))
        stream.room = 10
        socket.finishSending()
        #expect(stream.sent == 10 && stream.ends == 0 && socket.hasOutput)
        stream.room = 1 << 20
        #expect(try socket.flush())
        #expect(stream.sent > 10 && stream.ends == 1)
        socket.finishSending()
        #expect(try socket.flush())
        #expect(stream.ends == 1)
    }

    @Test func end_isSaidAtOnce_withoutEncryption() {
        let stream = NarrowStream()
        SecureSocket(stream, nil).finishSending()
        #expect(stream.ends == 1)
    }
}
