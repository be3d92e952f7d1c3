import BeamscribeCore
import BeamscribeIO
import Logging

/// Tells the operator how phones get to the captions.
struct PageReporter {
    private let page: PageService
    private let logger: Logger
    private var told: [PageLink] = []

    init(_ page: PageService, logger: Logger) {
        self.page = page
        self.logger = logger
    }

    /// The host listens, or its addresses have changed.
    mutating func tell() {
        let links = page.links()
        guard links != told, let first = links.first else { return }
        if told.isEmpty, page.hasOtherPort {
            logger.warning(
                "The page's usual port is another program's, so it has port \(first.endpoint.port).",
                metadata: ["event": "page_port"])
        }
        told = links
        logger.info(
            "Phones: \(first.link) (on the same Wi-Fi)",
            metadata: ["event": "page", "url": "\(first.link)"])
        for other in links.dropFirst().prefix(3) {
            logger.info(
                "    or \(other.link)", metadata: ["event": "page", "url": "\(other.link)"])
        }
        tellOfSecrecy(first)
    }

    private func tellOfSecrecy(_ link: PageLink) {
        if link.token != nil {
            logger.info(
                "Whoever has that link can read the event; the address alone opens nothing.",
                metadata: ["event": "page_link"])
        }
        guard !link.isSecure else { return }
        logger.notice(
            """
            The page is plain HTTP: whoever can listen on the network can read what phones get. \
            --web-tls encrypts it.
            """, metadata: ["event": "page_plain"])
    }
}
