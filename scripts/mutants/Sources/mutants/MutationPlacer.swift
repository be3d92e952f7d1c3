import SwiftParser
import SwiftSyntax

/// A text of a file that somebody would have replaced by another.
struct Mutation: Codable {
    /// Relative to the root of the tree.
    let file: String
    /// It is there once.
    let old: String
    let new: String
}

/// A file as it is read.
struct SourceText {
    let bytes: [UInt8]
    let tree: SourceFileSyntax

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tree = Parser.parse(source: String(decoding: bytes, as: UTF8.self))
    }
}

/// Finds the blocks of a file that can be there twice: as they are, and with a mutation.
struct MutationPlacer {
    private let mutation: Mutation
    private let file: SourceText
    private let changed: [UInt8]
    /// The bytes that the mutation changes, and by how many bytes it makes the file longer.
    private let range: Range<Int>
    private let growth: Int

    /// A text that is not there has no places.
    init?(_ mutation: Mutation, in file: SourceText) {
        let (old, new) = (Array(mutation.old.utf8), Array(mutation.new.utf8))
        guard let start = file.bytes.firstRange(of: old)?.lowerBound else { return nil }
        self.mutation = mutation
        self.file = file
        changed = file.bytes[..<start] + new + file.bytes[(start + old.count)...]
        growth = new.count - old.count
        // The same words at both ends are not what is changed.
        let shorter = min(old.count, new.count)
        let before = zip(old, new).prefix { $0 == $1 }.count
        let behind = min(
            zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count, shorter - before)
        range = start + before..<start + old.count - behind
    }

    /// The mutation in each block that holds it, the smallest first.
    func mutants() -> [Mutant] {
        let blocks = BlockFinder.blocks(of: file, around: range)
        let ends = range.lowerBound..<range.upperBound + growth
        let others = BlockFinder.blocks(of: SourceText(changed), around: ends)
        return blocks.compactMap { block in
            let twin = others.first {
                $0.start == block.start && $0.end == block.end + growth && $0.kind == block.kind
            }
            return twin.map { mutant(block, $0) }
        }
    }

    private func mutant(_ block: Block, _ twin: Block) -> Mutant {
        let before: String
        let after: String
        switch block.kind {
        case .value:
            (before, after) = ("(isMutant(#) ? \(twin.words) : ", ")")
        case .statements:
            // If one of both is a value alone, the other says that it returns one.
            let mixed = block.isGiven && block.isValue != twin.isValue
            let gives = { (block: Block) in mixed && block.isValue ? "return " : "" }
            before = "if isMutant(#) { \(gives(twin))\(twin.words)\n} else { \(gives(block))"
            after = "\n}"
        }
        let line = file.bytes[..<block.first].count { $0 == UInt8(ascii: "\n") } + 1
        return Mutant(
            file: mutation.file, line: line, start: block.first, end: block.last, before: before,
            after: after, change: mutation.new)
    }
}

/// A part of a file that can be there twice.
struct Block {
    enum Kind {
        case statements
        case value
    }

    let kind: Kind
    /// The bytes that belong to it, with the spaces and comments around its words.
    let start: Int
    let end: Int
    /// The bytes of its words.
    let first: Int
    let last: Int
    let words: String
    /// Whether it is a single expression.
    let isValue: Bool
    /// Whether something is given back by it.
    let isGiven: Bool
}

/// Finds the blocks around a place.
private final class BlockFinder: SyntaxVisitor {
    private let range: Range<Int>
    private var blocks: [Block] = []

    static func blocks(of text: SourceText, around range: Range<Int>) -> [Block] {
        let finder = BlockFinder(range)
        finder.walk(text.tree)
        return finder.blocks.reversed()
    }

    private init(_ range: Range<Int>) {
        self.range = range
        super.init(viewMode: .sourceAccurate)
    }

    private func add(
        _ statements: CodeBlockItemListSyntax, _ start: AbsolutePosition, _ end: AbsolutePosition,
        isGiven: Bool
    ) {
        guard start.utf8Offset <= range.lowerBound, range.upperBound <= end.utf8Offset else {
            return
        }
        let item = statements.count == 1 ? statements.first?.item : nil
        let isTransfer = item?.is(ReturnStmtSyntax.self) == true
        blocks.append(
            Block(
                kind: .statements, start: start.utf8Offset, end: end.utf8Offset,
                first: statements.isEmpty
                    ? start.utf8Offset : statements.positionAfterSkippingLeadingTrivia.utf8Offset,
                last: statements.isEmpty
                    ? start.utf8Offset : statements.endPositionBeforeTrailingTrivia.utf8Offset,
                words: statements.trimmedDescription,
                isValue: item?.is(ExprSyntax.self) == true && !isTransfer, isGiven: isGiven))
    }

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
        let function = node.parent?.as(FunctionDeclSyntax.self)
        let accessor = node.parent?.as(AccessorDeclSyntax.self)
        add(
            node.statements, node.leftBrace.endPositionBeforeTrailingTrivia,
            node.rightBrace.positionAfterSkippingLeadingTrivia,
            isGiven: function?.signature.returnClause != nil
                || accessor?.accessorSpecifier.tokenKind == .keyword(.get))
        return .visitChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        let head = node.signature.map(Syntax.init) ?? Syntax(node.leftBrace)
        add(
            node.statements, head.endPositionBeforeTrailingTrivia,
            node.rightBrace.positionAfterSkippingLeadingTrivia, isGiven: true)
        return .visitChildren
    }

    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
        if case .getter(let statements) = node.accessors {
            add(
                statements, node.leftBrace.endPositionBeforeTrailingTrivia,
                node.rightBrace.positionAfterSkippingLeadingTrivia, isGiven: true)
        }
        return .visitChildren
    }

    override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
        add(
            node.statements, node.label.endPositionBeforeTrailingTrivia, node.endPosition,
            isGiven: false)
        return .visitChildren
    }

    override func visit(_ node: InitializerClauseSyntax) -> SyntaxVisitorContinueKind {
        let (start, end) = (node.value.position.utf8Offset, node.value.endPosition.utf8Offset)
        if start <= range.lowerBound, range.upperBound <= end {
            blocks.append(
                Block(
                    kind: .value, start: start, end: end,
                    first: node.value.positionAfterSkippingLeadingTrivia.utf8Offset,
                    last: node.value.endPositionBeforeTrailingTrivia.utf8Offset,
                    words: node.value.trimmedDescription, isValue: true, isGiven: true))
        }
        return .visitChildren
    }
}
