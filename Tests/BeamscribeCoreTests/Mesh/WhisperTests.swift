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
        #expect(read("/to An hello") == .several([ann, annabel]))
        #expect(read("/to Carla hello") == .nobody("Carla"))
    }

    @Test("A name that may mean two reaches neither, but in quotes or by the key")
    func twoOfOneName() {
        let other = member("other", "Ben")
        #expect(Whisper("/to Ben hello", among: all + [other]) == .several([ben, other]))
        #expect(Whisper("/to \"Ben\" hello", among: all + [other]) == .several([ben, other]))
        let digits = String(other.key.hex.prefix(16))
        #expect(
            Whisper("/to \(digits) hello", among: all + [other]) == .to(other, text: "hello"))
        let groups = other.key.description.replacing(" ", with: "-")
        #expect(
            Whisper("/to \(groups) hello", among: all + [other]) == .to(other, text: "hello"))
        // Too few digits are no key: somebody could make one that begins with them.
        let few = digits.prefix(12)
        #expect(Whisper("/to \(few) hello", among: [other]) == .nobody(String(few)))
    }

    @Test("Nobody draws lines to himself by a name that goes on like a sentence")
    func longerName() {
        let other = member("other", "Ben my")
        let members = all + [other]
        #expect(Whisper("/to Ben my plan", among: members) == .several([ben, other]))
        #expect(Whisper("/to \"Ben\" my plan", among: members) == .to(ben, text: "my plan"))
        #expect(Whisper("/to \"ben my\" plan", among: members) == .to(other, text: "plan"))
        #expect(Whisper("/to \"Be\" hello", among: members) == .nobody("Be"))
        // A liar takes another's digits as a name.
        let (digits, groups) = (String(ben.key.hex.prefix(16)), ben.key.groups)
        for label in [digits, groups, String(digits.prefix(4)), groups + " hello"] {
            let liar = member("liar", label)
            for typed in [digits, groups, "\"\(groups)\""] {
                let whisper = Whisper("/to \(typed) hello", among: all + [liar])
                #expect(whisper == .to(ben, text: "hello"), "\(label)")
                guard case .nobody = Whisper("/to \(typed) hello", among: [ann, liar]) else {
                    #expect(Bool(false), "\(typed) is \(label)")
                    continue
                }
            }
        }
    }

    @Test(
        "What is mistyped is for nobody",
        arguments: ["/", "/to", "/tp Ben hello", "/Ben hello", "/to Ben ", "/to Ben"])
    func mistyped(text: String) {
        guard case .unknown = read(text) else {
            return #expect(Bool(false), "\(String(describing: read(text)))")
        }
    }

    @Test("Spaces before the slash make nothing public")
    func spaces() {
        #expect(read(" /to Ben hello") == .to(ben, text: "hello"))
        #expect(read("\t /tp Ben hello") == .unknown("/tp"))
    }

    @Test("All else is for everybody, also what begins with two slashes")
    func everybody() {
        #expect(read("to Ben hello") == nil && read("") == nil && read("and /to Ben x") == nil)
        #expect(read("//etc") == nil && read(" //etc") == nil)
        #expect(Whisper.unescaped("//etc") == "/etc" && Whisper.unescaped("etc") == "etc")
    }
}
