import BeamscribeTerminal
import Testing

@testable import BeamscribeCore

/// Random keys in an editor, against a model that is a list of characters and a number.
@Suite struct CaptionEditorRandomTests {
    private struct Model {
        var characters: [Character] = []
        var cursor = 0

        var text: String { String(characters) }

        mutating func handle(_ key: Key) {
            switch key {
            case .character(let character):
                let before = Array(String(characters[..<cursor]) + String(character))
                characters = before + Array(characters[cursor...])
                cursor = before.count
            case .backspace where cursor > 0:
                cursor -= 1
                characters.remove(at: cursor)
            case .delete where cursor < characters.count: characters.remove(at: cursor)
            case .left: cursor = max(0, cursor - 1)
            case .right: cursor = min(characters.count, cursor + 1)
            case .home: cursor = 0
            case .end: cursor = characters.count
            case .control("u"):
                characters.removeFirst(cursor)
                cursor = 0
            case .control("w"):
                let rest = characters[cursor...]
                var before = characters[..<cursor]
                while before.last == " " { before.removeLast() }
                while before.last != nil, before.last != " " { before.removeLast() }
                cursor = before.count
                characters = Array(before + rest)
            case .enter: self = Model()
            default: break
            }
        }
    }

    /// Characters of which none joins the one before it, so that a list of them stays as it is.
    private static let letters = Array("ab  Ü字🎉1.")
    private static let keys: [Key] = [
        .backspace, .backspace, .delete, .left, .left, .right, .home, .end, .control("u"),
        .control("w"), .enter, .tab, .escape, .unknown,
    ]

    private static func key(using generator: inout SeededGenerator) -> Key {
        Bool.random(using: &generator)
            ? .character(letters.randomElement(using: &generator)!)
            : keys.randomElement(using: &generator)!
    }

    @Test(arguments: 0..<200)
    func text_isTheModels_whateverIsPressed(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        var editor = CaptionEditor()
        var model = Model()
        // What readers are shown of the open line.
        var shown = ""
        for _ in 0..<200 {
            let key = Self.key(using: &generator)
            let before = model.text
            model.handle(key)
            switch editor.handle(key) {
            case .final(let text, nil):
                #expect(key == .enter && text == before.trimmingBlanks)
                shown = ""
            case nil: #expect(key != .enter || before.allSatisfy { $0 == " " })
            case let action: Issue.record("\(String(describing: action))")
            }
            #expect(editor.line.text == model.text)
            #expect(editor.line.before == String(model.characters[..<model.cursor]))
            if Int.random(in: 0..<3, using: &generator) == 0 {
                if case .partial(let text, nil)? = editor.partial() { shown = text }
                #expect(shown == model.text.trimmingBlanks)
            }
        }
    }

    /// Keys of all kinds, corrections among them: the line stays short, corrections name lines that
    /// are there, and a line is left as it was found.
    @Test(arguments: 0..<200)
    func editor_staysWhole_whateverIsPressed(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        var editor = CaptionEditor(speakers: ["Ann"])
        editor.lines = (3...6).map { .init(seq: $0, text: "line \($0)", speaker: nil) }
        for _ in 0..<400 {
            let key =
                [Key.up, .down, Self.key(using: &generator), Self.key(using: &generator)]
                .randomElement(using: &generator)!
            let draft = editor.correcting == nil ? editor.line : nil
            let action = editor.handle(key)
            if let draft, editor.correcting != nil {
                var copy = editor
                _ = copy.handle(.escape)
                #expect(copy.line == draft && copy.correcting == nil)
            }
            if case .corrections(let corrections)? = action {
                #expect(corrections.allSatisfy { (3...6).contains($0.seq) })
                #expect(Set(corrections.map(\.seq)).count == corrections.count)
                #expect(editor.correcting == nil)
            }
            #expect(editor.line.text.utf8.count <= Limits.lineBytes)
            #expect(editor.correcting.map { (3...6).contains($0) } ?? true)
        }
    }
}
