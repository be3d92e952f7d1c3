import Foundation
import TestSupport
import Testing

/// What somebody finds who writes `import Beamscribe` and has nothing else of the project.
@Suite struct PublicInterfaceTests {
    private static let modules = [
        "Beamscribe", "BeamscribeCore", "BeamscribeDiscovery", "BeamscribeIO", "BeamscribeInput",
        "BeamscribeTLS", "BeamscribeVoice",
    ]

    /// The machines behind the library: public for the program, and no values that the library
    /// hands out. They come up where a value is made by one of them.
    private static let machines: Set = [
        "Alert", "BeaconPayload", "ConnectionTrouble", "EventLog", "EventLoop", "GuestSession",
        "HeardBeacon", "InputEvent", "InputParser", "InputReader", "Interest", "LiveChunk",
        "LoopTimer", "Moment", "Refusal", "Registration", "Replica", "SessionFiles", "SessionLog",
        "SinkName", "SinkPlace", "Transcript", "TranscriptCursor",
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: The interface

    @Test func everyPublicSymbol_isDocumented() async throws {
        let interface = try await PublicInterface(
            of: ["Beamscribe"], exporting: Self.modules, in: folder)
        let names = Set(interface.symbols.values.map(\.name))
        #expect(names.isSuperset(of: ["Host", "TranscriptLine.text", "HostKey"]))
        let silent = interface.symbols.values.filter { !$0.isDocumented }.map(\.name).sorted()
        #expect(silent == [], "These have no comment")
    }

    @Test func everyTypeThatItMentions_comesWithIt() async throws {
        let interface = try await PublicInterface(of: Self.modules, in: folder)
        let exported = try Repository.read("Sources/Beamscribe/Exports.swift")
            .split(separator: "\n").filter { $0.hasPrefix("@_exported") }
            .compactMap { $0.split(separator: ".").last.map(String.init) }
        let mentioned = interface.typesMentioned(by: "Beamscribe", without: Self.machines)
        #expect(mentioned.contains("TranscriptLine") && mentioned.contains("HostKey"))
        #expect(mentioned.subtracting(exported).sorted() == [], "Exports.swift lacks these")
        let known = Set(interface.symbols.values.map(\.name))
        let needless = Set(exported).subtracting(mentioned).intersection(known)
        #expect(needless.sorted() == [], "Exports.swift has these for nothing")
    }

    // MARK: The programs of docs/LIBRARY.md

    @Test(arguments: ["Captioner", "Listener", "Seat"])
    func program_isTheOneThatIsBuilt(name: String) throws {
        let program = try Repository.read("Tests/Outside/Sources/\(name)/\(name).swift")
        let page = try Repository.read("docs/LIBRARY.md")
        #expect(page.contains("```swift\n\(program)```\n"))
        let lines = program.split(separator: "\n")
        #expect(lines.count <= 40)
        #expect(lines.filter { $0.contains("import ") } == ["import Beamscribe"])
    }
}
