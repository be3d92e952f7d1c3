import FoundationEssentials
import FuzzTargets

/// The committed inputs of a target: seeds, what fuzzing found worth keeping, and every input that
/// ever broke a promise (`crash-...`).
enum Corpus {
    struct Input: CustomStringConvertible, Sendable {
        var target: FuzzTarget
        var file: String
        var bytes: [UInt8]

        var description: String { "\(target)/\(file)" }
    }

    /// The files lie beside this one: they are many, and no bundle has to be built for them.
    static let folder = #filePath.dropLast("Corpus.swift".count) + "Corpus/"

    /// The inputs of `target`, by name; empty where its folder is missing.
    static func inputs(of target: FuzzTarget) -> [Input] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder + target.name)
        return (files ?? []).sorted().compactMap { file in
            let path = "\(folder)\(target.name)/\(file)"
            guard let data = FileManager.default.contents(atPath: path) else { return nil }
            return Input(target: target, file: file, bytes: Array(data))
        }
    }
}
