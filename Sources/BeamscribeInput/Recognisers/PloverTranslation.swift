/// What a steno writer's strokes mean.
struct PloverTranslation: Equatable {
    /// The strokes, as the log has them.
    let strokes: String
    /// The meaning in Plover's notation; nil where the strokes have none.
    let meaning: String?
}
