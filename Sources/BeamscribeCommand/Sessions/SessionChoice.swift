import BeamscribeCore
import BeamscribeIO

/// Finds the session that somebody means: by its id, by a beginning of the id that only one has,
/// or by the word "last".
struct SessionChoice {
    /// What was typed.
    let wanted: String
    /// The name that the last one must have; nil for any.
    var event: String?
    /// Whether it is to be gone on with as its host: "last" means the last one of this machine's own, and
    /// one that no host has, if there is one.
    var isOwn = false

    /// - Parameter entries: all that there are, the newest first.
    /// - Throws: ``Failure`` where there is none, or more than one.
    func find(among entries: [SessionEntry]) throws -> SessionEntry {
        if wanted == "last" { return try last(among: entries) }
        let beginning = wanted.lowercased()
        let found = entries.filter {
            !beginning.isEmpty && $0.record.session.hasPrefix(beginning)
        }
        if let whole = found.first(where: { $0.record.session == beginning }) { return whole }
        guard let only = found.first else { throw notFound }
        guard found.count == 1 else {
            throw Failure(.usage, "several sessions begin with '\(wanted)': give more of the id.")
        }
        return only
    }

    /// Opens the session, to go on in it.
    ///
    /// - Throws: ``Failure`` where there is none, or another host has it.
    func open(in store: SessionStore) throws -> StoredSession {
        DamagedSessionWords.warn(of: store)
        let record = try find(among: try store.list()).record
        let session = record.session
        if let contribution = record.contribution {
            let (event, label) = (ShellWord(record.eventName).quoted, contribution.label)
            if let translated = contribution.of {
                throw Failure(
                    .cannotMakeFile,
                    "session \(session) is a translation: it goes on, and ends, with its event "
                        + "\(translated.prefix(8)).")
            }
            guard contribution.talker == nil else {
                throw Failure(
                    .cannotMakeFile,
                    "session \(session) has what one said who talked: it goes on, and ends, with its "
                        + "event \(contribution.event.prefix(8)).")
            }
            let option = contribution.standsInFor == nil ? "--into" : "--standby"
            throw Failure(
                .cannotMakeFile,
                "session \(session) is a log of somebody else's event: to go on in it, "
                    + "beamscribe host \(option) \(event) --as \(ShellWord(label).quoted)")
        }
        do throws(SessionStoreError) {
            return try store.open(session)
        } catch .inUse {
            throw Failure(
                .cannotMakeFile,
                "session \(session) is being written by another host. End that one first.")
        } catch .held(let record) where record.isPrivate {
            throw Failure(
                .cannotMakeFile,
                "session \(session) has what \(SafeText.line(record.deviceName)) said to some alone: "
                    + "nobody serves it or goes on in it. `beamscribe export \(session.prefix(8))` writes it."
            )
        } catch .held(let record) {
            throw Failure(
                .cannotMakeFile,
                "session \(session) is \(SafeText.line(record.deviceName))'s, and is only held here: "
                    + "nobody else can go on in it, or end it. `beamscribe relay --keep` serves it."
            )
        } catch .damaged {
            throw Failure(
                .inputOutput,
                "the file meta.json of session \(session) is damaged: nobody can go on in it. "
                    + "`beamscribe sessions` says how to get its lines.")
        } catch .notFound, .own {
            throw notFound
        } catch .system(let error) {
            throw Failure(
                .inputOutput,
                "\(error). `beamscribe host --event NAME` begins another session, `beamscribe doctor` "
                    + "checks this machine.")
        }
    }

    private func last(among entries: [SessionEntry]) throws -> SessionEntry {
        let founders = Set(entries.map(\.record.session))
        let named = entries.filter {
            // What others say in an event is found by the event, as is what its host has in logs beside it.
            !($0.goesWithItsEvent && founders.contains($0.record.event))
                && $0.record.contribution?.goesWithItsEvent != true
                && (event == nil || $0.record.eventName == event)
                && (!isOwn || $0.record.isOwnEvent)
        }
        // One without a line is nothing to go on with, unless there is no other.
        let spoken = named.filter(\.hasLines)
        let fitting = spoken.isEmpty ? named : spoken
        if isOwn, let free = fitting.first(where: { !$0.isInUse }) { return free }
        if let newest = fitting.first { return newest }
        let name = event.map { " of \"\(SafeText.line($0))\"" } ?? ""
        throw Self.none("\(name) yet" + (isOwn && !entries.isEmpty ? " that was hosted here" : ""))
    }

    private var notFound: Failure {
        Self.none(" '\(SafeText.line(wanted))'")
    }

    private static func none(_ which: String) -> Failure {
        Failure(
            .unreadableInput,
            "there is no session\(which); `beamscribe sessions` lists those there are.")
    }
}
