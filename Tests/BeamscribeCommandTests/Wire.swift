import Foundation

/// Frames made by hand, as another implementation would make them, right or wrong.
enum Wire {
    /// The four bytes of a frame's length.
    static func length(_ length: UInt32) -> [UInt8] {
        withUnsafeBytes(of: length.bigEndian) { Array($0) }
    }

    static func frame(_ payload: [UInt8]) -> [UInt8] {
        length(UInt32(payload.count)) + payload
    }

    static func frame(_ json: String) -> [UInt8] {
        frame(Array(json.utf8))
    }

    // MARK: A guest's

    static func handshake(
        device: String = UUID().uuidString.lowercased(), name: String = "By hand",
        version: Int = 1
    ) -> [UInt8] {
        frame(
            """
            {"type":"handshake","protocol":\(version),"deviceId":"\(device)",\
            "displayName":"\(name)","platform":"Test"}
            """)
    }

    static let keepAlive = frame(#"{"type":"keep_alive","timestamp":1}"#)

    // MARK: A host's

    static let session = "11111111-2222-3333-4444-555555555555"

    static func accepted(
        event: String = "Fake", device: String = "Liar", lastSeq: Int = 0,
        session: String = session, keepAliveInterval: Double = 2
    ) -> [UInt8] {
        frame(
            """
            {"type":"handshake_response","status":"accepted","protocol":1,"session":"\(session)",\
            "eventName":"\(event)","deviceName":"\(device)","firstSeq":1,"lastSeq":\(lastSeq),\
            "keepAliveInterval":\(keepAliveInterval)}
            """)
    }

    static func rejected(_ reason: String, _ message: String) -> [UInt8] {
        frame(
            """
            {"type":"handshake_response","status":"rejected","protocol":1,\
            "reason":"\(reason)","message":"\(message)"}
            """)
    }

    static func history(
        from: Int, through: Int, session: String = session
    ) -> [UInt8] {
        frame(
            """
            {"type":"fullHistory","session":"\(session)","from":\(from),"through":\(through),\
            "count":\(through - from + 1)}
            """)
    }

    /// A final. `text` and `more` stand in the JSON as they are.
    static func line(_ seq: Int, _ text: String? = nil, more: String = "") -> [UInt8] {
        frame(
            """
            {"type":"liveChunk","isFinal":true,"seq":\(seq),"line":"l-\(seq)",\
            "text":"\(text ?? "line \(seq)")","sentTimestamp":1760000000\(more)}
            """)
    }

    static func partial(_ text: String, line: String = "open") -> [UInt8] {
        frame(
            """
            {"type":"liveChunk","isFinal":false,"line":"\(line)","revision":1,\
            "text":"\(text)","sentTimestamp":1760000000}
            """)
    }

    static func alert(_ kind: String, _ message: String) -> [UInt8] {
        frame(#"{"type":"alert","kind":"\#(kind)","message":"\#(message)","sentTimestamp":1}"#)
    }

    static let ended = alert("ended", "That was all.")
}

/// What tests look at in a packet.
struct Message: Decodable, Sendable {
    var type: String
    var status: String?
    var reason: String?
    var session: String?
    var eventName: String?
    var text: String?
    var seq: Int?
    var lastSeq: Int?
    var kind: String?
    var displayName: String?
    var deviceId: String?
    var resume: Resume?
    var salt: String?
    var share: Data?
    var confirm: Data?

    struct Resume: Decodable, Sendable {
        var session: String
        var after: Int
    }
}
