import Foundation
import Testing

@testable import BeamscribeCore

/// Numbers from outside become ours in one place, and nowhere by a conversion that can end the
/// program.
///
/// The compiler refuses such conversions wherever BeamscribeCore is imported
/// (`UncheckedConversions.swift`). The tests look for what it cannot see.
@Suite struct NumberRulesTests {
    // MARK: What the compiler refuses

    /// Each ends the program for some number, and is written in the place of a rule above it.
    static let traps = [
        "func f(_ x: Double) -> Int { Int(x) }",
        "func f(_ x: Float) -> Int { Int(x) }",
        "func f(_ x: Double) -> UInt8 { UInt8(x) }",
        "func f(_ x: Double) -> Int64 { Int64(x.rounded()) }",
        "func f(_ x: UInt64) -> Int { Int(x) }",
        "func f(_ x: UInt) -> Int { .init(x) }",
        "func f(_ x: Int) -> UInt64 { UInt64(x) }",
        "func f(_ x: Int) -> UInt32 { UInt32(x) }",
        "func f(_ x: Int) -> UInt16 { UInt16(x) }",
        "func f(_ x: Int) -> UInt8 { UInt8(x) }",
        "func f(_ x: Int) -> Int32 { Int32(x) }",
        "func f(_ x: Int) -> CInt { CInt(x) }",
        "func f(_ x: Int) -> Int16 { Int16(x) }",
        "func f(_ x: UInt32) -> Int32 { Int32(x) }",
        "func f(_ x: UInt32) -> UInt16 { UInt16(x) }",
        "func f(_ x: UInt16) -> UInt8 { UInt8(x) }",
        "func f(_ x: [Int]) -> [UInt8] { x.map { UInt8($0) } }",
        "func f(_ x: [Double]) -> [Int] { x.map(Int.init) }",
        "func f(_ x: String) -> Int? { Int(x) }",
        "func f(_ x: Substring) -> Int? { Int(x) }",
        "func f(_ x: Double) -> Duration { .seconds(x) }",
        "func f(_ x: Double) -> Duration { .milliseconds(x * 2) }",
        "func f(_ x: Double) -> Duration { Duration.seconds(2.5 * x) }",
        "func f(_ x: UInt32, _ y: UInt32) -> UInt32 { x + y }",
        "func f(_ x: UInt16) -> UInt16 { x - 1 }",
        "func f(_ x: inout UInt8) { x += 200 }",
        "func f(_ x: UInt32) -> UInt32 { x * 1_000 }",
    ]

    /// Cannot end the program, and are to be written.
    static let sound = [
        "func f(_ x: UInt8, _ y: UInt32, _ z: Int32) -> Int { Int(x) + Int(y) + Int(z) }",
        "func f(_ x: Double) -> Int { Int(saturating: x) }",
        "func f(_ x: Int) -> UInt32 { UInt32(clamping: x) }",
        "func f(_ x: Int) -> UInt16? { UInt16(exactly: x) }",
        "func f(_ x: Double) -> Duration { .seconds(saturating: x) + .seconds(3) }",
        "func f(_ x: UInt32) -> UInt32 { x &+ 1 }",
        "func f(_ x: String) -> Int? { Int(bounded: x) }",
    ]

    @Test func compiler_refusesEachTrap_andNothingThatIsSound() throws {
        let (status, _) = try compile(Self.sound)
        #expect(status == 0)
        let (_, said) = try compile(Self.traps)
        let refused = Set(
            said.split(separator: "\n").compactMap { row -> Int? in
                guard row.contains("snippets.swift:"), row.contains(" error: ") else { return nil }
                return row.split(separator: ":").dropFirst().first.flatMap { Int(bounded: $0) }
            })
        let missed = Self.traps.indices.filter { !refused.contains($0 + 2) }.map { Self.traps[$0] }
        #expect(missed.isEmpty, "\(missed) \(said)")
    }

    /// The package as the compiler was told: the folder's name, as an identifier.
    private static let package: String = {
        let folder =
            #filePath.components(separatedBy: "/Tests/")[0].split(separator: "/").last ?? ""
        let name = folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return String(name.first?.isNumber == true ? ["_"] + name.dropFirst() : name)
    }()

