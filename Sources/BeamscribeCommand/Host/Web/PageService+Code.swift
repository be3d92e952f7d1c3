#if Web
    import BeamscribeCore
    import BeamscribeIO
    import BeamscribeTerminal
    import BeamscribeWeb
    import FoundationEssentials

    /// The page's link as a QR code.
    extension PageService {
        /// Rows that show the code on a terminal of this size; nil where it does not fit, or cannot
        /// be drawn so that phones read it.
        static func drawing(of link: PageLink, columns: Int, rows: Int) -> [String]? {
            let form = QRTerminalForm(isUTF8: isUTF8, hasColour: Console.style.colour)
            guard let form, let code = try? QRCode(link.link) else { return nil }
            return QRTerminal.rows(of: code, columns: columns, rows: rows, form: form)
        }

        /// Whether characters beyond ASCII come out right: unless the user's settings name another
        /// encoding, for a machine that is set to none has a terminal that has one.
        private static var isUTF8: Bool {
            let environment = ProcessInfo.processInfo.environment
            let named = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
                .first { !$0.isEmpty }
            guard let encoding = named?.split(separator: ".").dropFirst().first else { return true }
            return encoding.lowercased().hasPrefix("utf")
        }

        /// Writes the slide with the code. A link that opens a private event is nobody else's.
        static func writeSlide(of link: PageLink, to file: String) throws {
            do {
                let slide = try QRSlide(url: link.link).bytes(as: QRSlideFormat(file: file))
                try SmallFile.replace(
                    file, with: slide, durably: false, isPrivate: link.token != nil)
            } catch let error as SystemError {
                throw Failure(
                    .cannotMakeFile, "\(error). Name another file with --qr, or do without.")
            } catch {
                throw Failure(.cannotMakeFile, "\(error).")
            }
        }
    }
#else
    /// A program without a page has no codes.
    extension PageService {
        static func drawing(of link: PageLink, columns: Int, rows: Int) -> [String]? { nil }
        static func writeSlide(of link: PageLink, to file: String) throws {}
    }
#endif
