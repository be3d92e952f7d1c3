import BeamscribeCore
import Testing

/// Words that players of subtitles would take for commands.
@Suite struct SubtitleEscapingTests {
    /// Words as they were said, and as SubRip and WebVTT have them. `~` is U+2060.
    static let texts = [
        (#"Open C:\new\home {laughs} now"#, #"Open C:\~new\~home ❴laughs❵ now"#, nil),
        ("if (x) { return }", "if (x) ❴ return ❵", nil),
        ("List<String>", "List<~String>", "List&lt;String&gt;"),
        (#"printf("\n")"#, #"printf("\~n")"#, nil),
        ("a < b && c > d", "a <~ b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("<b>bold</b>", "<~b>bold<~/b>", "&lt;b&gt;bold&lt;/b&gt;"),
        (#"{\an8}top"#, #"❴\an8❵top"#, nil),
        ("x --> y", "x --~> y", "x --&gt; y"),
        ("--->", "---~>", "---&gt;"),
        ("#!/bin/sh", "#!/bin/sh", nil),
        (#"\N \h \n \t \\"#, #"\~N \~h \~n \t \\"#, nil),
        (#"\\n \r\n \{x\}"#, #"\\~n \r\~n \❴x\❵"#, nil),
        ("<i", "<~i", "&lt;i"),
        ("{", "❴", nil),
        ("}", "❵", nil),
        ("&lt; &amp;", "&lt; &amp;", "&amp;lt; &amp;amp;"),
        ("<c.red>x</c>", "<~c.red>x<~/c>", "&lt;c.red&gt;x&lt;/c&gt;"),
        ("<00:01.000>", "<~00:01.000>", "&lt;00:01.000&gt;"),
        ("{y:i}", "❴y:i❵", nil),
        ("{1}{2}x", "❴1❵❴2❵x", nil),
        (#"\u00e9 /italic/ _under_ |"#, #"\u00e9 /italic/ _under_ |"#, nil),
        ("->", "->", "-&gt;"),
        (#"a\"#, #"a\"#, nil),
    ]

    @Test(arguments: texts)
    func text_isShownAsItWasSaid(said: String, srt: String, vtt: String?) {
        let written = [(SubtitleEscaping.subRip, srt), (.webVTT, vtt ?? srt)]
        for (escaping, expected) in written {
            let expected = expected.replacing("~", with: "\u{2060}")
            #expect(Array(escaping.escaped(said).utf8) == Array(expected.utf8))
        }
    }

    @Test(arguments: texts)
    func text_isRestored(said: String, srt: String, vtt: String?) {
        let marked = SubtitleEscaping.subRip.escaped(said)
        #expect(Array(SubtitleEscaping.subRip.restored(marked).utf8) == Array(said.utf8))
    }

    /// Only joiners that ``SubtitleEscaping`` writes are removed.
    @Test func joinersOfTheText_stay() {
        for text in ["a\u{2060}b", "\u{2060}", "\\\u{2060}t", "-\u{2060}>", "<<\u{200B}b"] {
            let restored = SubtitleEscaping.subRip.restored(text)
            #expect(Array(restored.utf8) == Array(text.utf8))
        }
        for text in ["<\u{2060}b", "--\u{2060}>"] {
            let restored = SubtitleEscaping.webVTT.restored(text)
            #expect(Array(restored.utf8) == Array(text.utf8))
        }
    }

    /// A joiner has no width, so that rows break as those of the plain words.
    @Test(arguments: [TranscriptFormat.srt, .vtt])
    func rows_breakWhereTheWordsDo(_ format: TranscriptFormat) throws {
        let text = String(repeating: #"<a>\n{b}--> "#, count: 7)
        var writer = EventWriter(format)
        let cues = try SubtitleCue.cues(in: writer.text(for: [.line(captionLine(1, text))]))
        let escaping = format == .srt ? SubtitleEscaping.subRip : .webVTT
        #expect(cues.map(\.rows) == CaptionRows.cues(of: text).map { $0.map(escaping.escaped) })
        #expect(cues[0].rows.count == 2)
    }

    /// Every name of a speaker is in WebVTT as it was given.
    @Test func voiceTags_keepTheName() {
        var line = captionLine(1, "x")
        line.speaker = #"Ann {\n} <b>"#
        var writer = EventWriter(.vtt)
        #expect(writer.text(for: [.line(line)]).contains("\n<v Ann {\\n} &lt;b&gt;>x\n"))
    }
}
