/// What those who let a guest in offer it of voices, one connection after the other. Voices begin with the event's host
/// alone, and not before the reader has been told whose event that is: whoever answers may be anybody until then.
///
/// Invariant: they have begun only while what was offered last came from the host.
struct OfferedVoices {
    private let areWanted: Bool
    private var offer: VoiceOffer?
    /// Whether voices may be said and heard on the connection that there is.
    private(set) var haveBegun = false
    private var hasMetHost = false

    init(areWanted: Bool) { self.areWanted = areWanted }

    /// Whoever is there now has let the guest in, and offers this.
    mutating func take(_ offer: VoiceOffer?) { (self.offer, haveBegun) = (offer, false) }

    /// The reader has been told whose event it is.
    ///
    /// - Parameter isHost: whether its host is there, and not somebody who holds it.
    /// - Returns: what there is to begin with. That there is nothing is not said where the host was there before: it may
    ///   come back.
    mutating func begin(isHost: Bool) -> [GuestSession.Action] {
        guard areWanted else { return [] }
        guard isHost else { return hasMetHost ? [] : [.voices(nil)] }
        (haveBegun, hasMetHost) = (offer != nil, true)
        return [.voices(offer)]
    }
}
