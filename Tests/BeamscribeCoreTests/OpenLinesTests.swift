import BeamscribeCore
import Testing

@Suite struct OpenLinesTests {
    private func full() -> OpenLines<String, Int> {
        var lines = OpenLines<String, Int>()
        for number in 1...Limits.openLines { #expect(lines.set("\(number)", number) == nil) }
        return lines
    }

    @Test func oldest_givesWay_whereThereAreTooMany() {
        var lines = full()
        let oldest = lines.set("new", 0)
        #expect(oldest?.id == "1" && oldest?.value == 1)
        #expect(lines.entries.map(\.id).first == "2" && lines.entries.map(\.id).last == "new")
        #expect(lines.entries.count == Limits.openLines && !lines.contains("1"))
    }

    @Test func line_keepsItsPlace_whereItIsSet_andIsTheNewestWhereItIsRenewed() {
        var lines = full()
        #expect(lines.set("1", 7) == nil && lines.entries.first?.value == 7)
        #expect(lines.renew("1", 8) == nil && lines.entries.last?.value == 8)
        #expect(lines.entries.count == Limits.openLines && lines["1"] == 8)
        #expect(lines.set("new", 0)?.id == "2")
    }

    @Test func line_isGone_onceItIsClosed() {
        var lines = full()
        #expect(lines.close("3") == 3 && lines.close("3") == nil && lines["3"] == nil)
        lines.changeAll { $0 *= 2 }
        #expect(lines["4"] == 8)
        lines.closeAll()
        #expect(lines.entries.isEmpty)
    }
}
