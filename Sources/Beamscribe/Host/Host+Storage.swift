public import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import FoundationEssentials

extension Host {
    /// Opens the session's files, and says what was found in them.
    func beginStoring() throws(SystemError) {
        server.tell(try journal.open(port: listening.first?.port))
        if let recovered { tell(of: recovered) }
        if case .new = configuration.storage, !log.isFailing(.disk) {
            news.push([.storing(session: configuration.session)])
        }
    }

    private func tell(of recovered: RecoveredTranscript) {
        let lines = recovered.transcript.lastSeq
        news.push([.resumed(session: configuration.session, lines: lines)])
        if let tail = recovered.tail {
            news.push([.logTail(bytes: tail.bytes, tail.fate)])
        }
        if !recovered.gaps.isEmpty { news.push([.logGaps(recovered.gaps)]) }
    }

    /// Has something said, stores it, and sends it to everybody.
    func say<Result>(_ body: (Publisher) -> Result) -> Result {
        defer { publish() }
        return body(publisher)
    }

    func publish() {
        server.tell(journal.store())
        server.sendPublished()
    }

    // MARK: Battery

    /// Looks at the battery from now on, where the machine has one.
    func watchBattery() {
        guard let folder = configuration.powerSupplies else { return }
        try? surroundings.worker.perform {
            PowerSupply.level(in: folder)
        } _: { [self] in
            take($0)
        }
    }

    private func take(_ level: PowerSupply.Level?) {
        guard !isFinished else { return }
        if let level,
            battery.isNewlyLow(percent: level.percent, isDischarging: level.isDischarging)
        {
            news.push([.batteryLow(percent: level.percent)])
            let message = "The host's battery is at \(level.percent) %."
            log.tell(.batteryLow, message, now: now)
            publish()
        }
        timers.battery = loop.schedule(after: configuration.timing.batteryInterval) {
            [unowned self] in watchBattery()
        }
    }

    // MARK: Guests

    /// How each guest fares, and how long ago the last input came.
    public func guestReports() -> (guests: [GuestReport], inputAge: Duration?) {
        let now = now
        return (room.guestReports(now: now), input.age(at: now.uptime))
    }
}
