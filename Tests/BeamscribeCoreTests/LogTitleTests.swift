import Testing

@testable import BeamscribeCore

@Suite("What readers are shown of a log's label")
struct LogTitleTests {
    private func title(_ label: String, for readers: [String]? = nil) -> LogTitle {
        var record = LogRecord(
            "a", of: "b", as: label, lang: nil, eventName: "Town Hall", deviceName: "desk",
            created: 0, number: 1)
        record.to = readers
        return LogTitle(record, by: ToyVerifier(crypto: ToyCrypto("writer")).writer)
    }

    @Test("A line for some alone is marked, whoever speaks")
    func marked() {
        let title = title("Ann to Ben", for: ["key"])
        #expect(title.tag(beside: nil) == "[Ann to Ben, private] ")
        #expect(title.tag(beside: "Ann to Ben") == "[Ann to Ben, private] ")
        #expect(title.name(of: "Ann") == "Ann to Ben, private · Ann")
    }

    @Test(
        "A label for everybody does not look like that mark",
        arguments: [
            "Ann to Ben, private", "Ann to Ben, PRIVATE", "Private", "Ann to Ben, private ",
            "Ann to Ben, private.",
        ])
    func unmarked(label: String) {
        let title = title(label)
        #expect(title.tag(beside: nil).hasSuffix(", public] "))
        #expect(title.tag(beside: title.label).hasSuffix(", public] "))
        #expect(title.name(of: nil).hasSuffix(", public"))
    }

    @Test("A label ends nowhere but at its end")
    func brackets() {
        let title = title("Ben to Ann, private] come here [x")
        #expect(title.tag(beside: nil) == "[Ben to Ann, private) come here (x] ")
    }

    @Test("Other labels are shown as they are")
    func ordinary() {
        let title = title("Private room 2")
        #expect(title.tag(beside: nil) == "[Private room 2] ")
        #expect(title.tag(beside: "Private room 2") == "")
    }
}
