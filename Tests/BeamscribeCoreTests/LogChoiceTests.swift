import Testing

@testable import BeamscribeCore

@Suite struct LogChoiceTests {
    private let room = LogTitle.sample
    private let other: LogTitle = {
        var title = LogTitle.sample
        (title.label, title.session) = ("Español", "another")
        return title
    }()
    private let main = GuestEvent.line(captionLine(1, "main"))
    private let line = GuestEvent.line(captionLine(1, "other"))
    private let alert = GuestEvent.alert(kind: "paused", message: "Paused.")

    private var all: [GuestEvent] { [main, .inLog(room, line), .inLog(other, line), alert] }

    @Test func everything_isWanted_whereNothingIsChosen() {
        #expect(LogChoice().wanted(all) == all && LogChoice(["all"]).wanted(all) == all)
        #expect(LogChoice(["Room 2", "ALL"]).wanted(all) == all)
    }

    @Test func logsAreChosen_byName_orId_whateverTheCase() {
        #expect(LogChoice(["room 2"]).wanted(all) == [.inLog(room, line), alert])
        #expect(LogChoice(["ESPAÑOL"]).wanted(all) == [.inLog(other, line), alert])
        #expect(LogChoice([room.session]).wanted(all) == [.inLog(room, line), alert])
        #expect(LogChoice(["floor"]).wanted(all) == [main, alert])
        #expect(LogChoice(["Floor", "Español"]).wanted(all) == [main, .inLog(other, line), alert])
        #expect(LogChoice(["nobody"]).wanted(all) == [alert])
    }

    @Test func whatShowsOneLog_showsTheMainOne_orTheOneThatIsChosen() {
        var choice = LogChoice()
        #expect(choice.leading(all) == [main, alert])
        choice = LogChoice(["español"])
        #expect(choice.leading(all) == [line, alert])
        #expect(choice.includesMain == false)
    }

    @Test func ofTwoLogsOfOneName_oneLeads() {
        var (choice, second) = (LogChoice(["room 2"]), room)
        second.session = "a second"
        let before = GuestEvent.partial(PartialLine(line: "a", text: "x"))
        #expect(choice.leading([.inLog(room, before), .inLog(second, line)]) == [before])
        #expect(choice.leading([.inLog(second, before), .inLog(room, line)]) == [line])
    }
}
