import BeamscribeCore
import BeamscribeIO

/// The log that is exported.
struct ExportSource {
    let log: SessionLog
    /// What it is called in messages.
    let name: String
    /// The places that its operator marked; none where only a log is known.
    let marks: [SessionRecord.Mark]
    /// Which lines may stand where; nothing is known where there is only a log.
    let boundaries: RunBoundaries

    /// - Parameter wanted: a session as ``SessionChoice`` knows it, the path of a log, or that of a
    ///   session's folder. What holds a slash is a path; what is no session may be one.
    /// - Throws: ``Failure`` where there is no such thing.
    init(_ wanted: String, in store: SessionStore) throws {
        let entry = try Self.session(wanted, in: store)
        marks = entry?.record.marks ?? []
        boundaries = entry?.record.boundaries ?? RunBoundaries()
        do throws(SystemError) {
            if let session = entry?.record.session {
                log = try store.log(of: session)
                name = "session \(session.prefix(8))"
            } else {
                log = try SessionLog(reading: Self.log(at: wanted))
                name = SafeText.line(log.path)
            }
        } catch {
            throw Failure(cannotExport: "\(error).")
        }
    }

    private static func session(_ wanted: String, in store: SessionStore) throws -> SessionEntry? {
        guard !wanted.contains("/") else { return nil }
        do {
            return try SessionChoice(wanted: wanted).find(among: try store.list())
        } catch let failure as Failure
            where failure.code == .unreadableInput && OutputFile.exists(wanted)
        {
            return nil
        }
    }

    private static func log(at path: String) -> String {
        let inFolder = path + "/log"
        return OutputFile.exists(inFolder) ? inFolder : path
    }
}

extension Failure {
    /// There is no log to be read.
    init(cannotExport why: String) {
        self.init(.unreadableInput, "\(why) `beamscribe sessions` lists the sessions there are.")
    }
}
