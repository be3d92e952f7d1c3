import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import Logging

/// Tells the operator what a host does.
struct HostReporter: Reporter {
    /// What is known of the host from the start.
    struct Facts {
        let logger: Logger
        let event: String
        /// What the operator can go on with later, or end; nil where nothing is kept.
        let session: String?
        /// The input is a pipe, whose other end may hold text back.
        let readsPipe: Bool
        let readsKeyboard: Bool
        /// What the captions are called in somebody else's event; nil for an event of one's own.
        var label: String?
        /// A command gives the input, which the host runs.
        let runs: Bool
        /// What is to be said of it, where it was found.
        let choice: [String]
        /// What the operator's keys do; nil where they are not read.
        let console: ConsoleKind?
        /// The event ends with its input.
        let endsWithInput: Bool
        /// How long the transcript is there.
        let fate: String
        /// The host listens at all addresses of the machine.
        let isEverywhere: Bool
        /// Captions are to go over Bluetooth, too.
        let wantsBluetooth: Bool
        /// What is said becomes captions, too.
        var listens = false
        /// The server that keeps the event, for people; nil for none.
        var backbone: String?
    }

    /// The input ended with an error.
    private(set) var inputFailure: SystemError?

    /// Why the command that was to give the input cannot.
    private(set) var runFailure: String?

    /// Why the transcript is not being saved, as things are.
    private(set) var storageFailure: String?

    /// How much of it that leaves out, once the host is done.
    var unsaved: String {
        "\(plural(unsavedLines, "line")) at its end \(unsavedLines == 1 ? "is" : "are") not kept."
    }
    private var unsavedLines = 0

    private let facts: Facts
    private var wasAnnounced = false
    private var announcementTrouble: String?
    private var beacon: BeaconReporter
    private var translation: TranslationReporter
    private let voiceCaptions: VoiceCaptionReporter
    private var backbone: BackboneReporter
    /// Tells how guests know the host.
    private let security: SecurityReporter
    /// Tells how phones get there; nil where there is no page.
    private var page: PageReporter?
    /// The newest line of earlier runs.
    private var linesBefore = 0
    private var wasTrimmed = false
    private var cannotAccept = false
    private var budget = NewsBudget()
    /// For requests to write: few of one source, so that many others have some.
    private var requests = NewsBudget(perSource: 4, inAll: 120)
    private var logs = LogWords(forWriter: true)

    var logger: Logger { facts.logger }

    init(_ facts: Facts, _ security: SecurityReporter, _ page: PageReporter?) {
        (self.facts, self.security, self.page) = (facts, security, page)
        beacon = BeaconReporter(logger: facts.logger, isWanted: facts.wantsBluetooth)
        translation = TranslationReporter(logger: facts.logger)
        voiceCaptions = VoiceCaptionReporter(logger: facts.logger)
        backbone = BackboneReporter(facts.backbone ?? "", logger: facts.logger)
    }

