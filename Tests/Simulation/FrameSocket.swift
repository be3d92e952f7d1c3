import BeamscribeIO
import BeamscribeTLS

@testable import Beamscribe
@testable import BeamscribeCore

/// One end of an encrypted connection of somebody who is no program of ours: says and hears frames.
///
/// Invariant: once `isOpen` is false nothing is said and nobody is told anything.
final class FrameSocket {
    /// Told once the connection stands.
    var opened: () -> Void = {}
    /// Told of each payload, and of the connection's end.
    var heard: ([UInt8]) -> Void = { _ in }
    var ended: () -> Void = {}
    private(set) var isOpen = true

    private let socket: SecureSocket
    /// Says whether the connection could be made; nil where it came in.
    private let dialled: (stream: any ByteStream, to: Destination)?
    private var decoder = FrameDecoder()
    private var unsent: [UInt8] = []
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// - Parameter destination: where it leads, if it is being made.
    init(_ stream: any ByteStream, _ tls: TLSConnection, to destination: Destination? = nil) {
        socket = SecureSocket(stream, tls)
        dialled = destination.map { (stream, $0) }
    }

    deinit {
        scratch.deallocate()
    }

    func begin() {
        // Whoever dials speaks first.
        try? socket.watch(for: [.read, .write]) { [weak self] in self?.ready($0) }
    }

    /// Keys that only the two ends of the connection have, for a node's key and an event's code.
    var exportedKey: [UInt8]? { try? socket.exportedKey(.peer) }
    var exportedCodeKey: [UInt8]? { try? socket.exportedKey() }

    /// Whether the way has taken all that was said.
    var hasSentAll: Bool { unsent.isEmpty && !socket.hasOutput }

    func say(_ payload: [UInt8]) { say(raw: FrameEncoder.frame(payload)) }

    /// Says bytes that need not be a frame.
    func say(raw bytes: some Sequence<UInt8>) {
        guard isOpen else { return }
        unsent += bytes
        flush()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        (opened, heard, ended) = ({}, { _ in }, {})
        socket.ignore()
        socket.finishSending()
    }

    private func ready(_ readiness: Interest) {
        if let dialled, dialled.stream.connectionError(to: dialled.to) != nil {
            return end(after: [])
        }
        if readiness.contains(.read) { hear() }
        if isOpen { flush() }
        if isOpen, socket.isEstablished {
            let tell = opened
            opened = {}
            tell()
        }
    }

    private func hear() {
        var payloads: [[UInt8]] = []
        do {
            let received = try socket.receive(into: scratch) { bytes in
                (try? decoder.decode(bytes) {
                    payloads.append(Array($0))
                    return true
                }) != nil
            }
            if received == .end { return end(after: payloads) }
        } catch {
            return end(after: payloads)
        }
        for payload in payloads where isOpen { heard(payload) }
    }

    private func end(after payloads: [[UInt8]]) {
        for payload in payloads where isOpen { heard(payload) }
        let tell = ended
        close()
        tell()
    }

    private func flush() {
        do {
            if socket.isEstablished, !unsent.isEmpty {
                unsent.removeFirst(try unsent.withUnsafeBytes { try socket.send($0) })
            }
            let isSent = try socket.flush()
            socket.interest =
                isSent && (unsent.isEmpty || !socket.isEstablished) ? .read : [.read, .write]
        } catch {
            end(after: [])
        }
    }
}
