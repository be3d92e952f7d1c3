/// What those who let a guest in offer it of voices, one connection after the other. Voices begin with the event's host
/// alone, and not before the reader has been told whose event that is: whoever answers may be anybody until then.
///
/// Invariant: they have begun only while what was offered last came from the host.
struct OfferedVoices {
    private let areWanted: Bool
    private var offer: VoiceOffer?
    /// Whether voices may be said and heard on the connection that there is.
    private(set) var haveBegun = false

    init(areWanted: Bool) { self.areWanted = areWanted }

    /// Whoever is there now has let the guest in, and offers this.
    mutating func take(_ offer: VoiceOffer?) { (self.offer, haveBegun) = (offer, false) }

    /// The reader has been told whose event it is.
    ///
    /// - Parameter isHost: whether its host is there, and not somebody who holds it.
    /// - Returns: what there is to begin with, none being a part of it.
    mutating func begin(isHost: Bool) -> [GuestSession.Action] {
        guard areWanted else { return [] }
        if !isHost { offer = nil }
        haveBegun = offer != nil
        return [.voices(offer)]
    }
}
