import Testing

@testable import BeamscribeTerminal

/// Captions of scripts whose widths terminals disagree about are written one behind the other.
@Suite struct ScreenPainterTests {
    private let size = TerminalSize(columns: 12, rows: 4, widths: .common)
    private let caption = "ଓଡ଼ିଆ ଭାଷାରେ"

    private func rows(_ caption: String, _ status: String) -> [String] {
        [caption, "", "", status]
    }

    @Test func unchangedCaptions_areNotWrittenAgain() {
        var painter = ScreenPainter()
        let first = painter.update(rows(caption, "live"), captions: 3, size)
        #expect(first.contains(Control.eraseBelow) && first.contains(caption))
        let status = painter.update(rows(caption, "silent"), captions: 3, size)
        #expect(status.contains("silent") && !status.contains("live"))
        #expect(!status.contains(caption) && !status.contains(Control.eraseBelow))
        #expect(painter.update(rows(caption, "silent"), captions: 3, size) == "")
    }

    @Test func changedCaptions_areWrittenWithAllOthers() {
        var painter = ScreenPainter()
        _ = painter.update(rows(caption, "live"), captions: 3, size)
        let changed = painter.update([caption, "two", "", "live"], captions: 3, size)
        #expect(changed.contains(Control.eraseBelow) && changed.contains(caption))
        painter.damage()
        let damaged = painter.update([caption, "two", "", "live"], captions: 3, size)
        #expect(damaged.contains(Control.eraseBelow) && damaged.contains(caption))
    }

    /// The rows of before may stand elsewhere than in their places.
    @Test func plainCaptions_areWrittenAnew_behindThoseThatFlowed() {
        var painter = ScreenPainter()
        _ = painter.update(rows(caption, "live"), captions: 3, size)
        let plain = painter.update(rows("plain", "live"), captions: 3, size)
        #expect(plain.contains(Control.eraseBelow) && plain.contains("plain"))
        let next = painter.update(rows("plainly", "live"), captions: 3, size)
        #expect(!next.contains(Control.eraseBelow) && next.contains("plainly"))
    }
}
