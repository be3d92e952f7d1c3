extension HostSession {
    /// Hands what was published and is not yet stored to `write`, piece by piece. To be called
    /// after each batch, before anything is sent: what a guest has seen is in the log. A host that
    /// keeps no log has nothing to hand over.
    ///
    /// When `write` fails, the event goes on from memory and everybody is told; the next call
    /// tries again.
    ///
    /// - Parameter write: gets bytes that are valid during the call and where in the file they
    ///   belong, and returns how many it has written there.
    public func store<Failure: Error>(
        now: Moment, _ write: (UnsafeRawBufferPointer, UInt64) throws(Failure) -> Int
    ) -> [Action] {
        guard var progress = journal else { return [] }
        var failure: String?
        do throws(Failure) {
            while case let bytes = transcript.bytes(at: progress.written.cursor), !bytes.isEmpty {
                let count = try write(bytes, progress.written.fileOffset)
                progress.advance(count, in: transcript)
            }
        } catch {
            failure = "\(error)"
        }
        let before = progress.failure
        progress.failure = failure
        journal = progress
        return tellStorage(failure, before: before, now: now) + tellStorageGap()
    }

    /// Where the log ends now, to be given to ``synchronized(_:)``; nil where the disk has it all.
    public var unsynchronized: JournalPlace? {
        guard let journal, journal.confirmed != journal.written else { return nil }
        return journal.written
    }

    /// The disk has everything up to a place that ``unsynchronized`` gave.
    public func synchronized(_ place: JournalPlace) {
        journal?.confirm(place)
    }

    /// There is no file to write, or the disk could not confirm what was written: that is to be
    /// stored again.
    public func storageFailed(_ why: String, now: Moment) -> [Action] {
        guard var progress = journal else { return [] }
        progress.rewind(in: transcript)
        let before = progress.failure
        progress.failure = why
        journal = progress
        return tellStorage(why, before: before, now: now) + tellStorageGap()
    }

    /// Whether there is something that could not be stored yet.
    public var storageIsFailing: Bool { journal?.failure != nil }

    /// How long the log is, in bytes, with what was written so far. After a gap there may be
    /// remains of older lines behind it.
    public var logSize: UInt64 { journal?.written.fileOffset ?? 0 }

    /// The newest line that the log holds whole.
    public var storedSeq: Int { journal?.written.lastSeq ?? 0 }

    private func tellStorage(_ failure: String?, before: String?, now: Moment) -> [Action] {
        switch (before, failure) {
        case (nil, let why?):
            [.report(.storageFailed(why))]
                + alert(
                    .storageFailed,
                    "The host cannot save the transcript at the moment; the captions go on.",
                    now: now)
        case (_?, nil):
            [.report(.storageRestored(through: storedSeq))]
                + alert(.storageRestored, "The host saves the transcript again.", now: now)
        default: []
        }
    }

    func tellStorageGap() -> [Action] {
        guard let gap = journal?.takeGap() else { return [] }
        return [.report(.storageGap(from: gap.lowerBound, through: gap.upperBound))]
    }
}
