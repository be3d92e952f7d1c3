public import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

extension Host {
    /// Opens the session's files, and says what was found in them.
    func beginStoring() throws(SystemError) {
        server.tell(try journal.open(port: listening.first?.port))
        if let recovered { tell(of: recovered) }
        if case .new = configuration.storage, !log.isFailing(.disk) {
            news.push([.storing(session: configuration.session)])
        }
        retryStorageLater()
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
        retryStorageLater()
        synchronizeLater()
    }

    private func retryStorageLater() {
        guard log.isFailing(.disk), timers.storageRetry == nil, !isFinished else {
            return
        }
        timers.storageRetry = thread.loop.schedule(after: configuration.timing.storageRetry) {
            [unowned self] in
            timers.storageRetry = nil
            publish()
        }
    }

    private func synchronizeLater() {
        guard timers.synchronization == nil, journal.dirty != nil, !isFinished else { return }
        timers.synchronization = thread.loop.schedule(
            after: configuration.timing.synchronizeAfter
        ) { [unowned self] in synchronize() }
    }

    /// The timer stays set until the disk has answered: one at a time.
    private func synchronize() {
        guard let dirty = journal.dirty, let worker = diskWorker() else {
            timers.synchronization = nil
            return
        }
        Task {
            let failure = await worker.synchronize(dirty.files.log)
            if !journal.foldersAreSynchronized {
                journal.foldersAreSynchronized = await worker.synchronizeFolders(of: dirty.files)
            }
            synchronized(to: dirty.to, failure: failure)
        }
    }

    private func synchronized(to place: SinkPlace, failure: SystemError?) {
        timers.synchronization = nil
        guard !isFinished else { return }
        server.tell(journal.synchronized(to: place, failure: failure))
        publish()
    }

    func diskWorker() -> DiskWorker? {
        if worker == nil { worker = try? DiskWorker() }
        return worker
    }

    // MARK: Battery

    /// Looks at the battery from now on, where the machine has one.
    func watchBattery() {
        guard let folder = configuration.powerSupplies, let worker = diskWorker() else { return }
        Task {
            let level = await worker.batteryLevel(in: folder)
            take(level)
        }
    }

    private func take(_ level: PowerSupply.Level?) {
        guard !isFinished else { return }
        if let level,
            battery.isNewlyLow(percent: level.percent, isDischarging: level.isDischarging)
        {
            news.push([.batteryLow(percent: level.percent)])
            let message = "The host's battery is at \(level.percent) %."
            log.tell(.batteryLow, message, now: Clock.now)
            publish()
        }
        timers.battery = thread.loop.schedule(after: configuration.timing.batteryInterval) {
            [unowned self] in watchBattery()
        }
    }

    // MARK: Guests

    /// How each guest fares, and how long ago the last input came.
    public func guestReports() -> (guests: [GuestReport], inputAge: Duration?) {
        let now = Clock.now
        return (
            room.guestReports(now: now), isInputOver ? nil : inputWatch.age(now.uptime)
        )
    }
}
