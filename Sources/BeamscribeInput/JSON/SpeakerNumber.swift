/// A speaker as JSON names one: by a number, or by a name.
struct SpeakerNumber: Decodable, Equatable {
    /// The number, if it is one.
    let number: Int?
    /// What to show: `Speaker 1`, or the name. Not made safe yet.
    let label: String

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Int.self) {
            self.number = number
            label = SpeakerLabel.numbered(number)
        } else {
            number = nil
            label = try value.decode(String.self)
        }
    }
}
