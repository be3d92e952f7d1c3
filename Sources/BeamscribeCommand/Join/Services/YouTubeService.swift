import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// YouTube's caption ingestion over HTTP: each post has captions with their times, under a number.
final class YouTubeService: CaptionService {
    /// A line is rarely longer; a viewer sees two rows of each.
    static let rules = CaptionDelivery.Rules(pause: .seconds(1), bytes: 1_000)

    private let address: CaptionAddress
    private let client: HTTPClient

    /// Nil where nothing can make its requests.
    init?(_ address: CaptionAddress) {
        guard let client = HTTPClient() else { return nil }
        (self.address, self.client) = (address, client)
    }

    /// It does not tell. A post that comes again under its number is the same one to it.
    func lastNumber() -> Int? { nil }

    func send(_ post: CaptionPost) -> CaptionDelivery.Answer {
        let text = post.pieces.map { "\(Self.time($0.time))\n\($0.text)\n" }.joined()
        let outcome = client.post(text, to: address.adding(query: "seq=\(post.number)"))
        return ServiceAnswer.of(outcome) { status in
            switch status {
            case 400: "the stream does not take captions yet, or the link is of another one"
            case 401, 403, 404:
                "the link has expired or is wrong; copy it again from YouTube Studio (Stream settings, "
                    + "Closed captions, POST captions to URL)"
            default: nil
            }
        }
    }

    /// `2012-12-24T00:00:06.873`, in UTC.
    static func time(_ seconds: Double) -> String {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // The style cuts off what is less than a millisecond, and most milliseconds have no exact
        // number.
        let moment = Date(timeIntervalSince1970: seconds + 0.0001)
        return String(moment.formatted(style).dropLast())
    }
}
