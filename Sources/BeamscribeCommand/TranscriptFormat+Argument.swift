public import ArgumentParser
public import BeamscribeCore

extension TranscriptFormat: ExpressibleByArgument {
    /// Files of text end in .txt, so that name serves as well.
    public init?(argument: String) {
        self.init(rawValue: argument == "txt" ? "text" : argument)
    }
}
