import Testing

@testable import BeamscribeCore

@Suite("A line that is not for everybody")
struct WhisperTests {
    private func member(_ names: String...) -> MeshMember {
        MeshMember(
            node: names[0], names: names, key: ToyVerifier(crypto: ToyCrypto(names[0])).writer)
    }

    private var ann: MeshMember { member("ann-laptop", "Ann") }
    private var annabel: MeshMember { member("desk", "Annabel Lee") }
    private var ben: MeshMember { member("ben", "Ben") }
    private var all: [MeshMember] { [ann, annabel, ben] }

    private func read(_ text: String) -> Whisper? { Whisper(text, among: all) }

    @Test("By the whole name, of a machine or of captions, also one of several words")
    func names() {
        #expect(read("/to Ann hello there") == .to(ann, text: "hello there"))
        #expect(read("/to ANN-LAPTOP hello") == .to(ann, text: "hello"))
        #expect(read("/to annabel lee  hello") == .to(annabel, text: "hello"))
        #expect(read("/except Ben not you") == .except(ben, text: "not you"))
    }

    @Test("By the beginning of a name that nobody else has")
    func beginnings() {
        #expect(read("/to Be hello") == .to(ben, text: "hello"))
        #expect(read("/to An hello") == .nobody("An"))
        #expect(read("/to Carla hello") == .nobody("Carla"))
    }

    @Test("Two of one name are nobody")
    func twoOfOneName() {
        let other = member("other", "Ben")
        #expect(Whisper("/to Ben hello", among: all + [other]) == .nobody("Ben"))
    }

    @Test(
        "What is mistyped is for nobody",
        arguments: ["/", "/to", "/tp Ben hello", "/Ben hello", "/to Ben ", "/to Ben"])
    func mistyped(text: String) {
        guard case .unknown = read(text) else {
            return #expect(Bool(false), "\(String(describing: read(text)))")
        }
    }

    @Test("All else is for everybody, also what begins with two slashes")
    func everybody() {
        #expect(read("to Ben hello") == nil && read("") == nil && read(" /to Ben x") == nil)
        #expect(read("//etc") == nil)
        #expect(Whisper.unescaped("//etc") == "/etc" && Whisper.unescaped("etc") == "etc")
    }
}
