import ArgumentParser
import BeamscribeCore
import BeamscribeIO

/// Where an export begins or ends: at a line, or at a time of day.
enum ExportBound: Equatable, ExpressibleByArgument {
    case line(Int)
    case time(hour: Int, minute: Int, second: Int)

    /// "100", "10:30" or "10:30:05".
    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } })
        else {
            return nil
        }
        let numbers = parts.compactMap { Int(bounded: $0) }
        guard numbers.count == parts.count else { return nil }
        switch numbers.count {
        case 1 where numbers[0] >= 1: self = .line(numbers[0])
        case 2...3 where numbers[0] < 24 && numbers.dropFirst().allSatisfy { $0 < 60 }:
            self = .time(
                hour: numbers[0], minute: numbers[1], second: numbers.count == 3 ? numbers[2] : 0)
        default: return nil
        }
    }

    var line: Int? { if case .line(let seq) = self { seq } else { nil } }

    /// The time, in seconds since 1970, on the day of an event on which it is nearest to it; nil for a
    /// line.
    ///
    /// - Parameter event: the times of its first line and its last one.
    func moment(in event: ClosedRange<Double>) -> Double? {
        guard case .time(let hour, let minute, let second) = self else { return nil }
        let start = LocalTime(event.lowerBound)
        // A log from elsewhere may have any times.
        let days = Int(saturating: min((event.upperBound - event.lowerBound) / 86_400, 366)) + 2
        let moments = (-1...days).map {
            start.time(hour: hour, minute: minute, second: second, days: $0)
        }
        let distance = { (moment: Double) in
            max(event.lowerBound - moment, moment - event.upperBound, 0)
        }
        return moments.min { distance($0) < distance($1) }
    }
}

extension LocalTime {
    /// "09:05:07"
    var timeWithSeconds: String { timeOfDay + ":" + second.twoDigits }
}
