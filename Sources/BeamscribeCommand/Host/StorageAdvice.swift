/// What to do about a disk that takes nothing, by what the system says of it.
struct StorageAdvice {
    private let isFull: Bool

    /// - Parameter why: the trouble in the system's words, which are those of strerror(3) in English.
    init(_ why: String) {
        isFull = ["No space left", "quota exceeded", "File too large"].contains { why.contains($0) }
    }

    /// While the event is on.
    var now: String {
        isFull ? "make room on the disk" : "`beamscribe doctor` says what is wrong with the folder"
    }

    /// For the next one.
    var next: String { isFull ? "make room" : "mend that (`beamscribe doctor`)" }
}
