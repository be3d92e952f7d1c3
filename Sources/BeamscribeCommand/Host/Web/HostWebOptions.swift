import ArgumentParser
import BeamscribeIO

/// The page that the host serves to browsers.
struct HostWebOptions: ParsableArguments {
    // As with --code, only what follows at once is the place.
    @Option(
        name: .customLong("web"), defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Serve the captions to phones' browsers too, and show the page's address and its QR code (default: all addresses, port 8080, or a free one if it is taken).",
            valueName: "[address:]port"))
    var web: String?

    @Option(
        help: ArgumentHelp(
            "Write the QR code with the address as a picture for a slide: .png or .svg.",
            valueName: "file"),
        completion: .file(extensions: ["png", "svg"]))
    var qr: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Serve the page by HTTPS: the files of a certificate and of its key, in PEM.",
            valueName: "cert> <key"),
        completion: .file())
    var webTls: [String] = []

    @Option(
        help: ArgumentHelp(
            "Let browsers ask for the page by this name, too, as of a proxy; addresses and this machine's own name are good anyway. Can be repeated.",
            valueName: "name"))
    var webName: [String] = []

    @Option(
        help: ArgumentHelp(
            "Believe the proxy at this address about where a browser is (X-Forwarded-For), so that its readers count one by one. Can be repeated.",
            valueName: "address"))
    var webProxy: [String] = []

    @Flag(help: "Answer /metrics to the whole network, not to this machine alone.")
    var webMetrics = false

    @Flag(
        help:
            "Let browsers hear --floor without HTTPS, too: unencrypted, as the captions are then. With --web-tls they hear it anyway."
    )
    var webFloor = false

    func validate() throws {
        guard let web else {
            try check(!webFloor, "--web-floor needs --web: the page has the sound.")
            try check(qr == nil, "--qr needs --web: it shows the page's address.")
            try check(webTls.isEmpty, "--web-tls needs --web: it is for the page.")
            try check(webName.isEmpty, "--web-name needs --web: it is for the page.")
            try check(webProxy.isEmpty, "--web-proxy needs --web: it is for the page.")
            return try check(!webMetrics, "--web-metrics needs --web: the page has them.")
        }
        #if !Web
            try check(
                false,
                "this beamscribe was built without the page for browsers; build it with the default traits for --web."
            )
        #endif
        try check(
            PagePlace(web) != nil,
            "--web takes a port, or an address and a port, such as 8080 or 192.0.2.7:8080, not '\(web)'."
        )
        try check(
            webTls.isEmpty || webTls.count == 2,
            "--web-tls takes two files: the certificate and its key.")
        for name in webName {
            try check(
                Self.isName(name),
                "--web-name takes a name such as captions.example.org, without http:// and port, not "
                    + "'\(name)'.")
        }
        for address in webProxy {
            try check(
                IPAddress(address).map { !$0.isAny } ?? false,
                "--web-proxy takes the address of a proxy, such as 127.0.0.1, without a port, not "
                    + "'\(address)'.")
        }
        try check(
            qr.map { [".png", ".svg"].contains($0.lowercased().suffix(4)) } ?? true,
            "--qr writes a picture: name a file that ends in .png or .svg.")
    }

    private static func isName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count) && text.first != "."
            && text.allSatisfy { $0.isPlain || "-._".contains($0) }
    }
}
