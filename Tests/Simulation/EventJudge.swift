import BeamscribeCore

/// What must hold of an event once all is well, or once its host is gone for good and all else is well.
struct EventJudge {
    private let stage: Stage
    private var scenario: Scenario { stage.scenario }
    private var guests: [SimulatedGuest] { stage.guests }

    init(_ stage: Stage) { self.stage = stage }

    // MARK: All is well

    /// What is wrong with what somebody shows, once all must have everything.
    var fault: String? {
        for guest in guests {
            if let fault = fault(of: guest) { return "\(guest.name): \(fault)" }
        }
        if let fault = faultOfTurns ?? faultOfTwins ?? faultOfAdmission { return fault }
        for phone in stage.phones {
            if let fault = phone.fault { return "\(phone.name): \(fault)" }
        }
        return nil
    }

    private func fault(of guest: SimulatedGuest) -> String? {
        guard guest.isRunning, let truth = stage.truth else { return nil }
        let mayBeKeptOut = guest.sharesDevice || scenario.maximumGuests < scenario.guests
        if mayBeKeptOut, !guest.isIn { return nil }
        // Who does not know the session has only the address that it was given.
        if stage.wires.hostAddress != EventWires.firstAddress, guest.view.session != truth.session {
            return nil
        }
        // Who has been told of a holder alone stays there, if anybody is, and knows of no other session.
        if guest.firstAddress != EventWires.firstAddress {
            if guest.view.session != truth.session { return nil }
        } else if scenario.holding != nil, !isAtHost(guest) {
            return "it does not read from its host, which is there"
        }
        // What two write can be compared where both have signed it, and the lines between are there.
        if guest.hasMetTwin, truth.signed == nil || guest.view.hasGaps { return nil }
        return guest.view.fault(comparedTo: truth, stage.speech, stage.run?.inputTrouble)
            ?? faultOfOthers(at: guest)
    }

    /// What is written beside the host gets to all who are there, as long as its writer is, too.
    private func faultOfOthers(at guest: SimulatedGuest) -> String? {
        guard stage.truth?.signed != nil, leadsToHost(guest), !hasTwins else { return nil }
        for writer in writing where writer !== guest && leadsToHost(writer) {
            guard let log = log(of: writer), !scenario.putsWritersOut || isLetIn(log),
                // The host may have forgotten what others have heard.
                !(log.wasPutOut && stage.hasLostPower)
            else { continue }
            let end = scenario.putsWritersOut ? stage.run?.ends[log.session] : nil
            let fault = guest.others.fault(comparedTo: log, through: end)
            if let fault { return "\(fault), written by \(writer.name)" }
        }
        return nil
    }

    /// Whether the host knows the log. It may have forgotten logs with its disk.
    private func isLetIn(_ log: WrittenLog) -> Bool {
        stage.run?.writers.contains { $0.title.session == log.session } ?? false
    }

    /// A writer stays put out until the operator lets them in again, and the host's heads say so.
    private var faultOfAdmission: String? {
        guard let run = stage.run, !run.isFinishing, stage.truth?.signed != nil else { return nil }
        for (title, isPutOut) in run.writers {
            if let due = run.putOut[title.writer], due != isPutOut {
                return "host: it \(isPutOut ? "does not let" : "lets") \(title.label) in again"
            }
            if isPutOut != (run.ends[title.session] != nil) {
                return "host: it does not say that \(title.label) was put out, or says so falsely"
            }
        }
        return nil
    }

    /// Of those who stand in for one another, and hear each other, one writes.
    private var faultOfTurns: String? {
        let captioners = writing.filter(\.isRunning)
        guard scenario.standsBy, !captioners.isEmpty, let run = stage.run, !run.isFinishing,
            stage.truth?.signed != nil,
            captioners.allSatisfy({ leadsToHost($0) && log(of: $0) != nil })
        else { return nil }
        let onAir = captioners.count { $0.writer?.isOnAir == true } + (run.isOnAir ? 1 : 0)
        return onAir == 1 ? nil : "\(onAir) captioners are on air"
    }

    /// Whether two write one log.
    private var hasTwins: Bool {
        let sessions = writing.flatMap { $0.writer?.logs ?? [] }.map(\.session)
        return Set(sessions).count < sessions.count
    }

    /// Who is brought one log by two says so.
    private var faultOfTwins: String? {
        let logs = writing.filter(isAtHost).compactMap { log(of: $0) }.filter { $0.lastSeq > 0 }
        guard hasTwins, let run = stage.run, !run.isFinishing, stage.truth?.signed != nil,
            logs.count == 2, let log = logs.first, log.session == logs[1].session
        else { return nil }
        return run.forks.contains(log.session) ? nil : "host: it does not tell that two write a log"
    }

