import BeamscribeCore
import HTTPTypes
import HummingbirdCore
import NIOCore

/// A file of the page, which is part of the program.
struct PageFile: Sendable {
    private let bytes: ByteBuffer
    /// Nil where it would not be smaller.
    private let compressed: ByteBuffer?
    private let contentType: String
    /// Of the bytes as they are and compressed, which are not the same (RFC 9110, section 8.8.1).
    private let tag: String
    private let compressedTag: String

    init(_ bytes: [UInt8], _ contentType: String) {
        self.bytes = ByteBuffer(bytes: bytes)
        compressed = Gzip.compressed(bytes).map { ByteBuffer(bytes: $0) }
        self.contentType = contentType
        // Another one with each start of the host: so often a phone can well load the page.
        let hash = String(UInt(bitPattern: bytes.hashValue), radix: 16)
        (tag, compressedTag) = ("\"\(hash)\"", "\"\(hash)-gzip\"")
    }

    static let html = PageFile(PackageResources.page_html, "text/html; charset=utf-8")
    static let css = PageFile(PackageResources.page_css, "text/css; charset=utf-8")
    /// The page's scripts in the order in which they run, joined: what one declares the others see,
    /// and a phone asks once.
    static let script = PageFile(
        [
            PackageResources.tools_js, PackageResources.kept_js, PackageResources.settings_js,
            PackageResources.lines_js, PackageResources.rows_js, PackageResources.reading_js,
            PackageResources.search_js, PackageResources.history_js, PackageResources.state_js,
            PackageResources.stream_js, PackageResources.logs_js, PackageResources.interpreters_js,
            PackageResources.elsewhere_js, PackageResources.screen_js, PackageResources.sound_js,
            PackageResources.dialogs_js, PackageResources.words_js, PackageResources.keys_js,
        ].flatMap { $0 }, "text/javascript; charset=utf-8")

    /// The document that may ask whether other pages are there.
    static let look = PageFile(PackageResources.look_html, "text/html; charset=utf-8")
    static let lookScript = PageFile(PackageResources.look_js, "text/javascript; charset=utf-8")

    /// For those that cannot read the others; by itself, since half of a script is none.
    static let floor = PageFile(PackageResources.floor_js, "text/javascript; charset=utf-8")

    /// Fetched by those who have chosen it.
    static let font = PageFile(PackageResources.OpenDyslexic_woff2, "font/woff2")

    /// The page's own words in languages other than English, of which a browser fetches one.
    static let words: [String: PageFile] = [
        "ar": PackageResources.ar_json, "de": PackageResources.de_json,
        "es": PackageResources.es_json, "fr": PackageResources.fr_json,
        "ja": PackageResources.ja_json,
    ].mapValues { PageFile($0, "application/json; charset=utf-8") }

    /// The file, or word that the browser has it already.
    func response(to request: Request) -> Response {
        let gzip = request.takesGzip ? compressed : nil
        let body = gzip ?? bytes
        let tag = gzip == nil ? self.tag : compressedTag
        var headers: HTTPFields = [
            .contentType: contentType, .eTag: tag, .cacheControl: "no-cache",
            .vary: "Accept-Encoding",
        ]
        guard request.headers[.ifNoneMatch] != tag else {
            return Response(status: .notModified, headers: headers)
        }
        if gzip != nil { headers[.contentEncoding] = "gzip" }
        headers[.contentLength] = "\(body.readableBytes)"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
