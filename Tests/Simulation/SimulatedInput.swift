@testable import Beamscribe

/// What a host reads.
final class SimulatedInput: InputSource {
    private let process: SimulatedProcess
    private let take: (UnsafeRawBufferPointer) -> Int
    private var waiting: [() -> String] = []
    private var rests = false
    var isPaused: Bool {
        get { rests }
        set {
            rests = newValue
            readLater()
        }
    }

    init(_ process: SimulatedProcess, _ take: @escaping (UnsafeRawBufferPointer) -> Int) {
        self.process = process
        self.take = take
    }

    /// - Parameter make: says something, just when the host reads it.
    func bring(_ make: @escaping () -> String) {
        waiting.append(make)
        readLater()
    }

    private func readLater() {
        process.soon { [weak self] in self?.readNext() }
    }

    private func readNext() {
        guard !isPaused, !waiting.isEmpty else { return }
        let bytes = Array(waiting.removeFirst()().utf8)
        let taken = bytes.withUnsafeBytes { take($0) }
        if taken < bytes.count {
            // The rest is offered again, as that of a pipe is.
            let rest = String(decoding: bytes.dropFirst(taken), as: UTF8.self)
            waiting.insert({ rest }, at: 0)
        }
        if !waiting.isEmpty { readLater() }
    }
}
