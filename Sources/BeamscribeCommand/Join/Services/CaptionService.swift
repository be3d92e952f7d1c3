/// A service that captions are given to, as its own protocol has it. All of it may take as long as
/// ``Limits/serviceRequest``, and is called on a thread for that.
protocol CaptionService: AnyObject {
    /// The number of the last post that it has; nil where it does not tell, or not now.
    func lastNumber() -> Int?

    func send(_ post: CaptionPost) -> CaptionDelivery.Answer
}

/// What a caption service is called, and how it wants its captions.
struct ServiceDescription: Sendable {
    /// `Zoom`
    var name: String
    /// The machine that the words go to, without what is secret of its address: `wmcc.zoom.us`.
    var place: String
    /// What it is known by from one run of the program to the next. It may be secret.
    var identity: String
    var rules: CaptionDelivery.Rules

    /// `Zoom (wmcc.zoom.us)`
    var title: String { "\(name) (\(place))" }
}
