import BeamscribeCore

extension Failure {
    /// Why a guest does not join, what that may mean, and what to do.
    init(_ refusal: SecurityRefusal) {
        let words = RefusalWords(refusal)
        self.init(.refused, "\(words.finding) \(words.advice)")
    }
}
