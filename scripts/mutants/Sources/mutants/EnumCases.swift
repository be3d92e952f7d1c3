import SwiftSyntax

/// The enums of all files: which case may stand where another does.
final class EnumCases: SyntaxVisitor {
    /// Those of each enum that carry no values.
    private var enums: [[String]] = []

    /// Another case of the only enum that has this one.
    func other(than name: String) -> String? {
        let having = enums.filter { $0.contains(name) }
        guard having.count == 1, let cases = having.first, cases.count > 1 else { return nil }
        return cases[(cases.firstIndex(of: name)! + 1) % cases.count]
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enums.append(
            node.memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }
                .flatMap(\.elements).filter { $0.parameterClause == nil }.map(\.name.text))
        return .visitChildren
    }
}
