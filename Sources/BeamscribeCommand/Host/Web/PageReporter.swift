import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import Logging

/// Tells the operator how phones get to the captions.
struct PageReporter: Reporter {
    private let page: PageService
    let logger: Logger
    /// Whether the code may be drawn on standard error.
    private let draws: Bool
    /// Where a link can be shown that opens a private event.
    private let screen = SecretScreen.find()
    private var told: [PageLink] = []

    init(_ page: PageService, _ format: StatusLog.Format, logger: Logger) {
        self.page = page
        self.logger = logger
        draws = format == .text && logger.logLevel <= .info && Terminal.isTerminal(.error)
    }

    /// The host listens, or its addresses have changed.
    mutating func tell() {
        let links = page.links()
        guard links != told, let first = links.first else { return }
        if told.isEmpty, page.hasOtherPort {
            warn(
                "The page's usual port is another program's, so it has port \(first.endpoint.port).",
                "page_port")
        }
        let hadOther = !told.isEmpty
        told = links
        tell("Phones: ", first, " (\(first.reach))")
        for other in links.dropFirst().prefix(3) { tell("    or ", other, "") }
        if draws { draw(first) }
        tellOfSlide(first, anew: hadOther)
        tellOfSecrecy(first)
    }

    /// A link that opens a private event belongs in no log.
    private func tell(_ words: String, _ link: PageLink, _ more: String) {
        guard link.token != nil, screen != .standardError else {
            return say("\(words)\(link.link)\(more)", "page", ["url": "\(link.link)"])
        }
        screen?.show(words + link.link + more)
        say(
            "\(words)\(link.address)\(more), by a link that is in no log; --qr writes it to a file.",
            "page", ["url": "\(link.address)"])
    }

    /// The code goes past the logger, which would make its colours visible signs.
    private func draw(_ link: PageLink) {
        let size = TerminalSize(of: .error)
        if let rows = PageService.drawing(of: link, columns: size.columns, rows: size.rows - 2) {
            try? TerminalOwner.write(rows.map { $0 + "\n" }.joined(), to: .error)
        } else {
            logger.info(
                "The QR code does not fit here: make the terminal larger, or use --qr FILE.")
        }
    }

    private func tellOfSlide(_ link: PageLink, anew: Bool) {
        guard let file = page.slide else { return }
        do {
            // The first was written before the event began.
            if anew { try PageService.writeSlide(of: link, to: file) }
            say("The code for a slide is in \(file).", "page_slide")
        } catch {
            warn((error as? Failure)?.message ?? "\(error)", "page_slide")
        }
    }

    private func tellOfSecrecy(_ link: PageLink) {
        if link.token != nil {
            say(
                "Whoever has that link can read the event; the address alone opens nothing.",
                "page_link")
        }
        guard !link.isSecure else { return }
        log(
            .notice,
            "The page is plain HTTP: whoever can listen on the network can read what phones get. "
                + "--web-tls encrypts it.", "page_plain")
    }
}
