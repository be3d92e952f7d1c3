// Writes down all that can be changed in the given files, as JSON: `mutants ROOT FILE...`.
import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

let root = URL(filePath: CommandLine.arguments[1])
let cases = EnumCases(viewMode: .sourceAccurate)
var trees: [(file: String, tree: Syntax)] = []
for file in CommandLine.arguments.dropFirst(2) {
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    // An operator that is not Swift's own is left as it is.
    let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: text)) { _ in }
    cases.walk(tree)
    trees.append((file, tree))
}
let mutants = trees.flatMap { MutantFinder($0.file, $0.tree, cases).mutants }
let encoder = JSONEncoder()
encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
FileHandle.standardOutput.write(try encoder.encode(mutants))
