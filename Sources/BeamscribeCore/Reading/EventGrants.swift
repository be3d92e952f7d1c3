import FoundationEssentials

/// Who may write in an event, by its founder's word: what he has signed, and where this is the founder's
/// machine, for whom he would.
///
///     not let in ---- grant ----> let in ---- grant with an end ----> put out
///                                   ^------------ grant --------------'
///
/// Invariant: each grant is of this event, by its founder's signature, and the one with the highest number
/// of its log; where this is the founder's machine, each of a writer who is put out has an end.
struct EventGrants {
    private struct Grant {
        let packet: LogGrant
        let payload: [UInt8]
    }

    private let crypto: any LogCrypto
    /// Lets writers in; nil where this is not the founder.
    private let signer: (any LogSigner)?
    private var event: Shelf.Event?
    private var admission: WriterAdmission
    /// Who is not let in, whatever lets in others.
    private var refused: [FingerprintPin]
    /// By the logs' ids.
    private var grants: [String: Grant] = [:]
    /// The ends of logs by the founder's heads, by the logs' ids. Their grants may not be here.
    private var ends: [String: LogHead.PutOutLog] = [:]
    /// The logs that the founder has given an end, in that order.
    private var ended: [String] = []

    /// What a reader knows of them.
    init(proving crypto: any LogCrypto) {
        (self.crypto, signer, admission, refused) = (crypto, nil, .nobody, [])
    }

    /// The founder's own.
    init(
        of event: Shelf.Event, by signer: any LogSigner, proving crypto: any LogCrypto,
        admitting admission: WriterAdmission, refusing refused: [FingerprintPin]
    ) {
        (self.event, self.signer, self.crypto) = (event, signer, crypto)
        (self.admission, self.refused) = (admission, refused)
    }

    /// Whether this is the founder's machine.
    var isFounders: Bool { signer != nil }

    /// It is known which event this is. What was said of another is let go.
    mutating func open(_ event: Shelf.Event) { (self.event, grants, ends) = (event, [:], [:]) }

    // MARK: What there is

    /// Whether a log is let in, or would be by the founder.
    func mayBeLetIn(_ title: LogTitle) -> Bool {
        wasLetIn(title)
            ?? (isFounders && !isRefused(title.writer) && admission.admits(title.writer))
    }

    /// Whether a log is let in, which the founder signs where he would.
    mutating func isLetIn(_ title: LogTitle) -> Bool {
        if let wasLetIn = wasLetIn(title) { return wasLetIn }
        guard !isRefused(title.writer), admission.admits(title.writer) else { return false }
        return sign(title.session, of: title.writer.hex)
    }

    /// Whether the founder has let a log in, if only up to a line; nil while he has said nothing of it.
    func wasLetIn(_ title: LogTitle) -> Bool? {
        if title.writer == event?.founder.writer { return true }
        return grants[title.session].map { $0.packet.key == title.writer.hex }
            ?? (event?.isOpen == true ? true : nil)
    }

    /// Whether he is let in by his own key, and not with everybody.
    private func isNamed(_ writer: Fingerprint) -> Bool {
        if case .keys(let pins) = admission { pins.contains { $0.matches(writer) } } else { false }
    }

    private func isRefused(_ writer: Fingerprint) -> Bool {
        refused.contains { $0.matches(writer) }
    }

    /// What lets a log in, as a packet; nil for the founder's own, which need nothing.
    func payload(of session: String) -> [UInt8]? { grants[session]?.payload }

    /// The last line of a log that is of the event; nil for one without an end.
    func end(of session: String) -> Int? {
        let grant = grants[session]?.packet
        if let end = ends[session], end.number > grant?.number ?? .min { return max(end.until, 0) }
        return grant?.until.map { max($0, 0) }
    }

    /// The logs that the founder has given an end, the newest last, for his heads.
    var putOut: [LogHead.PutOutLog] {
        ended.suffix(Limits.putOutInHead).compactMap { session in
            guard let grant = grants[session]?.packet, let until = grant.until else { return nil }
            return LogHead.PutOutLog(session: session, number: grant.number, until: until)
        }
    }

    /// Whose turn the captions are where two writers could take it.
    func rank(of title: LogTitle) -> Int {
        title.writer == event?.founder.writer ? 0 : max(grants[title.session]?.packet.rank ?? 1, 0)
    }

    /// Whether there is a place for one more grant. Logs that have an end take none of others, as
    /// far as memory goes.
    private var hasRoom: Bool {
        grants.count < 3 * Limits.logs
            && grants.values.count { $0.packet.until == nil } < Limits.logs
    }

    // MARK: What comes

