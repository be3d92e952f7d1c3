import BeamscribeCore

extension VoiceRoom {
    /// Who asks to be let in.
    public struct Applicant {
        /// Its connection.
        public var id: ID
        /// Its name for people.
        public var name: String
        /// Which of all devices it is: of one that was put out nobody is let in.
        public var device = ""
        /// Whether it has proved the crew's code.
        public var isCrew: Bool
        /// Where it comes from: who comes from one origin may not keep others out.
        public var origin = ""
        /// Whether it is the host itself, which may talk where nobody else may, and takes nobody's place.
        public var isHost = false
        /// What its packets are like where nothing is wrong; nil for as those of the others.
        public var usual: TalkShape?
        /// Which of the connection's keys these are.
        public var key: UInt32
        /// Whether its datagrams can come from somewhere: of a connection, from its other end.
        public var mayBeAt: (Address) -> Bool = { _ in true }
        /// Makes what protects its packets by them; called where it was not here before. Nil where that cannot be
        /// had.
        public var protect: () -> (any VoiceProtection)?

        /// Somebody.
        public init(
            id: ID, name: String, isCrew: Bool, key: UInt32,
            protect: @escaping () -> (any VoiceProtection)?
        ) {
            (self.id, self.name, self.isCrew) = (id, name, isCrew)
            (self.key, self.protect) = (key, protect)
        }
    }
}
