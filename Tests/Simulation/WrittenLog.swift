/// What was said in a log besides the event's main one: the measure for its readers.
final class WrittenLog {
    let session: String
    /// The event that it was written for.
    let event: String
    /// Whether it was ever let in.
    private(set) var wasRead = false
    /// Whether its writer was ever put out.
    private(set) var wasPutOut = false
    private var texts: [String] = []
    private var whispers: Set<String> = []
    private var count = 0

    init(session: String, event: String) { (self.session, self.event) = (session, event) }

    var lastSeq: Int { texts.count }

    func text(of seq: Int) -> String? {
        texts.indices.contains(seq - 1) ? texts[seq - 1] : nil
    }

    func hasWhispered(_ text: String) -> Bool { whispers.contains(text) }

    func letIn() { wasRead = true }

    func mayEnd() { wasPutOut = true }

    func say(_ who: Int) -> String {
        count += 1
        texts.append("other \(count) of \(who)")
        return texts[texts.count - 1]
    }

    func whisper() -> String {
        count += 1
        let text = "begun \(count)"
        whispers.insert(text)
        return text
    }
}