    /// Compiles lines as the program's targets are compiled.
    private func compile(_ lines: [String]) throws -> (status: Int32, said: String) {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "number-rules-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "snippets.swift")
        let numbered = lines.enumerated().map { index, line in
            line.replacing("func f(", with: "func f\(index)(")
        }
        try (["import BeamscribeCore"] + numbered).joined(separator: "\n")
            .write(to: file, atomically: true, encoding: .utf8)
        let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-package-name", Self.package,
            "-I", built.appending(path: "Modules").path, "-Werror", "DeprecatedDeclaration",
            file.path,
        ]
        let output = Pipe()
        (compiler.standardError, compiler.standardOutput) = (output, output)
        try compiler.run()
        let said = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        compiler.waitUntilExit()
        return (compiler.terminationStatus, said)
    }

    // MARK: What it cannot see

    private struct Source {
        let path: String
        /// Its lines without comments.
        let code: [String]
        var importsCore: Bool {
            path.hasPrefix("BeamscribeCore/")
                || code.contains { $0.hasSuffix("import BeamscribeCore") }
        }
    }

    private static let sources: [Source] = {
        let root = #filePath.components(separatedBy: "/Tests/")[0] + "/Sources/"
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String }
        return (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            guard let text = try? String(contentsOfFile: root + path, encoding: .utf8) else {
                return nil
            }
            let lines = text.split(separator: "\n").map(String.init)
            let code = lines.filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }
            return Source(path: path, code: code)
        }
    }()

    private func rows(matching pattern: some RegexComponent, besides allowed: String = "")
        -> [String]
    {
        Self.sources.filter { $0.path != allowed }.flatMap { source in
            source.code.filter { $0.contains(pattern) }.map { "\(source.path): \($0)" }
        }
    }

    @Test func sources_areFound() { #expect(Self.sources.count > 500) }

    /// Without the import the compiler takes the standard library's conversions, and says nothing.
    @Test func everyFileThatConvertsNumbers_importsWhatRefusesTraps() {
        let conversion =
            /\b(U?Int(8|16|32|64)?|CInt|CLong|time_t|s?size_t|socklen_t)\(|\.(milli|micro|nano)?seconds\(|\bUInt(8|16|32)\b/
        let files = Self.sources.filter { source in
            !source.importsCore && source.code.contains { $0.contains(conversion) }
        }
        #expect(files.map(\.path).isEmpty, "\(files.map(\.path))")
    }

    @Test func jsonFromOutside_isReadByTheDecoderThatBoundsNumbers() {
        let other = rows(
            matching: /JSONDecoder|JSONSerialization|PropertyListDecoder/,
            besides: "BeamscribeCore/Numbers/SaturatingDecoder.swift")
        #expect(other.isEmpty, "\(other)")
    }

    @Test func numbersAreNotForced() {
        let forced = rows(
            matching: /numericCast\(|(?:exactly|bounded): [^()]*(?:\([^()]*\)[^()]*)*\)!/)
        #expect(forced.isEmpty, "\(forced)")
    }

    /// What traps is declared in one file, and is refused there by nobody.
    @Test func trapsAreRefusedInEveryTarget() throws {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let package = try String(contentsOfFile: root + "/Package.swift", encoding: .utf8)
        #expect(package.contains(#".treatWarning("DeprecatedDeclaration", as: .error)"#))
        let own = package.components(separatedBy: "swiftSettings: programSettings").count - 1
        // The function for libraries, the page, and the program.
        #expect(own == 3, "\(own) targets of the program")
    }

    // MARK: The conversions themselves

    @Test(arguments: [
        (0, 0), (1.9, 1), (-2.5, -2), (1e300, Limits.lineNumber), (-1e300, -Limits.lineNumber),
        (Double.infinity, Limits.lineNumber), (.nan, 0),
    ])
    func wholeNumber_isBounded(_ value: Double, _ expected: Int) {
        #expect(Int(bounding: Int(saturating: value)) == expected)
    }

    @Test(arguments: [
        ("7", 7), ("-7", -7), ("+7", 7), ("9007199254740991", 9_007_199_254_740_991),
        ("9007199254740992", nil), ("9223372036854775807", nil), ("-9223372036854775808", nil),
        ("99999999999999999999", nil), ("", nil), ("7.0", nil), (" 7", nil), ("0x7", nil),
    ])
    func digits_areBounded(_ text: String, _ expected: Int?) {
        #expect(Int(bounded: text) == expected)
        #expect(Int(bounded: text[...]) == expected)
    }

    @Test(
        arguments: [
            (0, .zero), (1.5, .milliseconds(1_500)), (-0.25, .milliseconds(-250)),
            (1e300, .seconds(10_000_000_000)), (-.infinity, .seconds(-10_000_000_000)),
            (.nan, .zero),
            (1e-300, .zero), (1_800_000_000.125, .milliseconds(1_800_000_000_125)),
        ] as [(Double, Duration)])
    func seconds_areBounded(_ value: Double, _ expected: Duration) {
        #expect(Duration.seconds(saturating: value) == expected)
    }

    // MARK: JSON

    private struct Sample: Codable, Equatable {
        struct Inner: Codable, Equatable {
            var deep: [[Int]]
            var by: [String: Double]
        }
        enum Kind: String, Codable { case one, two }
        var int: Int
        var optional: Int?
        var seconds: Double
        var float: Float
        var wide: UInt64
        var small: UInt8
        var port: UInt32
        var flag: Bool
        var text: String
        var data: Data
        var kind: Kind
        var inner: Inner
        var list: [Inner]
    }

    private func sample(_ whole: String, _ seconds: String, _ wide: String) -> String {
        let inner = #"{"deep":[[\#(whole)],[1,2]],"by":{"a":\#(seconds),"b":2.5}}"#
        return #"""
            {"int":\#(whole),"optional":\#(whole),"seconds":\#(seconds),"float":\#(seconds),
             "wide":\#(wide),"small":255,"port":4294967295,"flag":true,"text":"t","data":"AAEC",
             "kind":"two","inner":\#(inner),"list":[\#(inner)]}
            """#
    }

    @Test func decoder_boundsEveryNumber_howeverDeep() throws {
        let json = sample("9223372036854775807", "1e300", "18446744073709551615")
        let value = try OutsideJSON().decode(Sample.self, from: Data(json.utf8))
        let most = Limits.lineNumber
        let inner = Sample.Inner(deep: [[most], [1, 2]], by: ["a": 1e10, "b": 2.5])
        #expect(
            value
                == Sample(
                    int: most, optional: most, seconds: 1e10, float: 1e10,
                    wide: UInt64(most.magnitude), small: 255, port: .max, flag: true, text: "t",
                    data: Data([0, 1, 2]), kind: .two, inner: inner, list: [inner]))
    }

    @Test func decoder_readsWhatIsUsual_asTheGeneralOneDoes() throws {
        let json = sample("-42", "1800000000.25", "77")
        let data = Data(json.utf8)
        #expect(
            try OutsideJSON().decode(Sample.self, from: data)
                == JSONDecoder().decode(Sample.self, from: data))
    }

    @Test(arguments: [
        "{}", "[]", "7", #"{"int":"seven"}"#, #"{"int":null}"#, #"{"int":1e300}"#,
        #"{"int":18446744073709551616}"#, #"{"int":1.5}"#,
    ])
    func decoder_refuses_whatTheGeneralOneRefuses(_ json: String) {
        struct One: Codable { var int: Int }
        let data = Data(json.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(One.self, from: data) }
        #expect(throws: DecodingError.self) { try OutsideJSON().decode(One.self, from: data) }
    }

    /// The sentence leads its reader to the number, and not to a missing brace.
    @Test(arguments: ["1e300", "1e400", "18446744073709551616", "1.5", #""1""#])
    func packetWithANumberThatCannotBe_isRefusedByItsKey(_ number: String) {
        let text =
            #"{"type":"grant","event":"e","session":"s","key":"k","rank":1,"number":\#(number)}"#
        #expect(throws: PacketError.wrongShape(key: "number")) {
            try Array(text.utf8).withUnsafeBytes { bytes throws in
                try PacketDecoder().packet(bytes)
            }
        }
    }
}
