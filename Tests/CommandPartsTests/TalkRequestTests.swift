import Testing

@testable import BeamscribeCommand

@Suite struct TalkRequestTests {
    @Test(arguments: [
        ("talk on", TalkRequest.talk(.on)), ("talk  off ", .talk(.off)),
        ("talk\ttoggle", .talk(.toggle)), ("quit", .quit),
        ("mute Ann on", .mute(name: "Ann", true)),
        ("mute Ann Lee (desk) off", .mute(name: "Ann Lee (desk)", false)),
        ("volume Ann -12", .volume(name: "Ann", -12)),
        ("channel es", .channel("es")),
        ("volume room 2 1.5", .volume(name: "room 2", 1.5)),
    ])
    func request_isWhatALineSays(line: String, request: TalkRequest) {
        #expect(TalkRequest(line: line) == request)
    }

    @Test(arguments: [
        "", " ", "talk", "talk loud", "talk on now", "TALK on", "mute on", "mute Ann",
        "mute Ann maybe", "quit now",
        "volume Ann", "volume -12", "volume Ann loud", "volume Ann 21", "volume Ann nan",
        "volume Ann inf",
        "volume Ann -61", "sing", "channel", "channel e:s", "channel room 2",
    ])
    func otherLines_sayNothing(line: String) {
        #expect(TalkRequest(line: line) == nil)
    }
}
