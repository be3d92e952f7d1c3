extension String {
    /// Whether there is a control character other than the line breaks of lines of text.
    public var hasControlCharacters: Bool {
        unicodeScalars.contains { scalar in
            scalar != "\n" && (scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value))
        }
    }
}