    mutating func report(_ news: HostNews, now: Duration = Clock.uptime) {
        let isEnd = if case .finished = news { true } else { false }
        let heldBack = [
            budget.summary(now: now, isEnd: isEnd), requests.summary(now: now, isEnd: isEnd),
        ].compactMap(\.self)
        if !heldBack.isEmpty { tellHeldBack(heldBack.reduce(0, +)) }
        switch news {
        case .listening(let endpoints): tellListening(endpoints)
        case .addressesChanged(let endpoints):
            say("This machine's addresses have changed. Guests can join with:", "addresses")
            tellCommands(endpoints)
            tellOfLoneliness(endpoints)
            page?.tell()
        case .announced(let name): tellAnnounced(name)
        case .announcementFailed(let reason): warnNotAnnounced(reason)
        case .beacon, .beaconFailed, .channelsFailed: beacon.report(news)
        case .guests(let event, let counts):
            if isTold(event, now: now) { report(event, counts) }
            if case .guestConnected = event { cannotAccept = false }
        case .inputFormat(let format): tell(format)
        case .inputWarning(let text): warn(text, "input_warning")
        case .inputSilent(let time): hintAtBuffering(time)
        case .inputQuiet(let time): warnOfSilence(time)
        case .inputStalled(let time): warnOfStall(time)
        case .inputResumed: say("Captions come in again.", "input_resumed")
        case .inputEnded(let lines): tellInputEnded(lines)
        case .recogniser(let news): report(news)
        case .translation(let language, let news): translation.report(news, into: language)
        case .inputFailed(let error):
            inputFailure = error
            warn(
                "\(error); guests keep what they have. Stop with Ctrl-C, mend that, and go on with "
                    + "\(wayToGoOn).",
                "input_failed")
        case .acceptFailed(let error): warnOfAccepting(error)
        case .lingering(let time):
            say(
                "The event has ended. This host stays for \(Int(saturating: time.seconds)) s for late "
                    + "readers; Ctrl-C stops it now.", "lingering")
        case .waitingForGuests(let count):
            say(
                "Waiting for \(plural(count, "guest")) to take the rest; Ctrl-C stops now.",
                "waiting")
        case .storing(let session):
            detail("The transcript is kept as session \(session.wireName).", "storing")
        case .othersUnsaved(let why): tellOfOthers(why)
        case .otherNotKept(let log, let why): warn(why.sentence(of: log), "other_not_kept")
        case .typed(let outcome):
            if let words = TypedWords.sentence(outcome, toTake: "t") { warn(words, "typed") }
        case .otherDamaged(let log, let damage):
            warn(HolderReporter.sentence(damage, of: log), "other_log_damaged")
        case .unsigned(let reason): tell(reason)
        case .backbone(let news): backbone.report(news)
        case .voices(let offer): tell(offer)
        case .floor(let news): tell(news)
        case .voiceCaptions(let channel, let news):
            if budget.admits("voices", now: now) { voiceCaptions.report(news, on: channel) }
        case .resumed, .regained, .logTail, .logGaps, .logEndLost, .logDamaged:
            report(recovery: news)
        case .gate, .marked, .corrected: report(control: news)
        case .air(let news): report(news)
        // A node of a mesh has somebody else to tell of that.
        case .mesh: break
        case .unsaved(let lines): unsavedLines = lines
        case .batteryLow(let percent):
            warn("The battery is at \(percent) % and not charging; guests are told.", "battery_low")
        // Where the command could not begin the event there is nothing to go on with.
        case .finished(0, _) where runFailure != nil: break
        case .finished(let lines, let isOver): tellFinished(lines, isOver: isOver)
        }
    }

    private mutating func isTold(_ event: HostEvent, now: Duration) -> Bool {
        guard let source = event.source else { return true }
        if case .writerAsks = event { return requests.admits(source, now: now) }
        return budget.admits(source, now: now)
    }

    private func tell(_ offer: VoiceOffer) {
        let channels = offer.channels.map(\.name)
        say(
            "Voices: \(WordList.of(channels)), by UDP port \(offer.port); `beamscribe talk` and "
                + "`beamscribe listen` get there.", "voices",
            ["port": "\(offer.port)", "channels": "\(channels.joined(separator: " "))"])
    }

    private func tell(_ news: FloorNews) {
        switch news {
        case .ended(nil): say("The floor's sound has ended; captions go on.", "floor_ended")
        case .ended(let why?):
            warn("The floor is not heard any more: \(why).", "floor_ended")
        case .device(let news): tell(news)
        case .silent:
            warn(
                "Nothing but silence comes from --floor: is that the right input?",
                "floor_silent")
        case .tooLoud:
            warn("What comes from --floor is too loud, and is cut.", "floor_too_loud")
        }
    }

    private func tell(_ news: DeviceNews) {
        switch news {
        case .uses(_, let name, isChange: _):
            say(
                "The floor is heard by \(SafeText.line(name)).", "floor_device",
                ["name": "\(name)"])
        case .missing:
            warn(
                "There is no microphone for the floor any more; it goes on when there is one.",
                "floor_lost")
        case .lost:
            warn(
                "The sound server is gone, and the floor with it; it is tried again.", "floor_lost")
        case .microphone, .refused: break
        }
    }

    /// Who uses `--insecure` has said so; the rest is worth a word.
    private func tell(_ reason: UnsignedReason) {
        let words =
            switch reason {
            case .otherKindOfKey:
                "What is said is not signed: the key is none of P-256. Guests have to be connected to "
                    + "this host to believe it."
            case .allowsPlain: "What is said is not signed, as guests need no encryption."
            case .begunUnsigned:
                "What is said is not signed, as what was said before is not: the session is an older "
                    + "version's, was hosted without signatures, or was continued after damage."
            case .otherKey:
                "What is said is not signed: what was said before is signed by another key than this "
                    + "host's."
            case .damagedLog:
                "What is said is not signed from now on: the session's log has lost lines, or they "
                    + "are not what was signed. Guests read the log as it is here."
            case .noMemory: "What is said is not signed: there is no memory for that."
            }
        switch reason {
        case .allowsPlain: detail(words, "unsigned")
        case .damagedLog: warn(words, "unsigned")
        default: say(words, "unsigned")
        }
    }

