import BeamscribeIO
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeDiscovery

/// Avahi and the D-Bus that leads to it.
@Suite struct DiscoveryCheckTests {
    private let debian = Machine(hasSystemd: true, packages: .apt, isRoot: false)

    private func avahi(
        _ state: AvahiCondition.State, isInstalled: Bool = true
    ) -> CheckResult {
        let condition = AvahiCondition(state: state, version: "avahi 0.8", hostName: "stage.local")
        return AvahiCheck.result(.answered(condition), isInstalled: isInstalled, on: debian)
    }

    @Test func avahi_isTold_withItsVersionAndName() {
        let result = avahi(.running)
        #expect(result.status == .ok)
        #expect(result.found == "avahi 0.8 is running; this machine is stage.local.")
    }

    @Test func avahi_needsPatience_whileItStartsOrLooksForAName() {
        for state in [AvahiCondition.State.registering, .collision] {
            let result = avahi(state)
            #expect(result.status == .warning)
            #expect(result.found.contains("stage.local"))
            #expect(result.advice?.contains("again") == true)
        }
    }

    @Test func avahi_isToBeStartedOrInstalled_whenItDoesNotRun() {
        #expect(avahi(.notRunning).status == .problem)
        let start = avahi(.notRunning).advice
        #expect(start?.contains("`sudo systemctl start avahi-daemon`") == true)
        let install = avahi(.notRunning, isInstalled: false)
        #expect(install.advice?.contains("`sudo apt-get install avahi-daemon`") == true)
        #expect(install.found.contains("not installed"))
    }

    @Test(arguments: zip(Machine.PackageManager.allCases, ["avahi-daemon", "avahi", "avahi"]))
    func advice_knowsThePackage(_ packages: Machine.PackageManager, _ name: String) {
        let machine = Machine(hasSystemd: false, packages: packages, isRoot: true)
        let result = AvahiCheck.result(
            .answered(AvahiCondition(state: .notRunning)), isInstalled: false, on: machine)
        #expect(result.advice?.contains(" \(name)`") == true)
        #expect(result.advice?.contains("sudo") == false, "Root needs none.")
        #expect(machine.start("x") == "`service x start`")
    }

    @Test func avahi_isAProblem_whenItHangsOrFails() {
        let hangs = AvahiCheck.result(.silent, isInstalled: true, on: debian)
        let fails = avahi(.failed("Access denied"))
        for result in [hangs, fails] {
            #expect(result.status == .problem)
            #expect(result.advice?.contains("systemctl restart avahi-daemon") == true)
        }
        #expect(fails.found.contains("Access denied"))
    }

    @Test func avahi_isNoSecondProblem_whenTheBusIsDown() {
        let result = AvahiCheck.result(.notAsked, isInstalled: true, on: debian)
        #expect(result.status == .note)
        #expect(result.advice?.contains("D-Bus") == true)
    }

    @Test func bus_isTold_whereItIs() {
        let path = "/run/dbus/system_bus_socket"
        let refusal = SystemError("connect to", path, code: 111)
        let cases: [(SystemBus.Condition, CheckResult.Status, String)] = [
            (.answers(path: path), .ok, "answers"),
            (.noSocket(path: path), .problem, "not running"),
            (.refused(path: path, refusal), .problem, "Connection refused"),
            (.silent(path: path), .problem, "does not answer"),
            (.rejected(path: path), .problem, "does not let this user in"),
            (.elsewhere(address: "tcp:host=x"), .note, "tcp:host=x"),
        ]
        for (condition, status, words) in cases {
            let result = BusCheck.result(condition, on: debian)
            #expect(result.status == status)
            #expect(result.found.contains(words))
            #expect((result.advice == nil) == (status == .ok))
            #expect(condition.mayWork == (status != .problem))
        }
    }
}
