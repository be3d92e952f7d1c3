import Glibc
import Testing

@testable import BeamscribeDiscovery

@Suite struct BluetoothTroubleTests {
    @Test(arguments: [
        ("org.freedesktop.DBus.Error.ServiceUnknown", BluetoothTrouble.noDaemon),
        ("org.freedesktop.DBus.Error.NameHasNoOwner", .noDaemon),
        ("org.freedesktop.DBus.Error.Spawn.ChildExited", .noDaemon),
        ("org.freedesktop.systemd1.NoSuchUnit", .noDaemon),
        ("org.freedesktop.DBus.Error.AccessDenied", .denied),
        ("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", .denied),
        ("org.bluez.Error.NotAuthorized", .denied),
        ("org.freedesktop.DBus.Error.NoReply", .unanswered),
        ("org.bluez.Error.NotReady", .poweredOff(adapters: ["hci0"])),
        ("org.bluez.Error.Failed", .refused("because")),
        ("nonsense", .refused("because")), ("", .refused("because")),
    ])
    func error_hasItsTrouble(name: String, trouble: BluetoothTrouble) {
        let error = BusError.refused(name: name, message: "because")
        #expect(BluetoothTrouble(error, adapter: "hci0") == trouble)
    }

    @Test func reason_isOneSafeLine() {
        let words = String(repeating: "\u{1B}[2J\nlong ", count: 1_000)
        guard case .refused(let reason) = BluetoothTrouble(.refused(name: "x", message: words))
        else {
            Issue.record("an error that is not known was taken for another")
            return
        }
        #expect(reason.utf8.count <= 200)
        #expect(!reason.unicodeScalars.contains { $0.value < 0x20 })
        let nameless = BluetoothTrouble(.refused(name: "org.bluez.Error.Failed", message: ""))
        #expect(nameless == .refused("org.bluez.Error.Failed"))
    }

    @Test func connection_isDenied_orNotThere() {
        #expect(BluetoothTrouble(connecting: .failed(code: EACCES)) == .denied)
        #expect(BluetoothTrouble(connecting: .failed(code: EPERM)) == .denied)
        for code in [ENOENT, ECONNREFUSED, ECONNRESET, ETIMEDOUT] {
            #expect(BluetoothTrouble(connecting: .failed(code: code)) == .noBus)
        }
    }
}
