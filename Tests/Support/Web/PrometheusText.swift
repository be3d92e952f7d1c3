import Foundation

/// The text format that Prometheus reads, version 0.0.4, as its documentation has it: each family
/// has its help, its type and its samples together, and all ends with a line break.
public struct PrometheusText: Sendable {
    /// The values, by the sample's name with its labels as they stand.
    public private(set) var samples: [String: Double] = [:]
    /// The type of each family: counter or gauge.
    public private(set) var types: [String: String] = [:]

    private var family = ""

    public init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Self.wrong("no line break at the end", text) }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            try take(String(line))
        }
    }

    private mutating func take(_ line: String) throws {
        if let help = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) [^\\]+/) {
            family = String(help.output.1)
            guard types[family] == nil else { throw Self.wrong("a family twice", line) }
        } else if let type = line.wholeMatch(of: /# TYPE (\S+) (counter|gauge)/) {
            guard type.output.1 == family else { throw Self.wrong("a type without help", line) }
            types[family] = String(type.output.2)
        } else {
            try takeSample(line)
        }
    }

    private mutating func takeSample(_ line: String) throws {
        let label = /[a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*"/
        let shape = /((?:[a-zA-Z0-9_:])+)(\{[^{}]+\})? (\S+)/
        guard let parts = line.wholeMatch(of: shape)?.output, let value = Double(parts.3) else {
            throw Self.wrong("no sample", line)
        }
        guard parts.1 == family, types[family] != nil else {
            throw Self.wrong("a sample outside of its family", line)
        }
        let labels = (parts.2 ?? "").dropFirst().dropLast().split(separator: ",")
        guard try labels.allSatisfy({ try label.wholeMatch(in: $0) != nil }) else {
            throw Self.wrong("no label", line)
        }
        let name = "\(parts.1)\(parts.2 ?? "")"
        guard samples.updateValue(value, forKey: name) == nil else {
            throw Self.wrong("a sample twice", line)
        }
    }

    private static func wrong(_ what: String, _ line: String) -> WaitFailed {
        WaitFailed(what: "text for Prometheus", reason: "there is \(what)", seen: line)
    }
}
