import BeamscribeCore

/// As `Host+Storage` and `HostJournal`: stores before anything is sent, tries again after a
/// failure, and has the disk confirm it a while later.
extension HostProcess {
    func publish() {
        note(
            log.feed(.disk, now: now) { bytes, offset throws(SimulatedDisk.Trouble) in
                try stage.disk.write(bytes, at: offset)
            })
        guard isAlive else { return }
        sendPublished()
        guard isAlive else { return }
        retryStorageLater()
        synchronizeLater()
    }

    private func retryStorageLater() {
        guard log.isFailing(.disk), !storageRetryIsSet else { return }
        storageRetryIsSet = true
        let pause = timing.storageRetry
        stage.machine.schedule(at: now.uptime + pause) { [self] in
            guard isAlive else { return }
            storageRetryIsSet = false
            publish()
        }
    }

    private func synchronizeLater() {
        guard !synchronizationIsSet, log.unconfirmed(.disk) != nil else { return }
        synchronizationIsSet = true
        let pause = timing.synchronizeAfter
        stage.machine.schedule(at: now.uptime + pause) { [self] in
            if isAlive { synchronize() }
        }
    }

    private func synchronize() {
        guard let place = log.unconfirmed(.disk) else {
            synchronizationIsSet = false
            return
        }
        stage.disk.beginSynchronization()
        stage.machine.schedule(after: world.random(1_000...400_000)) { [self] in
            guard isAlive else { return }
            synchronizationIsSet = false
            let isDone = stage.disk.endSynchronization()
            world.note("host", isDone ? "is synchronised" : "is not synchronised")
            if isDone {
                log.confirmed(.disk, place)
                truth.confirmed = max(truth.confirmed, place.lastSeq)
            } else {
                note(log.failed(.disk, "the disk failed", now: now))
            }
            if isAlive { publish() }
        }
    }
}
