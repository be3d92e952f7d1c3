import Foundation
import Glibc

/// A socket that stands for a D-Bus daemon: it takes connections, and gives each the same answers, one
/// to whatever is said next, and then hangs.
final class FakeBus {
    private let listening: Int32

    init(at path: String, answering answers: [String]) {
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        self.listening = listening
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(listening, $0, size) }
        }
        listen(listening, 8)
        Thread.detachNewThread {
            while case let connection = accept(listening, nil, nil), connection >= 0 {
                var question = [UInt8](repeating: 0, count: 256)
                for answer in answers where recv(connection, &question, question.count, 0) > 0 {
                    _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                }
                // Until the other side goes.
                while recv(connection, &question, question.count, 0) > 0 {}
                close(connection)
            }
            // Here and not at the owner's: the number must not be another's while accept(2) has it.
            close(listening)
        }
    }

    deinit {
        // Unlike close(2), this ends an accept(2) that waits.
        shutdown(listening, Int32(SHUT_RDWR))
    }
}