    private mutating func report(recovery news: HostNews) {
        switch news {
        case .resumed(let session, let lines):
            linesBefore = lines
            say(
                "Going on in session \(session.wireName) after \(plural(lines, "line")).",
                "session_resumed")
        case .regained(let lines, let holder):
            say(
                "\(plural(lines, "line")) that this machine had lost came back from \(holder), signed "
                    + "by this host.", "lines_regained")
        case .logTail(let bytes, .cutOff(let kept)):
            warn(
                "The end of the session's log was damaged, as by a loss of power: "
                    + "\(plural(Int(clamping: bytes), "byte")) that held no whole line were cut off, and are "
                    + "kept in \(kept).", "log_cut_off")
        case .logTail(let bytes, .stays(let error)):
            warn(
                "The last \(plural(Int(clamping: bytes), "byte")) of the session's log are no whole line, as "
                    + "a loss of power leaves them; they stay, for there could be no copy: "
                    + "\(error).", "log_tail_stays")
        case .logGaps(let gaps):
            warn(
                "The session's log is damaged: \(MissingLines.words(gaps, of: "it")); guests are told.",
                "log_gap")
        case .logEndLost(let lines):
            let (list, verb) = MissingLines.list([lines])
            warn(
                "The end of the session's log is gone: \(list) \(verb) not on this disk, and what is said "
                    + "now gets these numbers. Guests who had more are told. A relay that kept the event "
                    + "may still have what is gone.", "log_end_lost")
        case .logDamaged(let lines):
            let (list, verb) = MissingLines.list(lines)
            warn(
                "The disk has changed the session's log: \(list) \(verb) not as said, and guests may "
                    + "read wrong words there. A relay that kept the event may have the right ones.",
                "log_damaged")
        default: break
        }
    }

    /// What the operator did, for the log.
    private func report(control news: HostNews) {
        switch news {
        case .gate(.open): say("The captions go on.", "resumed")
        case .gate(.paused): say("Paused: what comes in waits. Guests are told.", "paused")
        case .gate(.offRecord):
            say("Off the record: what comes in is thrown away. Guests are told.", "off_record")
        case .marked(let seq):
            say(seq == 0 ? "Marked before the first line." : "Marked after line \(seq).", "mark")
        case .corrected(let line, let seq, let old):
            let words = old.map { "; it was \"\($0)\"" } ?? ""
            say("Line \(line) is corrected by line \(seq)\(words).", "corrected")
        default: break
        }
    }

    /// Whose turn the captions are.
    private func report(_ air: AirNews) {
        switch air {
        case .waits:
            say("Standing by: nothing goes out as long as others caption.", "standing_by")
        case .on(.alone, let last?):
            warn(
                "You caption from now on: nothing is heard of \(AirDesk.name(of: last)) any more.",
                "on_air")
        case .on(.alone, nil):
            say("You caption from now on: nobody else is heard captioning.", "on_air")
        case .on(.handed, let last):
            let who = last.map { AirDesk.name(of: $0) } ?? "another captioner"
            say("You caption from now on: \(who) has handed you the captions.", "on_air")
        case .on(.taken, _): say("You caption from now on.", "on_air")
        case .off(let other):
            warn(
                "From now on \(AirDesk.name(of: other)) captions, and what comes in here is thrown "
                    + "away\(facts.console == nil ? "" : "; \(takeKey) takes the captions back").",
                "off_air")
        case .notTaken:
            warn("The captions were not taken: you caption on.", "not_taken")
        case .withheld(let other):
            warn(
                "Nothing is heard of \(AirDesk.name(of: other)) any more, who had paused or was off the "
                    + "record: you caption only if you take the captions\(takeWords).", "withheld")
        }
    }

    private var takeKey: String { facts.console == .typed ? "Ctrl-Q" : "t" }
    private var takeWords: String {
        facts.console == nil ? ", for which it takes a terminal" : " (\(takeKey))"
    }

