extension HostSession {
    /// What is wrong with the session's state; nil where nothing is. Looks at every guest: for
    /// tests.
    package var brokenInvariant: String? {
        if let broken = transcript.brokenInvariant { return broken }
        if let broken = journal?.brokenInvariant(in: transcript) { return broken }
        let devices = guests.values.filter(\.isAccepted).map(\.deviceID)
        if Set(devices).count < devices.count { return "a device has two connections" }
        if let broken = seats.brokenInvariant ?? bluetoothSeats.brokenInvariant { return broken }
        let seated = guests.values.filter(\.isAccepted)
        if Set(seated.map(\.id)) != Set(seats.members) { return "a seat is somebody else's" }
        if Set(seated.filter { $0.transport == .bluetooth }.map(\.id))
            != Set(bluetoothSeats.members)
        {
            return "a seat over Bluetooth is somebody else's"
        }
        for guest in guests.values {
            let cursor = guest.cursor
            if cursor.boundary > cursor.offset || cursor.offset > transcript.endOffset {
                return "the cursor of \(guest.id) lies outside of its frame"
            }
            if cursor.offset < transcript.startOffset, guest.phase != .connecting {
                return "the cursor of \(guest.id) lies before what is in memory"
            }
            if guest.control.isBegun, !cursor.isAtBoundary {
                return "the queue of \(guest.id) was begun in the middle of a frame"
            }
        }
        return nil
    }
}

extension JournalProgress {
    func brokenInvariant(in transcript: Transcript) -> String? {
        let cursor = written.cursor
        guard cursor.offset <= transcript.endOffset else {
            return "the log is further than the transcript"
        }
        guard confirmed.fileOffset <= written.fileOffset else {
            return "the disk has confirmed what was not written"
        }
        return cursor.boundary <= cursor.offset ? nil : "the log stands outside of its frame"
    }
}
