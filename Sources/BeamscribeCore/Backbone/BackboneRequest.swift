/// What is asked of a server that keeps events. It answers by a ``BackboneEvent``, or never, where it has gone.
public enum BackboneRequest: Equatable, Sendable {
    /// Makes a stream, where there is none.
    case make(BackboneStream)
    /// Asks how long a stream is, and what its newest message says.
    case look(BackboneStream)
    /// Appends a message, if it is the next one. `flight` is given back.
    case append(BackboneStream, number: Int, flight: Int, [UInt8])
    /// Appends a message wherever it comes to stand. `line` and `flight` are given back.
    case add(BackboneStream, line: Int, flight: Int, [UInt8])
    /// Asks for one message of a stream.
    case fetch(BackboneStream, number: Int)
    /// Says something under a subject; that of a ``BackboneEntry`` is kept.
    case say(String, [UInt8])
    /// Asks for what is kept under the subject of an entry.
    case recall(String)
    /// Gives a stream from a message on, and what follows.
    case read(BackboneStream, from: Int, reading: Int)
    /// Gives what is kept under these subjects of entries, and what follows.
    case follow(String, reading: Int)
    /// Gives what is said under a subject from now on, and not kept.
    case listen(String, reading: Int)
    /// Gives no more of this.
    case leave(reading: Int)
}

/// What a server that keeps events does, and answers.
public enum BackboneEvent: Equatable, Sendable {
    /// It can be asked, for the first time or again. What was asked of it before may be lost.
    case connected
    /// It is gone for now.
    case disconnected(why: String)
    /// A stream is there.
    case made(BackboneStream)
    /// A stream has so many messages, of which this is the newest; empty for none.
    case found(BackboneStream, count: Int, newest: [UInt8])
    /// There is no such stream.
    case missing(BackboneStream)
    /// It cannot do what was asked of a stream.
    case failed(BackboneStream, why: String)
    /// A message was appended.
    case stored(BackboneStream, number: Int, flight: Int)
    /// A message was appended that could stand anywhere, and has this number.
    case added(BackboneStream, line: Int, at: Int, flight: Int)
    /// A message of a stream; empty for none of that number.
    case fetched(BackboneStream, number: Int, [UInt8])
    /// A message was not appended: it was not the next, say.
    case refused(BackboneStream, number: Int, flight: Int, why: String)
    /// What is kept under a subject; empty for nothing.
    case recalled(String, [UInt8])
    /// Something that is being read, under which subject, and as which message of its stream: 0 where nobody
    /// counts.
    case message(reading: Int, subject: String, number: Int, [UInt8])
    /// All that was kept of what is followed has come.
    case caughtUp(reading: Int)
    /// Nothing more of this comes; for nil since it is not there.
    case broken(reading: Int, why: String?)
}

extension BackboneEvent {
    /// The stream that it is about; nil where that is none.
    var stream: BackboneStream? {
        switch self {
        case .made(let stream), .found(let stream, _, _), .missing(let stream),
            .failed(let stream, _), .stored(let stream, _, _), .refused(let stream, _, _, _),
            .added(let stream, _, _, _), .fetched(let stream, _, _):
            stream
        default: nil
        }
    }
}