    private func tellFinished(_ lines: Int, isOver: Bool) {
        let count = plural(lines, "line")
        if facts.label != nil { return say("Done after \(count).", "finished") }
        if isOver { return say("Done after \(count): the event has ended.", "finished") }
        let isKept = storageFailure == nil || linesBefore > 0 || unsavedLines < lines
        guard let session = facts.session, isKept else {
            return say(
                "Stopped after \(count). Nothing was kept to go on with; guests wait in vain.",
                "finished")
        }
        say("Stopped after \(count); guests wait.", "finished")
        say("To go on: beamscribe host --resume \(session)", "how_to_go_on")
        say("To end it for them as well: beamscribe sessions end \(session)", "how_to_end")
    }

    // MARK: Starting

    private mutating func tellListening(_ endpoints: [Endpoint]) {
        say("Hosting \"\(facts.event)\". Guests join with:", "listening")
        tellCommands(endpoints)
        tellOfLoneliness(endpoints)
        page?.tell()
        security.begin()
        tellBeginning()
    }

    /// What becomes of the transcript, and where captions come from.
    func tellBeginning() {
        say(facts.fate, "transcript")
        if facts.readsKeyboard {
            say("Type a line and press Enter to send it; Ctrl-D ends the input.", "keyboard")
        }
        facts.choice.forEach { say($0, "recogniser") }
        if facts.runs, Terminal.isPipe(.input) {
            warn("Standard input is not read: --run is the input.", "input_unread")
        }
        switch facts.console {
        case .typed: say("Guests see the words as you type. Ctrl-L lists the keys.", "console")
        case .keys: say("Keys: p pauses, o goes off the record, ? lists all.", "console")
        case nil: break
        }
    }

    private func tellCommands(_ endpoints: [Endpoint]) {
        for endpoint in endpoints.prefix(4) {
            say("    beamscribe join --host \(endpoint)", "address")
        }
    }

    /// The one address of a machine without a network is good for the machine itself.
    private func tellOfLoneliness(_ endpoints: [Endpoint]) {
        guard facts.isEverywhere, endpoints.allSatisfy({ $0.address.isLoopback }) else { return }
        warn(
            "This machine has no network: nobody else can join until it has one. The address will be "
                + "told then.", "no_network")
    }

    private mutating func tellAnnounced(_ name: String) {
        announcementTrouble = nil
        let other = name == facts.event ? "" : " as \"\(SafeText.line(name))\""
        let again = wasAnnounced ? " again" : ""
        wasAnnounced = true
        say("Announced\(other)\(again): on this network `beamscribe join` finds it.", "announced")
    }

    private mutating func warnNotAnnounced(_ reason: String) {
        guard announcementTrouble != reason else { return }
        announcementTrouble = reason
        warn(
            "\(reason), so guests cannot find this host by name; they can join by address as above."
                + " (`beamscribe doctor` says what to do, --no-bonjour goes without.)",
            "not_announced")
    }

    // MARK: Guests

    /// Tried again every second, told once until somebody gets in.
    private mutating func warnOfAccepting(_ error: SystemError) {
        if !cannotAccept {
            warn(
                "\(error); nobody can join for now, the guests who are in stay. Close other programs, "
                    + "or allow this one more descriptors (`ulimit -n`).", "accept_failed")
        }
        cannotAccept = true
    }

    private func tellHeldBack(_ count: Int) {
        say(
            "… and \(count) more of guests who came, went or were refused: they come too fast to tell "
                + "of each.", "held_back")
    }

