import BeamscribeCore
import BeamscribeIO

/// Zoom's closed caption API: each post is a text under a number.
final class ZoomService: CaptionService {
    /// Captions of two rows are read one after another, and more than a few at once by nobody.
    static let rules = CaptionDelivery.Rules(pause: .seconds(1), bytes: 500)

    private let address: CaptionAddress
    private let client: HTTPClient

    /// Nil where nothing can make its requests.
    init?(_ address: CaptionAddress) {
        guard let client = HTTPClient() else { return nil }
        (self.address, self.client) = (address, client)
    }

    func lastNumber() -> Int? {
        guard case .answered(status: 200, let body) = client.get(address.adding(path: "/seq")),
            let number = Int(bounded: body.trimmingBlanks), (0..<Limits.lineNumber).contains(number)
        else { return nil }
        return number
    }

    func send(_ post: CaptionPost) -> CaptionDelivery.Answer {
        let lang = post.pieces.first?.lang.flatMap { CaptionFilter.isLanguage($0) ? $0 : nil }
        let query = "seq=\(post.number)&lang=\(lang ?? "en-US")"
        let text = post.pieces.map(\.text).joined(separator: "\n") + "\n"
        return ServiceAnswer.of(client.post(text, to: address.adding(query: query))) { status in
            switch status {
            case 400: "the meeting has not started, or the link is of another one"
            case 401, 403:
                "the link has expired or is wrong; copy it again from the meeting (Show Captions, "
                    + "Set up manual captioner, Copy the API token)"
            default: nil
            }
        }
    }
}

/// What services that are reached by HTTP mean by their answers.
enum ServiceAnswer {
    /// - Parameter why: what a status means to this service in particular.
    static func of(
        _ outcome: HTTPClient.Outcome, why: (_ status: Int) -> String?
    ) -> CaptionDelivery.Answer {
        switch outcome {
        case .answered(200..<300, _): .taken
        case .answered(413, _): .unwanted("it says that they are too long")
        case .answered(let status, _):
            // A machine in between may have given up on one that has taken the captions.
            status >= 500
                ? .unanswered("HTTP status \(status): it has trouble of its own")
                : .refused("HTTP status \(status): \(why(status) ?? "it refuses them")")
        case .notSent(let why): .refused(why)
        case .unanswered(let why): .unanswered(why)
        }
    }
}

extension String {
    /// Without what is white around it.
    fileprivate var trimmingBlanks: Substring {
        let start = drop { $0.isWhitespace }
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
