/// Masks words in what a reader of a guest's events is shown.
extension WordMask {
    /// `event` with the words of captions masked; names of speakers stay.
    public func masked(_ event: GuestEvent) -> GuestEvent {
        switch event {
        case .line(var line):
            line.text = masked(line.text)
            return .line(line)
        case .partial(var partial):
            partial.text = masked(partial.text)
            return .partial(partial)
        case .inLog(let log, let event): return .inLog(log, masked(event))
        default: return event
        }
    }
}