    private mutating func report(_ event: HostEvent, _ counts: GuestCounts) {
        let total = plural(counts.stable + counts.syncing, "guest")
        switch event {
        case .guestConnected(let guest, let after):
            let from = after > 0 ? ", has \(plural(after, "line"))" : ""
            detail("\(guest.name) connected from \(guest.peer)\(from).", "guest_connected")
        case .guestJoined(let guest): say("+ \(guest.name) joined (\(total)).", "guest_joined")
        case .guestLeft(let guest, let why, true):
            say("- \(guest.name) left: \(why) (\(total)).", "guest_left")
        case .guestLeft(let guest, let why, false):
            say(
                "- \(guest.name) came and went: \(why) (\(total); unstable so far: "
                    + "\(counts.unstable)).", "guest_unstable")
        case .guestServes(let guest, _):
            say(
                "\(guest.name) serves the event to others: without this machine it goes on there "
                    + "(\(plural(counts.serving, "such machine"))).", "guest_serves")
        case .pageServed(let guest, let origin, let isAdmitted):
            tell(of: origin, from: guest, isAdmitted: isAdmitted)
        case .doorClosed(let source): security.doorClosed(to: source)
        // He may ask by a relay.
        case .writerAsks(_, let log):
            let work =
                log.translates == nil ? "caption" : "translate into \(log.lang ?? "a language") as"
            say(
                "Key \(log.writer.groups) wants to \(work) \"\(SafeText.quoted(log.label))\" in this "
                    + "event, from \"\(SafeText.quoted(log.deviceName))\". \(wayToAdmit)",
                "writer_asks")
        case .writerLetIn(let log):
            let standing = log.standsInFor == nil ? LogStanding.live : .standby
            if let words = logs.words(for: log, standing) {
                say("\(words) Its key: \(log.writer.groups).", "writer_let_in")
            }
        case .writerFloods(let log):
            warn(
                "\(LogWords.name(of: log)) brings more than \(Limits.linesPerSecond) lines a "
                    + "second: it is read more slowly. \(wayToPutOut(log))",
                "writer_floods")
        case .writerRefused(let log, let why):
            warn(
                "\(LogWords.name(of: log)) cannot be let in: \(why.reason) "
                    + wayToMakeRoom(for: log, why), "writer_refused")
        case .logStands(let log, let standing):
            if let words = logs.words(for: log, standing) { say(words, "log") }
        case .connectionRefused(let peer, let why):
            detail("\(peer) \(why).", "connection_refused")
        case .historyTrimmed(let first):
            if !wasTrimmed {
                warn(
                    "The transcript is over --history; late joiners get it from line \(first) on.",
                    "history_trimmed")
            }
            wasTrimmed = true
        case .storageFailed(let why):
            storageFailure = why
            warn(
                "The transcript is not being saved: \(why). The captions go on from memory, and "
                    + "what is missing is saved as soon as that works: \(StorageAdvice(why).now).",
                "storage_failed")
        case .storageRestored(let through):
            storageFailure = nil
            say("The transcript is saved again, up to line \(through).", "storage_restored")
        case .storageGap(let from, let through):
            warn(
                "Lines \(from) to \(through) went from memory before they could be saved.",
                "storage_gap")
        }
    }

    private func tellOfOthers(_ why: String?) {
        guard let why else {
            return say("What others caption is saved here again.", "others_saved")
        }
        warn(
            "What others caption is not being saved here: \(why). It goes on from memory, and what is "
                + "missing is saved as soon as that works: \(StorageAdvice(why).now).",
            "others_unsaved")
    }

    /// A browser believes the page that it reads: phones go nowhere that the operator has not named.
    private func tell(of origin: String, from guest: GuestDescription, isAdmitted: Bool) {
        guard page != nil else {
            return detail("\(guest.name) serves the event to phones, too: \(origin)", "page_relay")
        }
        let key = facts.console == nil ? "" : "the console's key v, or "
        let address = guest.peer.lastIndex(of: ":").map {
            guest.peer[..<$0].filter { $0 != "[" && $0 != "]" }
        }
        say(
            isAdmitted
                ? "Phones read on at \(origin) of \(guest.name) when this host is gone."
                : "\(guest.name) serves the event to phones, too: \(origin). If that is yours, "
                    + "\(key)--web-relay \(address ?? guest.peer) sends phones there when this host is gone.",
            "page_relay", ["url": "\(origin)"])
    }

    // MARK: Input

    private func tell(_ format: InputFormat) {
        // Whoever types knows what it is.
        guard !facts.readsKeyboard || format != .text else { return }
        say(
            "Input: \(format.title). If that is wrong, name the right one with --input-format.",
            "input_format")
    }

    private func warnOfSilence(_ time: Duration) {
        warn(
            "Nothing has come in for \(Int(saturating: time.seconds)) s: nobody speaks, or the recogniser "
                + "hangs. If it hangs, \(nextIfItHangs).", "input_quiet")
    }

    private func warnOfStall(_ time: Duration) {
        warn(
            "Nothing has come in for \(Int(saturating: time.seconds)) s, and guests are told that something "
                + "may be wrong here. If the recogniser hangs, \(nextIfItHangs).", "input_stalled")
    }

    private var nextIfItHangs: String {
        facts.runs ? "kill it: it is started again" : "start it again with \(wayToGoOn)"
    }

    private var wayToGoOn: String { facts.label == nil ? "--resume last" : "the same command" }

    private mutating func report(_ recogniser: RecogniserNews) {
        switch recogniser {
        case .ended(let outcome, let words, let pause):
            warn(
                "The recogniser \(outcome.words); it is started again in \(Int(saturating: pause.seconds)) s, and "
                    + "guests are told.\(words.isEmpty ? "" : " Its last words:")",
                "recogniser_ended")
            words.forEach { say("    \($0)", "recogniser_words") }
        case .gaveUp(_, let words):
            let why = words.last.map { ": \($0)" } ?? ""
            runFailure = "the command of --run cannot be run\(why)"
        }
    }

