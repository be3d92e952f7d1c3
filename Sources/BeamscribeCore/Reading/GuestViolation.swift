/// How a host broke the protocol, in words for its guest.
enum GuestViolation: Error, Equatable {
    case frame(FrameError)
    case packet(PacketError)
    case beforeHandshake(String)
    /// A step of the code's proof that was not due.
    case outOfTurn(String)
    case lineOutOfOrder(expected: Int, got: Int)
    case lineWithoutNumber
    case lineNumberTooLarge(Int)
    case lineTooLong(bytes: Int)
    case labelTooLong
    /// A line, with all that is said of it.
    case captionTooLarge(bytes: Int)
    case wrongSession
    case historyGoesBack(expected: Int, from: Int)
    case incompleteHandshake(String)
    case security(String)
    /// What it said of the log's writer.
    case record(String)
    /// Lines through this one are not their writer's.
    case forgedLine(Int)
    case forgedPartial
    case forgedHead
    /// So many bytes came without a signature.
    case unproven(bytes: Int)
    case linesKeptBack
    /// Lines of the log come, and no heads.
    case headsKeptBack
    /// The log's writer has signed two different lines with this number, in one run.
    case forked(Int)
    /// Who holds the log has not all of it.
    case linesLacking(from: Int, through: Int)
    /// Who holds the event's log holds another one than was read here.
    case holdsAnotherLog
    /// A node of a mesh has gone over to another event of the same name.
    case wentOver
}

extension GuestViolation: CustomStringConvertible {
    var description: String {
        switch self {
        case .forked: clause
        // It may be the host, or who serves the event for that.
        default: "the machine that answers \(clause)"
        }
    }

    /// The same without its subject, as a guest may have done it, too: "sent words that their
    /// writer has not signed".
    var clause: String {
        switch self {
        case .frame(let error): "\(error)"
        case .packet(let error): "\(error)"
        case .beforeHandshake(let type): "sent \"\(type)\" before its handshake's answer"
        case .outOfTurn(let type): "sent \"\(type)\" out of turn"
        case .lineOutOfOrder(let expected, let got):
            "sent line \(got) where line \(expected) was due"
        case .lineWithoutNumber: "sent a final line without its number"
        case .lineNumberTooLarge(let number):
            "offered history through line \(number), more than there can be"
        case .lineTooLong(let bytes):
            "sent a line of \(bytes) bytes, over the limit of \(Limits.lineBytes)"
        case .labelTooLong: "sent a speaker, language or line id that is too long"
        case .captionTooLarge(let bytes):
            "sent a line in \(bytes) bytes, over the limit of \(Limits.journalFramePayload)"
        case .wrongSession: "sent the history of another session than it had answered with"
        case .historyGoesBack(let expected, let from):
            "offered history from line \(from) where line \(expected) was due"
        case .incompleteHandshake(let key): "answered without a usable \"\(key)\""
        case .security(let what): "\(what)"
        case .record(let what): "\(what)"
        case .forgedLine(let seq):
            "sent words that their writer has not signed, up to line \(seq)"
        case .forgedPartial: "sent an open line that its writer has not signed"
        case .forgedHead: "said how the event stands, and its writer has not signed that"
        case .linesLacking(let from, let through):
            "holds the event without "
                + (from == through ? "line \(from)" : "lines \(from) to \(through)")
        case .forked(let seq):
            "the log is forked: line \(seq) was signed twice, with different words"
        case .holdsAnotherLog: "holds another event, or another session of this one"
        case .wentOver: "takes part in another event of this name by now"
        case .linesKeptBack: "keeps back lines that their writer has told of"
        case .headsKeptBack:
            "passes on the event's lines and keeps back how the event stands"
        case .unproven(let bytes): "sent \(bytes) bytes of lines without a signature"
        }
    }
}

extension GuestViolation {
    /// Whether who is there has broken a rule. Who holds an event for its host may lack some of it: he is
    /// left for others then, and nothing is held against him.
    var breaksARule: Bool { if case .linesLacking = self { false } else { true } }
}
