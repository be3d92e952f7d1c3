@testable import Beamscribe

/// What a host reads.
final class SimulatedInput: InputSource {
    private let process: SimulatedProcess
    private let take: (UnsafeRawBufferPointer) -> Int
    private let ended: () -> Void
    private var waiting: [() -> String] = []
    private var rests = false
    /// Nothing follows what waits.
    private var isEnding = false
    private var isTold = false
    var isPaused: Bool {
        get { rests }
        set {
            rests = newValue
            readLater()
        }
    }

    init(
        _ process: SimulatedProcess, _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping () -> Void
    ) {
        self.process = process
        self.take = take
        self.ended = ended
    }

    /// - Parameter make: says something, just when the host reads it.
    func bring(_ make: @escaping () -> String) {
        guard !isEnding else { return }
        waiting.append(make)
        readLater()
    }

    /// Whoever has written it goes.
    func end() {
        isEnding = true
        readLater()
    }

    private func readLater() {
        process.soon { [weak self] in self?.readNext() }
    }

    private func readNext() {
        guard !isPaused, !waiting.isEmpty else { return tellEnd() }
        let bytes = Array(waiting.removeFirst()().utf8)
        let taken = bytes.withUnsafeBytes { take($0) }
        if taken < bytes.count {
            // The rest is offered again, as that of a pipe is.
            let rest = String(decoding: bytes.dropFirst(taken), as: UTF8.self)
            waiting.insert({ rest }, at: 0)
        }
        if !waiting.isEmpty || isEnding { readLater() }
    }

    private func tellEnd() {
        guard !isPaused, isEnding, !isTold else { return }
        isTold = true
        ended()
    }
}