    private func hintAtBuffering(_ time: Duration) {
        guard facts.readsPipe, !facts.listens else { return }
        warn(
            "No input for \(Int(saturating: time.seconds)) s. If the recogniser has said something, it may be "
                + "holding it back until a block is full: try `stdbuf -oL recogniser | ...`, or "
                + "PYTHONUNBUFFERED=1 for Python.", "input_silent")
    }

    private func tellInputEnded(_ lines: Int) {
        if facts.listens, !facts.endsWithInput {
            return say(
                "The input has ended after \(plural(lines, "line")). What is said becomes captions as "
                    + "before; Ctrl-C stops the host.", "input_ended")
        }
        if facts.readsPipe, lines == linesBefore, !facts.endsWithInput {
            return warn(
                "The recogniser ended without a word. Run it alone, without 2>/dev/null, to see why. "
                    + "Guests wait; stop with Ctrl-C, and go on with \(wayToGoOn).", "input_ended")
        }
        let next =
            switch (isOwn: facts.label == nil, facts.endsWithInput) {
            case (true, true): "The event ends once every guest has them."
            case (true, false): "Guests can read on. Ctrl-C stops the host; \(wayToEnd)."
            case (false, true): "The event goes on without them."
            case (false, false): "The event goes on. Ctrl-C leaves it."
            }
        say("The input has ended after \(plural(lines, "line")). \(next)", "input_ended")
    }

    private var wayToAdmit: String {
        switch facts.console {
        case .keys: "l lets that in."
        case .typed: "Ctrl-B lets that in."
        case nil: "`--admit` lets writers in: by their keys, or all."
        }
    }

    private func wayToPutOut(_ log: LogTitle) -> String {
        switch facts.console {
        case .keys: "l puts its writer out."
        case .typed: "Ctrl-B puts its writer out."
        case nil: "--resume last --revoke \(log.writer.hex.prefix(16)) puts its writer out."
        }
    }

    private func wayToMakeRoom(for log: LogTitle, _ why: WriterRefusal) -> String {
        switch why {
        case .tooManyOfWriter: return wayToPutOut(log)
        case .sameLanguage: return "Its writer has to give another language, or none of --of."
        case .anothersWords: return "Its writer can caption in a log of their own."
        case .noPlace: break
        }
        return switch facts.console {
        case .keys: "Put a writer out with l, and it is let in."
        case .typed: "Put a writer out with Ctrl-B, and it is let in."
        case nil: "Put a writer out with --resume last --revoke KEY, and it is let in."
        }
    }

    private var wayToEnd: String {
        switch facts.console {
        case .keys: "e ends the event"
        case .typed: "Ctrl-X ends the event"
        case nil: "`beamscribe sessions end` then ends the event"
        }
    }
}

extension WriterRefusal {
    /// The reason, as a sentence.
    var reason: String {
        switch self {
        case .noPlace: "the event has \(Limits.logs) logs, as many as it can have."
        case .tooManyOfWriter:
            "its key has \(Limits.logsOfWriter) logs in this event, as many as one key may have."
        case .sameLanguage:
            "it is a translation into the language of what it translates, and would hide that."
        case .anothersWords:
            "it translates what another has said, and everybody may write in this event."
        }
    }
}

extension HostEvent {
    /// Who makes this be told; nil for what nobody from outside can make happen often.
    var source: String? {
        switch self {
        case .guestConnected(let guest, _), .guestJoined(let guest), .guestLeft(let guest, _, _),
            .guestServes(let guest, _), .writerAsks(let guest, _):
            Self.source(of: guest.peer)
        case .pageServed(let guest, _, _): Self.source(of: guest.peer)
        case .connectionRefused(let peer, _): Self.source(of: peer)
        case .doorClosed(let source): source
        case .historyTrimmed, .storageFailed, .storageRestored, .storageGap, .writerLetIn,
            .writerFloods, .writerRefused, .logStands:
            nil
        }
    }

    /// An address without its port, or the network of an IPv6 one.
    private static func source(of peer: String) -> String {
        guard let colon = peer.lastIndex(of: ":") else { return peer }
        let address = peer[..<colon].filter { $0 != "[" && $0 != "]" }
        return IPAddress(address)?.rateSource ?? address
    }
}
