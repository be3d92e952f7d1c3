import BeamscribeDiscovery
import BeamscribeIO
import Glibc
import TestSupport
import Testing

/// What is found out about a bus, on one of the test's own and on sockets that stand for one.
@Suite struct SystemBusTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func bus(_ path: String, patience: Duration = .seconds(10)) -> SystemBus.Condition {
        let address = "unix:path=\(path);unix:path=/nowhere"
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": address]
        return SystemBus.ask(environment: environment, patience: patience)
    }

    @Test func bus_isAbsent_withoutASocket() throws {
        let path = folder.path(of: "bus")
        #expect(bus(path) == .noSocket(path: path))
        try folder.write("", to: "bus")
        guard case .refused(_, let error) = bus(path) else {
            Issue.record("a file is no bus")
            return
        }
        #expect(error.code == ECONNREFUSED)
        let elsewhere = SystemBus.ask(
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "tcp:host=x"], patience: .zero)
        #expect(elsewhere == .elsewhere(address: "tcp:host=x"))
    }

    @Test func bus_isJudged_byItsAnswer() throws {
        let id = String(repeating: "0", count: 32)
        let answers = [["REJECTED EXTERNAL\r\nERROR\r\n"], [], ["DATA\r\nOK \(id)\r\n"]]
        let found = answers.enumerated().map { number, answers in
            let path = folder.path(of: "bus\(number)")
            let server = FakeBus(at: path, answering: answers)
            defer { withExtendedLifetime(server) {} }
            return bus(path, patience: number < 1 ? .seconds(10) : .milliseconds(50))
        }
        let paths = (0..<3).map { folder.path(of: "bus\($0)") }
        #expect(
            found == [
                .rejected(path: paths[0]), .silent(path: paths[1]), .silent(path: paths[2]),
            ])
    }

    @Test(Skip.withoutBluetooth) func bus_answers_thatRuns() async throws {
        let bluetooth = try await FakeBluetooth(adapters: 1)
        let path = String(bluetooth.busAddress.dropFirst("unix:path=".count))
        let found = await BlockingCall.run(within: .seconds(20)) { bus(path) }
        #expect(found == .answers(path: path))
    }
}
