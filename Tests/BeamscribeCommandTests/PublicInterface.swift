import Foundation
import TestSupport

/// The public symbols of modules that were built with the tests, as the compiler tells them.
struct PublicInterface {
    /// A public symbol.
    struct Symbol {
        /// `Outer.inner`.
        let name: String
        let module: String
        let isDocumented: Bool
        let isType: Bool
        /// The types that its declaration names, by their ids.
        let mentions: [String]
        /// The id of what it is a member of.
        var owner: String?
    }

    /// They by their ids.
    private(set) var symbols: [String: Symbol] = [:]

    /// - Parameters:
    ///   - exporting: the modules of whose symbols those count that another module exports.
    ///   - folder: where the compiler may write.
    init(
        of modules: [String], exporting: [String] = [], in folder: TemporaryFolder
    ) async throws {
        for module in modules {
            try await Self.extract(module, exporting: exporting, into: folder.path)
            let file = URL(filePath: folder.path(of: "\(module).symbols.json"))
            let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
            for symbol in graph.symbols {
                symbols[symbol.identifier.precise] = Symbol(symbol, in: module)
            }
            for relation in graph.relationships where relation.kind == "memberOf" {
                symbols[relation.source]?.owner = relation.target
            }
        }
    }

    /// The types of other modules without which a module's own, and what they lead to, cannot be
    /// named: the outermost, for what is in them comes with them.
    ///
    /// - Parameter others: types that need no name; what is in them may lead on, they do not.
    func typesMentioned(by module: String, without others: Set<String>) -> Set<String> {
        let members = Dictionary(grouping: symbols.values.filter { $0.owner != nil }, by: \.owner)
        var waiting = symbols.values.filter { $0.module == module }
        var found: Set<String> = []
        while let symbol = waiting.popLast() {
            for id in symbol.mentions {
                guard let type = symbols[id], type.isType, type.module != module else { continue }
                if others.contains(type.name) || !found.insert(id).inserted { continue }
                waiting += members[id] ?? []
            }
        }
        let outermost = found.compactMap { symbols[$0]?.name.prefix { $0 != "." } }
        return Set(outermost.map(String.init)).subtracting(others)
    }

    /// Errors that the compiler only prints are no reason to stop: it writes the graph all the same.
    private static func extract(
        _ module: String, exporting: [String], into folder: String
    ) async throws {
        let modules = Binary.path(of: "Modules")
        let maps = try FileManager.default.contentsOfDirectory(
            atPath: Repository.path(of: "Sources"))
        let flags = maps.filter { $0.hasPrefix("C") }.flatMap { name in
            let written = Repository.path(of: "Sources/\(name)/module.modulemap")
            let made = Binary.path(of: "\(name).build/module.modulemap")
            let map = FileManager.default.fileExists(atPath: written) ? written : made
            return ["-Xcc", "-fmodule-map-file=\(map)"]
        }
        var launch = Launch(
            "swift",
            arguments: [
                "symbolgraph-extract", "-module-name", module, "-I", modules, "-target", target,
                "-minimum-access-level", "public", "-skip-synthesized-members",
                "-experimental-allowed-reexported-modules=\(exporting.joined(separator: ","))",
                "-output-dir", folder,
            ] + flags)
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.waitForExit(within: .seconds(120))
    }

    private static var target: String {
        #if arch(arm64)
            "aarch64-unknown-linux-gnu"
        #else
            "x86_64-unknown-linux-gnu"
        #endif
    }
}

extension PublicInterface.Symbol {
    fileprivate init(_ symbol: Graph.Symbol, in module: String) {
        name = symbol.pathComponents.joined(separator: ".")
        self.module = module
        isDocumented = symbol.docComment != nil
        let types = ["swift.struct", "swift.class", "swift.enum", "swift.protocol"]
        isType = types.contains(symbol.kind.identifier)
        mentions = (symbol.declarationFragments ?? [])
            .filter { $0.kind == "typeIdentifier" }.compactMap(\.preciseIdentifier)
    }
}

/// What `swift symbolgraph-extract` writes, as far as it is looked at.
private struct Graph: Decodable {
    var symbols: [Symbol]
    var relationships: [Relationship]

    struct Symbol: Decodable {
        var identifier: Identifier
        var kind: Kind
        var pathComponents: [String]
        var docComment: Comment?
        var declarationFragments: [Fragment]?
    }

    struct Identifier: Decodable { var precise: String }
    struct Kind: Decodable { var identifier: String }
    struct Comment: Decodable {}
    struct Fragment: Decodable {
        var kind: String
        var preciseIdentifier: String?
    }
    struct Relationship: Decodable { var kind, source, target: String }
}
