import BeamscribeTerminal

/// The settings of the terminal view at its start, and what becomes of changes.
struct ReaderPreferences: Sendable {
    /// Those of the file with those of the command line.
    let settings: ReaderSettings
    /// A sentence for the reader where the file is of no use.
    let warning: String?
    let file: SettingsFile

    init(_ options: ReaderOptions, environment: [String: String]) {
        file = SettingsFile(environment: environment)
        do throws(SettingsFile.Unusable) {
            settings = options.applied(to: try file.load())
            warning = nil
        } catch {
            settings = options.applied(to: ReaderSettings())
            warning =
                "The settings in \(file.path) are not used: \(error). Changes are not kept until "
                + "it is mended or removed."
        }
    }
}
