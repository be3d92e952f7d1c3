import BeamscribeCore

/// As `Host+Storage` and `HostJournal`: stores before anything is sent, tries again after a
/// failure, and has the disk confirm it a while later.
extension HostProcess {
    func store() {
        perform(
            session.store(now: now) { bytes, offset throws(SimulatedDisk.Trouble) in
                try stage.disk.write(bytes, at: offset)
            })
        guard isAlive else { return }
        retryStorageLater()
        synchronizeLater()
    }

    private func retryStorageLater() {
        guard session.storageIsFailing, !storageRetryIsSet else { return }
        storageRetryIsSet = true
        let pause = session.configuration.timing.storageRetry
        stage.machine.schedule(at: now.uptime + pause) { [self] in
            guard isAlive else { return }
            storageRetryIsSet = false
            store()
        }
    }

    private func synchronizeLater() {
        guard !synchronizationIsSet, session.unsynchronized != nil else { return }
        synchronizationIsSet = true
        let pause = session.configuration.timing.synchronizeAfter
        stage.machine.schedule(at: now.uptime + pause) { [self] in
            if isAlive { synchronize() }
        }
    }

    private func synchronize() {
        guard let place = session.unsynchronized else {
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
                session.synchronized(place)
                truth.confirmed = max(truth.confirmed, place.lastSeq)
            } else {
                perform(session.storageFailed("the disk failed", now: now))
            }
            guard isAlive else { return }
            retryStorageLater()
            synchronizeLater()
        }
    }
}
