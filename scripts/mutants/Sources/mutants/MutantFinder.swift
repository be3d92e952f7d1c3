import SwiftSyntax

/// Finds what can be changed in a file.
final class MutantFinder: SyntaxVisitor {
    private(set) var mutants: [Mutant] = []
    private let file: String
    private let cases: EnumCases
    private let locations: SourceLocationConverter
    /// How many initialisers this place is in: what they leave out is an error.
    private var initialisers = 0

    /// What stands for an operator. A copy of the operands goes before the original.
    private static let operators = [
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
        "+": "-", "-": "+",
    ]
    /// Without these a sound program does the same.
    private static let idle: Set = [
        "precondition", "preconditionFailure", "assert", "fatalError", "reserveCapacity",
    ]
    /// What is said of a thing, and what is looked at by tests alone.
    private static let told: Set = ["description", "debugDescription", "brokenInvariant"]

    init(_ file: String, _ tree: Syntax, _ cases: EnumCases) {
        self.file = file
        self.cases = cases
        locations = SourceLocationConverter(fileName: file, tree: tree)
        super.init(viewMode: .sourceAccurate)
        walk(tree)
    }

    private func add(
        _ node: some SyntaxProtocol, _ before: String, _ after: String, _ change: String
    ) {
        let start = node.positionAfterSkippingLeadingTrivia
        let words = change.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        mutants.append(
            Mutant(
                file: file, line: locations.location(for: start).line, start: start.utf8Offset,
                end: node.endPositionBeforeTrailingTrivia.utf8Offset, before: before, after: after,
                change: words))
    }

    /// `other` instead of `node`, on one line, so that lines keep their numbers.
    private func replace(_ node: some SyntaxProtocol, by other: String) {
        guard !other.contains("//"), !other.contains("\"\"\"") else { return }
        let line = other.split(separator: "\n").map(String.init).joined(separator: " ")
        add(node, "(isMutant(#) ? \(line) : ", ")", "\(node.trimmed) -> \(line)")
    }

    // MARK: Where nothing is changed

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let isTold = Self.told.contains { node.name.text.hasPrefix($0) }
        return isTold || isInlinable(node.attributes) ? .skipChildren : .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.bindings.first?.pattern.trimmedDescription ?? ""
        return Self.told.contains(name) || isInlinable(node.attributes)
            ? .skipChildren : .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        initialisers += 1
        return isInlinable(node.attributes) ? .skipChildren : .visitChildren
    }
    override func visitPost(_ node: InitializerDeclSyntax) { initialisers -= 1 }

    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }
    override func visit(_ node: FunctionParameterClauseSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }

    private func isInlinable(_ attributes: AttributeListSyntax) -> Bool {
        attributes.contains { $0.trimmedDescription == "@inlinable" }
    }

    // MARK: Conditions turned round

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { turnRound(condition) }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        turnRound(node.condition)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        turnRound(node.condition)
        return .visitChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let isCondition = node.parent?.is(ConditionElementSyntax.self) == true
        if !isCondition { add(node, "(isMutant(#) != ", ")", "\(node.trimmed) -> the contrary") }
        return .visitChildren
    }

    private func turnRound(_ condition: ExprSyntax) {
        let text = condition.trimmedDescription
        guard text != "true", !text.hasPrefix("try"), !text.hasPrefix("await") else { return }
        add(condition, "(isMutant(#) != (", "))", "\(text) -> the contrary")
    }

    // MARK: Bounds moved

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let sign = node.operator.trimmedDescription
        guard let other = Self.operators[sign] else { return .visitChildren }
        let isCondition = node.parent?.is(ConditionElementSyntax.self) == true
        if isCondition, sign == "==" || sign == "!=" { return .visitChildren }
        let (left, right) = (
            node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription
        )
        replace(node, by: "\(left) \(other) \(right)")
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let digits = node.literal.text.filter { $0 != "_" }
        guard let value = Int(digits) else { return .visitChildren }
        replace(node, by: "\(value + 1)")
        if value > 0 { replace(node, by: "\(value - 1)") }
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.calledExpression.trimmedDescription
        if Self.idle.contains(name) { return .skipChildren }
        if name == "min" || name == "max" {
            let others = node.arguments.trimmedDescription
            replace(node, by: "\(name == "min" ? "max" : "min")(\(others))")
        }
        return .visitChildren
    }

    // MARK: Cases swapped

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        let isCalled = node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id == node.id
        guard node.base == nil, !isCalled else { return .visitChildren }
        if let other = cases.other(than: node.declName.trimmedDescription) {
            replace(node, by: ".\(other)")
        }
        return .visitChildren
    }

    // MARK: Statements taken away

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        if canGo(node) {
            add(node.item, "if !isMutant(#) { ", " }", "without: \(node.item.trimmedDescription)")
        }
        return .visitChildren
    }

    private func canGo(_ node: CodeBlockItemSyntax) -> Bool {
        guard let list = node.parent?.as(CodeBlockItemListSyntax.self), let block = list.parent,
            !block.is(SourceFileSyntax.self)
        else { return false }
        if let expression = node.item.as(ExprSyntax.self) {
            return !isValue(list, of: block) && doesSomething(expression)
        }
        let isLast = list.last?.id == node.id
        if isLast, block.parent?.is(GuardStmtSyntax.self) == true { return false }
        if let leave = node.item.as(ReturnStmtSyntax.self) { return leave.expression == nil }
        return node.item.is(ContinueStmtSyntax.self)
    }

    /// Whether a single statement is what its block gives.
    private func isValue(_ list: CodeBlockItemListSyntax, of block: Syntax) -> Bool {
        guard list.count == 1 else { return false }
        if block.is(ClosureExprSyntax.self) || block.is(AccessorBlockSyntax.self) { return true }
        let function = block.parent?.as(FunctionDeclSyntax.self)
        return function?.signature.returnClause != nil
            || block.parent?.is(AccessorDeclSyntax.self) == true
    }

    private func doesSomething(_ expression: ExprSyntax) -> Bool {
        if let tried = expression.as(TryExprSyntax.self) { return doesSomething(tried.expression) }
        if let awaited = expression.as(AwaitExprSyntax.self) {
            return doesSomething(awaited.expression)
        }
        if let call = expression.as(FunctionCallExprSyntax.self) {
            let name = call.calledExpression.trimmedDescription
            let last = name.split(separator: ".").last.map(String.init) ?? name
            return !Self.idle.contains(last) && !name.hasSuffix(".init")
        }
        guard let assignment = expression.as(InfixOperatorExprSyntax.self), initialisers == 0,
            assignment.operator.is(AssignmentExprSyntax.self)
                || assignment.operator.trimmedDescription.hasSuffix("=")
        else { return false }
        return assignment.leftOperand.trimmedDescription != "_"
            && Self.operators[assignment.operator.trimmedDescription] == nil
    }
}
