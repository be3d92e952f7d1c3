/// What a picture is written as, by its file's ending.
enum PictureKind: String {
    case png, svg

    /// Nil for another ending.
    init?(forFile path: String) {
        self.init(rawValue: path.split(separator: ".").last.map { $0.lowercased() } ?? "")
    }
}
