import BeamscribeCore
internal import CCurl
internal import FoundationEssentials

/// Makes requests of one server, one after another, on the thread that asks and waits.
///
/// What a server may do is bounded: no redirect is followed, an answer ends after
/// ``Limits/serviceAnswer`` bytes, a request after ``Limits/serviceRequest``, however slowly it goes.
public final class HTTPClient {
    /// What became of a request.
    public enum Outcome: Equatable, Sendable {
        /// The server has answered. The body is as it came: nothing to show.
        case answered(status: Int, body: String)
        /// The server cannot have got it.
        case notSent(why: String)
        /// It may have got it, or not.
        case unanswered(why: String)
    }

    private let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer

    /// Nil where the machine has no libcurl.
    public init?() {
        guard let library = CurlLibrary.system, let handle = library.initialise() else {
            return nil
        }
        (self.library, self.handle) = (library, handle)
    }

    deinit {
        library.cleanup(handle)
    }

    /// Asks for a page.
    public func get(_ address: String) -> Outcome {
        perform(address)
    }

    /// Gives the server a text.
    public func post(_ text: String, to address: String) -> Outcome {
        let headers = library.append(nil, "Content-Type: text/plain; charset=UTF-8")
        defer { library.free(headers) }
        return Array(text.utf8).withUnsafeBytes { body in
            perform(address) {
                set(CURLOPT_POST, 1)
                set(CURLOPT_POSTFIELDSIZE, body.count)
                // Of no bytes at all there may be no address, and one must be given.
                set(CURLOPT_POSTFIELDS, body.baseAddress ?? UnsafeRawPointer(handle))
                set(CURLOPT_HTTPHEADER, headers.map { UnsafeRawPointer($0) })
            }
        }
    }

    // MARK: One request

    /// What has come of an answer.
    private final class Body {
        var bytes: [UInt8] = []
    }

    private func perform(_ address: String, _ more: () -> Void = {}) -> Outcome {
        // The connection stays.
        library.reset(handle)
        let body = Body()
        prepare(address, into: body)
        more()
        let code = withExtendedLifetime(body) { library.perform(handle) }
        var status = 0
        _ = ccurl_get_number(library.getInformation, handle, CURLINFO_RESPONSE_CODE, &status)
        // Of an answer that is too long the status is there all the same.
        if code == CURLE_OK || (code == CURLE_WRITE_ERROR && status > 0) {
            return .answered(status: status, body: String(decoding: body.bytes, as: UTF8.self))
        }
        let why = words(for: code)
        return Self.comesBeforeRequest(code) ? .notSent(why: why) : .unanswered(why: why)
    }

    private func prepare(_ address: String, into body: Body) {
        set(CURLOPT_URL, address)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        set(CURLOPT_TIMEOUT_MS, Int(saturating: Limits.serviceRequest.seconds * 1_000))
        set(CURLOPT_USERAGENT, "beamscribe")
        if let file = ProcessInfo.processInfo.environment["SSL_CERT_FILE"] {
            set(CURLOPT_CAINFO, file)
        }
        set(CURLOPT_WRITEDATA, UnsafeRawPointer(Unmanaged.passUnretained(body).toOpaque()))
        _ = ccurl_set_writer(library.setOption, handle) { bytes, size, count, body in
            guard let bytes, let body else { return 0 }
            let kept = Unmanaged<Body>.fromOpaque(body).takeUnretainedValue()
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            // Whoever takes less than it gets ends the request.
            guard kept.bytes.count + piece.count <= Limits.serviceAnswer else { return 0 }
            kept.bytes += piece
            return piece.count
        }
    }

    private static func comesBeforeRequest(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            true
        default: false
        }
    }

    private func words(for code: CURLcode) -> String {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: "its name is not known here; is there a network?"
        case CURLE_COULDNT_CONNECT: "nobody answers there"
        case CURLE_OPERATION_TIMEDOUT:
            "it has not answered within \(Int(saturating: Limits.serviceRequest.seconds)) s"
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            "it has closed the connection without an answer"
        case CURLE_PEER_FAILED_VERIFICATION: "its certificate is not to be trusted"
        default: library.words(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
        }
    }

    private func set(_ option: CURLoption, _ number: Int) {
        _ = ccurl_set_number(library.setOption, handle, option, number)
    }

    private func set(_ option: CURLoption, _ value: UnsafeRawPointer?) {
        _ = ccurl_set_pointer(library.setOption, handle, option, value)
    }

    /// The library makes a copy.
    private func set(_ option: CURLoption, _ text: String) {
        _ = text.withCString { ccurl_set_pointer(library.setOption, handle, option, $0) }
    }
}