    /// The founder says that a log is let in, or no more.
    ///
    /// - Returns: whether that is news.
    /// - Throws: where he has not signed it.
    mutating func take(
        _ grant: LogGrant, as payload: UnsafeRawBufferPointer
    ) throws(GuestViolation) -> Bool {
        guard payload.count <= Limits.logRecord else { throw .record("said too much of a grant") }
        // Where everybody may write nobody lets anybody in, or puts anybody out.
        guard let event, !event.isOpen, !isFounders, grant.event == event.id.wireName else {
            return false
        }
        guard isSigned(grant, as: payload, in: event) else {
            throw .record("let in a log, and the event's founder has not signed that")
        }
        let known = grants[grant.session]
        guard known != nil || hasRoom, grant.number > known?.packet.number ?? .min
        else { return false }
        grants[grant.session] = Grant(packet: grant, payload: Array(payload))
        return true
    }

    /// The founder's head names logs that have an end.
    ///
    /// - Returns: the logs that end in another place by that.
    mutating func take(_ putOut: [LogHead.PutOutLog]) -> [String] {
        guard let event, !event.isOpen, !isFounders else { return [] }
        return putOut.suffix(Limits.putOutInHead).filter { new in
            let known = ends[new.session]
            guard new.number > known?.number ?? .min, known != nil || ends.count < 3 * Limits.logs
            else { return false }
            let old = end(of: new.session)
            ends[new.session] = new
            return end(of: new.session) != old
        }.map(\.session)
    }

    /// A grant that was kept with its log. Where its founder has put the writer out by now, or let him in
    /// again, there is another.
    ///
    /// - Parameter seq: the log's newest line.
    mutating func takeUp(_ payload: [UInt8], of session: String, through seq: Int) {
        guard let event else { return }
        payload.withUnsafeBytes { bytes in
            guard case .grant(let grant)? = try? PacketDecoder().packet(bytes),
                grant.session == session, isSigned(grant, as: bytes, in: event)
            else { return }
            grants[session] = Grant(packet: grant, payload: payload)
        }
        guard let grant = grants[session]?.packet, let writer = Fingerprint(hex: grant.key) else {
            return
        }
        if isRefused(writer), grant.until == nil {
            _ = sign(session, of: grant.key, until: seq)
        } else if isNamed(writer), grant.until != nil {
            _ = sign(session, of: grant.key)
        }
        if isFounders { noteEnd(of: session) }
    }

    /// The founder's newest grant of a log is another one.
    private mutating func noteEnd(of session: String) {
        let hasEnd = grants[session]?.packet.until != nil
        guard ended.contains(session) != hasEnd else { return }
        if hasEnd { ended.append(session) } else { ended.removeAll { $0 == session } }
    }

    private func isSigned(
        _ grant: LogGrant, as payload: UnsafeRawBufferPointer, in event: Shelf.Event
    ) -> Bool {
        let signed = SignedPayload(payload)
        guard grant.event == event.id.wireName, let signature = signed.signature else {
            return false
        }
        return event.founder.accepts(
            signature, of: LogStatement.grant(crypto.hash(signed.body), to: event.id))
    }

    // MARK: What the founder's operator does

    /// Lets writers in, with all logs of theirs, those who were put out, too, where he names them.
    ///
    /// - Returns: the logs that had an end and go on.
    mutating func admit(_ admission: WriterAdmission) -> [String] {
        self.admission = self.admission.union(admission)
        guard case .keys(let named) = admission else { return [] }
        refused.removeAll { pin in named.contains { $0.isSame(as: pin) } }
        return grants.values.map(\.packet)
            .filter { grant in
                grant.until != nil
                    && Fingerprint(hex: grant.key).map { admission.admits($0) } == true
            }
            .filter { sign($0.session, of: $0.key) }.map(\.session).sorted()
    }

    /// Lets nothing more in of a writer: what he has said stays.
    ///
    /// - Parameter newest: the newest line of a log.
    /// - Returns: the logs that end by that.
    mutating func putOut(_ writer: Fingerprint, after newest: (String) -> Int) -> [String] {
        guard isFounders, writer != event?.founder.writer,
            let pin = FingerprintPin(writer.hex)
        else { return [] }
        refused.append(pin)
        return grants.values.map(\.packet)
            .filter { $0.key == writer.hex && $0.until == nil }
            .filter { sign($0.session, of: $0.key, until: newest($0.session)) }
            .map(\.session).sorted()
    }

    /// Signs the next grant of a log.
    private mutating func sign(_ session: String, of key: String, until seq: Int? = nil) -> Bool {
        guard let event, let signer else { return false }
        let known = grants[session]?.packet
        guard known != nil || hasRoom else { return false }
        let number = min(max(known?.number ?? 0, 0), Limits.lineNumber) + 1
        let packet = LogGrant(
            event: event.id, session: session, key: key, number: number, until: seq)
        guard let frame = try? FrameEncoder().frame(.grant(packet)) else { return false }
        let payload = frame[FrameDecoder.prefixLength...]
        let signature = payload.withUnsafeBytes {
            signer.sign(LogStatement.grant(crypto.hash(SignedPayload($0).body), to: event.id))
        }
        guard let signature else { return false }
        grants[session] = Grant(
            packet: packet, payload: SignedPayload.signed(payload, by: signature))
        noteEnd(of: session)
        return true
    }
}
