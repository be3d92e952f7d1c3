import Foundation
import FoundationXML
import Testing

/// A drawing as an XML parser sees it.
final class SVGDocument: NSObject, XMLParserDelegate {
    private(set) var elements: [String] = []
    private(set) var attributes: [String] = []
    private(set) var values: [String] = []
    private(set) var title = ""
    /// The corners, and the control points of curves, of each path, in their order in the file.
    private(set) var paths: [[(x: Double, y: Double)]] = []
    private var isInTitle = false

    /// Fails where the bytes are no well-formed XML document.
    init(_ bytes: [UInt8]) throws {
        super.init()
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = self
        let isWellFormed = parser.parse()
        try #require(isWellFormed, "\(String(describing: parser.parserError))")
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes attributeDict: [String: String]
    ) {
        elements.append(elementName)
        if elementName == "title" { isInTitle = true }
        attributes += attributeDict.keys
        values += attributeDict.values
        if elementName == "path" { paths.append(Self.points(attributeDict["d"] ?? "")) }
    }

    /// The points of path data with absolute coordinates (W3C, SVG 1.1, section 8.3).
    private static func points(_ data: String) -> [(x: Double, y: Double)] {
        let numbers = data.split { " ,MLCZ".contains($0) }.compactMap { Double($0) }
        return stride(from: 1, to: numbers.count, by: 2).map { (numbers[$0 - 1], numbers[$0]) }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if isInTitle { title += string }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        if elementName == "title" { isInTitle = false }
    }
}
