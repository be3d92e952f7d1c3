import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials
import TestSupport
import Testing

@testable import Beamscribe

@Suite struct HostJournalTests {
    private let machine = HandMachine()

    @Test func disk_isAskedOnce_forAllThatCameMeanwhile_andHasTheMarks() throws {
        let folder = try TemporaryFolder()
        let store = SessionStore(in: StateFolder(environment: ["XDG_STATE_HOME": folder.path]))
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
            security: HostSecurity(try HostKey()))
        configuration.storage = .new(store)
        let log = EventLog(session: configuration.session, now: machine.loop.now)
        let publisher = Publisher(into: log, masking: nil)
        let journal = HostJournal(log, configuration, in: machine)
        #expect(try journal.open(port: 4_711).isEmpty && machine.due == nil)
        func say(_ text: String) -> [HostEvent] {
            publisher.publish(final: Caption(text: text), now: machine.loop.now)
            return journal.store()
        }
        #expect(say("one").isEmpty && machine.due == .milliseconds(700))
        machine.pass(.milliseconds(300))
        #expect(say("two").isEmpty && machine.due == .milliseconds(400))
        machine.pass(.milliseconds(400))
        #expect(say("three").isEmpty && machine.due == nil, "the disk is at it")
        #expect(machine.doWork() == 1 && log.unconfirmed(.disk) != nil)
        _ = journal.store()
        machine.pass(.milliseconds(700))
        #expect(machine.doWork() == 1 && log.unconfirmed(.disk) == nil)
        #expect(publisher.mark(now: machine.loop.now) == 3)
        journal.noteMarks()
        let record = try #require(store.list().first?.record)
        #expect(record.marks?.map(\.after) == [3] && record.port == 4_711)
        #expect(journal.close(.ended, guests: 0).isEmpty && machine.due == nil)
        #expect(try store.list().first?.record.state == .ended)
    }
}
