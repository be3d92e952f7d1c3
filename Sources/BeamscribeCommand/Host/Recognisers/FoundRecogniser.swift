import BeamscribeInput

/// A recogniser that this machine has, with all that it needs to be started.
struct FoundRecogniser: Equatable {
    /// Its name, and that of its program.
    var title: String
    /// What it knows its language by.
    var model: String
    /// What the shell is given.
    var command: String
    /// What it prints.
    var format: InputFormat
}
