// Writes down, as JSON, how changes are made that can be chosen while the program runs.
//
//   mutants ROOT FILE...    all that can be changed in the given files
//   mutants ROOT < JSON     the given mutations; for each the blocks that hold it, the smallest first
import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

let root = URL(filePath: CommandLine.arguments[1])
let files = CommandLine.arguments.dropFirst(2)
let encoder = JSONEncoder()
encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]

func text(of file: String) throws -> String {
    try String(contentsOf: root.appending(path: file), encoding: .utf8)
}

if files.isEmpty {
    let mutations = try JSONDecoder().decode(
        [Mutation].self, from: FileHandle.standardInput.readToEnd() ?? Data())
    var sources: [String: SourceText] = [:]
    for file in Set(mutations.map(\.file)) {
        sources[file] = SourceText(Array(try text(of: file).utf8))
    }
    let mutants = mutations.map { mutation in
        MutationPlacer(mutation, in: sources[mutation.file]!)?.mutants() ?? []
    }
    FileHandle.standardOutput.write(try encoder.encode(mutants))
} else {
    let cases = EnumCases(viewMode: .sourceAccurate)
    var trees: [(file: String, tree: Syntax)] = []
    for file in files {
        // An operator that is not Swift's own is left as it is.
        let tree = OperatorTable.standardOperators
            .foldAll(Parser.parse(source: try text(of: file))) { _ in }
        cases.walk(tree)
        trees.append((file, tree))
    }
    let mutants = trees.flatMap { MutantFinder($0.file, $0.tree, cases).mutants }
    FileHandle.standardOutput.write(try encoder.encode(mutants))
}
