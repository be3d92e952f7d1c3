import FoundationEssentials
import Testing

@testable import BeamscribeCore

/// An answer goes to a subject that somebody else names: it may write nowhere else.
@Suite struct FlowControlTests {
    private let stream = BackboneStream.log(UUID())

    @Test(arguments: ["c1.17", "Ab3_-x.9f$.1", "c"])
    func request_ofTheServer_isAnswered(rest: String) {
        let subject = "$JS.FC.\(stream.name).\(rest)"
        #expect(FlowControl.subject(subject, of: stream) == subject)
    }

    @Test func otherSubjects_getNoAnswer() {
        let name = stream.name
        let others = [
            "", "$JS.FC.", "$JS.FC.\(name)", "$JS.FC.\(name).", "$JS.FC.\(name)..c",
            "$JS.FC.other.c1.17",
            stream.subject, "$JS.ACK.\(name).c1", "_INBOX.x", "$JS.FC.\(name).*",
            "$JS.FC.\(name).>",
            "$JS.FC.\(name).c 4", "$JS.FC.\(name).c\tx", "$JS.FC.\(name).c\nx",
            "$JS.FC.\(name).c\r\nx",
            "$JS.FC.\(name).é", "$JS.FC.\(name).\u{1B}", "$JS.FC.\(name).\u{0}",
            "$JS.FC.\(name)." + String(repeating: "x", count: 512), " $JS.FC.\(name).c1.17",
        ]
        for subject in others { #expect(FlowControl.subject(subject, of: stream) == nil) }
    }
}
