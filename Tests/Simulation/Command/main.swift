import Dispatch
import FoundationEssentials
import Glibc

// The simulator as a program, built by scripts/simulate:
//
//     simulate seeds FROM TO        runs these seeds
//     simulate survey FROM TO       ... and goes on after a failure
//     simulate seconds N            runs fresh seeds for so long; 0 for ever
//     simulate KIND ...             ... of another kind than events with TLS: of SimulatedKind
//
// Two threads take the seeds in turn. It ends with 1 at the first failure, which is printed.

var arguments = Array(CommandLine.arguments.dropFirst())
let kind = arguments.first.flatMap(SimulatedKind.init(rawValue:))
if kind != nil { arguments.removeFirst() }
let numbers = arguments.dropFirst().compactMap { UInt64($0) }
var random = SystemRandomNumberGenerator()
switch (arguments.first, numbers.count) {
case ("seeds", 2) where numbers[0] <= numbers[1]:
    SeedHunt(from: numbers[0], through: numbers[1], seconds: 0, kind ?? .event).run()
case ("survey", 2) where numbers[0] <= numbers[1]:
    SeedHunt(from: numbers[0], through: numbers[1], seconds: 0, goesOn: true, kind ?? .event)
        .run()
case ("seconds", 1):
    // Below 2^53, so that a seed is a number everywhere.
    let first = UInt64.random(in: 1..<(1 << 52), using: &random)
    print("fresh seeds, from \(first) on")
    SeedHunt(from: first, through: .max, seconds: Int(numbers[0]), kind ?? .event).run()
default:
    print(
        "usage: simulate [plain|mesh|voice|backbone] seeds FROM TO | simulate survey FROM TO | simulate seconds N"
    )
    exit(2)
}
