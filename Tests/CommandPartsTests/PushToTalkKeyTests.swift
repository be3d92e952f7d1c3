import Testing

@testable import BeamscribeCommand

@Suite struct PushToTalkKeyTests {
    @Test(arguments: [
        ("event3:KEY_F13", "/dev/input/event3", 183), ("event3:f13", "/dev/input/event3", 183),
        ("by-id/usb-pedal:B", "/dev/input/by-id/usb-pedal", 48), ("./pedal:B", "./pedal", 48),
        ("/dev/input/event0:btn_left", "/dev/input/event0", 0x110),
        ("/dev/input/by-path/pci-0:14.0-kbd:1", "/dev/input/by-path/pci-0:14.0-kbd", 2),
    ])
    func key_isADevicesAndItsName(text: String, path: String, code: UInt16) {
        let choice = PushToTalkKey.Choice(text)
        #expect(choice?.path == path)
        #expect(choice?.code == code)
    }

    @Test(arguments: [
        "", ":", "event3", "event3:", ":KEY_B", "event3:KEY_NONE_SUCH", "event3:-1", "event3:768",
        "event3:EV_KEY",
    ])
    func other_isNone(text: String) {
        #expect(PushToTalkKey.Choice(text) == nil)
    }
}
