/// What a character does to the direction of the text behind it (the explicit directional
/// formatting characters of UAX #9, section 2).
enum DirectionalFormatting: Equatable {
    /// LRE or RLE: text of a direction, up to its PDF.
    case embedding
    /// LRO or RLO: letters in another order than their own, up to its PDF.
    case override
    /// LRI, RLI or FSI: text of a direction that leaves what stands around it alone, up to its PDI.
    case isolate
    /// PDF.
    case endOfEmbedding
    /// PDI.
    case endOfIsolate

    /// Nil for every other scalar value.
    init?(_ value: UInt32) {
        switch value {
        case 0x202A, 0x202B: self = .embedding
        case 0x202C: self = .endOfEmbedding
        case 0x202D, 0x202E: self = .override
        case 0x2066...0x2068: self = .isolate
        case 0x2069: self = .endOfIsolate
        default: return nil
        }
    }
}
