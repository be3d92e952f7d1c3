import Foundation
import TestSupport

/// The most memory that `program` ever had, in KiB.
func peakMemory(of program: RunningProgram) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? .max
}