    // MARK: The host is gone for good

    /// What is wrong where whoever is left must have had the time to get from others what these have.
    var faultWithoutHost: String? { faultOfMainLogWithoutHost ?? faultOfOthersWithoutHost }

    private var faultOfMainLogWithoutHost: String? {
        // Who has not a line can prove nothing of an event that has some.
        let holders = guests.filter {
            $0.isHolder && $0.isRunning && $0.serves && $0.position > 0
        }
        guard let session = stage.truth?.session,
            let newest = holders.filter({ $0.view.session == session }).max(by: {
                $0.position < $1.position
            })
        else { return nil }
        let readers = guests.filter { $0.isRunning && $0.view.session == session }
        // Of a run that is over its host may have lost lines that others have. Who read from one another
        // alone have one connection each, and learn of nobody else, nor does who is with a liar who knows of
        // no more.
        for reader in readers
        where reader.view.run <= newest.view.run && !reader.view.reaches(newest.position)
            && !readsInCircle(reader)
            && !hearsLiar(reader)
        {
            return "\(reader.name): it has line \(reader.position), and \(newest.name) has line "
                + "\(newest.position)"
        }
        // Who has more, or of a later run, than anybody else waits for whoever has as much.
        for reader in readers
        where reader !== newest && !reader.isIn && !reader.comesFromLiar
            && reader.position <= newest.position && reader.view.run <= newest.view.run
        {
            return "\(reader.name): it has line \(reader.position) and reads from nobody, and "
                + "\(newest.name) is there with line \(newest.position)"
        }
        return nil
    }

    /// What is written beside the host gets to all who hold the event or read from one who does, whichever of
    /// them its writer has found.
    private var faultOfOthersWithoutHost: String? {
        guard !guests.contains(where: \.isWithLiar), !hasTwins else { return nil }
        for writer in writing where writer.isRunning && writer.isIn {
            // A holder may not have heard that a writer was put out, or let in again.
            guard let log = log(of: writer), log.wasRead, !log.wasPutOut else { continue }
            for guest in guests
            where guest !== writer && guest.isRunning && guest.view.session == log.event
                && (guest.isIn || guest.isHolder && guest.serves)
                && !circleKeepsApart(writer, guest)
            {
                if let fault = guest.others.fault(comparedTo: log) {
                    return "\(guest.name): \(fault), and \(writer.name) has brought them"
                }
            }
        }
        return nil
    }

    // MARK: Who is there

    /// Those who caption beside the host.
    private var writing: [SimulatedGuest] { guests.filter { $0.writer != nil } }

    /// What somebody writes for the event that is on.
    private func log(of guest: SimulatedGuest) -> WrittenLog? {
        guest.writer?.logs.last.flatMap { $0.event == stage.truth?.session ? $0 : nil }
    }

    /// Whether it reads from the host, or from somebody honest who does.
    private func leadsToHost(_ guest: SimulatedGuest) -> Bool {
        isAtHost(guest) || sources(of: guest).contains(where: isAtHost)
    }

    /// Whether somebody who lies is among those from whom it has what it reads.
    func hearsLiar(_ guest: SimulatedGuest) -> Bool {
        ([guest] + sources(of: guest)).contains(where: \.isWithLiar)
    }

    /// Whether all from whom it reads read from one another.
    private func readsInCircle(_ guest: SimulatedGuest) -> Bool {
        sources(of: guest).count > guests.count
    }

    /// Whether one of the two reads in a circle of which the other is no part. Those in a circle
    /// have one connection each, and learn of nobody else.
    private func circleKeepsApart(_ writer: SimulatedGuest, _ guest: SimulatedGuest) -> Bool {
        let (ofWriter, ofGuest) = (sources(of: writer), [guest] + sources(of: guest))
        return readsInCircle(writer) && !ofWriter.contains { $0 === guest }
            || readsInCircle(guest) && !ofWriter.contains { one in ofGuest.contains { $0 === one } }
    }

    /// The guests from whom it reads: that one, whom he reads from, and so on; one more than there are guests
    /// where they read from one another.
    private func sources(of guest: SimulatedGuest) -> [SimulatedGuest] {
        var (found, guest) = ([SimulatedGuest](), guest)
        while found.count <= guests.count, guest.isRunning, guest.isIn,
            let next = guest.connection?.server.flatMap(stage.guest(of:))
        {
            found.append(next)
            guest = next
        }
        return found
    }

    /// Whether it reads from the host.
    func isAtHost(_ guest: SimulatedGuest) -> Bool {
        guest.isRunning && guest.isIn && guest.connection.map(stage.leadsToHost) == true
    }
}
