import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import FoundationEssentials

/// The file that a reader's settings are kept in: a JSON object, whose keys that this version does
/// not know stay in it.
///
/// A file that cannot be read, or is no such object, is never written to: whatever somebody had in
/// it is his to mend.
struct SettingsFile: Sendable {
    private static let name = "config.json"

    private let folder: ConfigFolder

    /// - Parameter environment: the process's environment.
    init(environment: [String: String]) {
        folder = ConfigFolder(environment: environment)
    }

    /// Where it is, or would be.
    var path: String { "\(folder.path)/\(Self.name)" }

    /// Why the file is of no use, in words that can follow its name.
    struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    /// The settings; the usual ones where there is no file.
    func load() throws(Unusable) -> ReaderSettings {
        try Self.settings(in: contents())
    }

    /// Changes in the file what differs between `old` and `new`.
    func change(from old: ReaderSettings, to new: ReaderSettings) throws(Unusable) {
        var contents = try contents()
        let settings = try Self.settings(in: contents).changed(from: old, to: new)
        // A key without a value must not outlive it.
        for key in Self.members(of: ReaderSettings.complete).keys { contents[key] = nil }
        contents.merge(Self.members(of: settings)) { $1 }
        do throws(SystemError) {
            try folder.replace(Self.name, with: Self.json(contents))
        } catch {
            throw Unusable(description: "\(error)")
        }
    }

    /// `{"path":...,"settings":{...}}`, for `--show-config`.
    func description(of settings: ReaderSettings) -> String {
        let document: [String: JSONValue] = [
            "path": .string(path), "settings": .object(Self.members(of: settings)),
        ]
        return String(decoding: Self.json(document), as: UTF8.self)
    }

    // MARK: JSON

    private func contents() throws(Unusable) -> [String: JSONValue] {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try folder.read(Self.name)
        } catch {
            throw Unusable(description: "\(error)")
        }
        guard let bytes else { return [:] }
        do {
            return try OutsideJSON().decode([String: JSONValue].self, from: Data(bytes))
        } catch {
            throw Unusable(description: "\(path) is no JSON object")
        }
    }

    private static func settings(
        in contents: [String: JSONValue]
    ) throws(Unusable) -> ReaderSettings {
        do {
            return try OutsideJSON().decode(ReaderSettings.self, from: Data(json(contents)))
        } catch let error as DecodingError {
            throw Unusable(description: "its value of \"\(key(of: error))\" is none that is known")
        } catch {
            throw Unusable(description: "\(error)")
        }
    }

    private static func key(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.first?.stringValue ?? ""
        @unknown default: ""
        }
    }

    private static func members(of settings: ReaderSettings) -> [String: JSONValue] {
        guard let data = try? JSONEncoder().encode(settings),
            let members = try? OutsideJSON().decode([String: JSONValue].self, from: data)
        else { return [:] }
        return members
    }

    private static func json(_ members: [String: JSONValue]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding fails for numbers that are not finite only, which no JSON file has.
        return ((try? encoder.encode(members)).map(Array.init) ?? []) + Array("\n".utf8)
    }
}

extension ReaderSettings {
    /// Settings with a value for each key.
    fileprivate static var complete: ReaderSettings {
        var settings = ReaderSettings()
        settings.width = ReaderSettings.widths.lowerBound
        return settings
    }
}
