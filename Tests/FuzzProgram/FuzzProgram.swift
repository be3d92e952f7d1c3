import FuzzTargets
import Glibc

/// Fuzzes one target: `BeamscribeFuzz NAME [libFuzzer's own arguments]`. scripts/fuzz runs it.
@main
enum FuzzProgram {
    /// Set once, before the fuzzer runs.
    nonisolated(unsafe) static var target = FuzzTarget.all[0]

    static func main() {
        if let name = getenv(variable) {
            fuzz(String(cString: name), CommandLine.argc, CommandLine.unsafeArgv)
        }
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "--list": FuzzTarget.all.forEach { print("\($0.name)\t\($0.longest)\t\($0.summary)") }
        case "--words": printDictionary(of: arguments.dropFirst(2).first ?? "")
        case let name?:
            // The fuzzer is to see its own arguments only, behind the program's path, by which it
            // starts itself again to merge and to minimise; the name goes by the environment.
            setenv(variable, name, 1)
            CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
            fuzz(name, CommandLine.argc - 1, CommandLine.unsafeArgv + 1)
        case nil: refuse("name a target")
        }
    }

    private static let variable = "BEAMSCRIBE_FUZZ_TARGET"

    private static func fuzz(
        _ name: String, _ count: CInt,
        _ values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> Never {
        guard let named = FuzzTarget.named(name) else { refuse("there is no target \(name)") }
        target = named
        var count = count
        var values = values
        exit(runFuzzer(&count, &values, testOneInput))
    }

    private static func printDictionary(of name: String) {
        for word in FuzzTarget.named(name)?.words ?? [] {
            let escaped = word.utf8.map { byte in
                let digits = String(byte, radix: 16)
                return "\\x" + (digits.count == 1 ? "0" : "") + digits
            }
            print("\"\(escaped.joined())\"")
        }
    }

    private static func refuse(_ reason: String) -> Never {
        let sentence = "BeamscribeFuzz: \(reason); --list shows all\n"
        _ = write(STDERR_FILENO, sentence, sentence.utf8.count)
        exit(64)
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ values: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What libFuzzer calls with every input (its documentation: "Fuzz Target").
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try FuzzProgram.target.check(UnsafeRawBufferPointer(start: start, count: count))
        return 0
    } catch {
        fatalError("\(FuzzProgram.target.name): \(error)")
    }
}
