/// What the beginning of an input says of one form.
enum Evidence {
    /// It is not of this form.
    case none
    /// It may become clear that it is.
    case possible
    /// It is, unless more comes that says otherwise.
    case likely
    /// It is.
    case certain
}
