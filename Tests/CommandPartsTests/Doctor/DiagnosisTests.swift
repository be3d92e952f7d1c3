import BeamscribeTerminal
import Foundation
import TestSupport
import Testing

@testable import BeamscribeCommand

/// The report and the verdict.
@Suite struct DiagnosisTests {
    private let fine = CheckResult.ok(.avahi, "It runs.")
    private let noted = CheckResult(.bluetooth, .note, "None.", "Ok.")
    private let warned = CheckResult(
        .clock, .warning, "It is off.", "Set it.")
    private let broken = CheckResult(
        .firewall, .problem, "It drops.", "Run `ufw allow x`.")

    @Test func verdict_isOk_withWarningsAlone() {
        let diagnosis = Diagnosis([fine, noted, warned])
        #expect(diagnosis.verdict == .ok)
        #expect(diagnosis.sentence == "beamscribe works here. Worth a look: Clock.")
        #expect(Diagnosis([fine, noted]).sentence == "beamscribe works here.")
    }

    @Test func verdict_isProblem_withOneProblem() {
        let diagnosis = Diagnosis([fine, broken, warned])
        #expect(diagnosis.verdict == .problem)
        #expect(diagnosis.sentence.hasSuffix("What needs repair: Firewall."))
    }

    @Test func json_hasTheDocumentedKeys() throws {
        let text = Diagnosis([fine, broken]).line
        #expect(
            text == """
                {"checks":[{"check":"avahi","found":"It runs.","status":"ok"},\
                {"advice":"Run `ufw allow x`.","check":"firewall","found":"It drops.",\
                "status":"problem"}],"verdict":"problem"}

                """)
    }

    @Test func report_isAligned_andEndsWithTheVerdict() {
        let report = DiagnosisReport(columns: 80, style: TerminalStyle(colour: false))
        #expect(
            report.text(Diagnosis([fine, broken])) == """
                ok       Avahi         It runs.
                problem  Firewall      It drops.
                         -> Run `ufw allow x`.

                beamscribe does not fully work here as things are. What needs repair: Firewall.

                """)
    }

    @Test func report_saysTheSame_withColour() {
        let diagnosis = Diagnosis([fine, noted, warned, broken])
        let plain = DiagnosisReport(columns: 80, style: TerminalStyle(colour: false))
        let coloured = DiagnosisReport(columns: 80, style: TerminalStyle(colour: true))
        let text = coloured.text(diagnosis)
        #expect(text.contains("\u{1B}[31mproblem"))
        #expect(text.contains("\u{1B}[33mwarning"))
        #expect(text.replacing(/\u{1B}\[[0-9;]*m/, with: "") == plain.text(diagnosis))
        #expect(!plain.text(diagnosis).contains("\u{1B}"))
    }

    @Test(arguments: [1, 40, 61, 80, 200])
    func report_fits_whateverTheWidth(_ columns: Int) {
        let long = Array(repeating: "several words of 192.0.2.1", count: 12).joined(separator: ", ")
        let command = "`sudo nft insert rule inet filter input udp dport 5353 accept`"
        let result = CheckResult(
            .stateFolder, .problem, long, "Do \(command) \(long).")
        let report = DiagnosisReport(columns: columns, style: TerminalStyle(colour: false))
        let rows = report.text(Diagnosis([result])).split(separator: "\n")
        let width = max(40, min(columns, 80))
        #expect(rows.allSatisfy { CharacterWidths.common.columns(of: $0) <= width })
        if columns >= 80 { #expect(rows.contains { $0.contains(command) }) }
    }

    @Test func report_hasNoControlCharacters_whateverWasFound() {
        let evil = "a\u{1B}[2Jb\u{7}\nc"
        let result = CheckResult(.port, .warning, evil, evil)
        let report = DiagnosisReport(columns: 80, style: TerminalStyle(colour: false))
        #expect(!report.text(Diagnosis([result])).hasControlCharacters)
    }
}
