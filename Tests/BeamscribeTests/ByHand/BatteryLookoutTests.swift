import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials
import TestSupport
import Testing

@testable import Beamscribe

@Suite struct BatteryLookoutTests {
    private let machine = HandMachine()

    private func lookout(_ folder: String?) throws -> BatteryLookout {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
            security: HostSecurity(try HostKey()))
        configuration.powerSupplies = folder
        return BatteryLookout(configuration, in: machine)
    }

    @Test func battery_isLookedAt_everyTwentySeconds_untilTheEnd() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("BAT0")
        for (name, text) in [("type", "Battery"), ("status", "Discharging"), ("capacity", "80")] {
            try folder.write("\(text)\n", to: "BAT0/\(name)")
        }
        let lookout = try lookout(folder.path)
        var told: [Int] = []
        lookout.isLow = { told.append($0) }
        lookout.look()
        #expect(machine.doWork() == 1 && machine.due == .seconds(20))
        for level in ["15", "12"] {
            try folder.write("\(level)\n", to: "BAT0/capacity")
            machine.pass(.seconds(20))
            #expect(machine.doWork() == 1)
        }
        #expect(told == [15])
        machine.pass(.seconds(20))
        lookout.end()
        #expect(machine.doWork() == 1 && machine.due == nil, "what comes late counts no more")
    }

    @Test func nothing_isLookedAt_whereThereIsNothing() throws {
        try lookout(nil).look()
        #expect(machine.doWork() == 0 && machine.due == nil)
    }
}
