import BeamscribeIO
import Testing

@testable import BeamscribeCommand

/// Where a page is to be, as users type it, and how they get there.
@Suite struct PagePlaceTests {
    @Test(
        arguments: [
            ("", nil, nil), ("8080", nil, 8_080), ("0", nil, 0), ("65535", nil, 65_535),
            ("192.0.2.7", "192.0.2.7", nil), ("192.0.2.7:80", "192.0.2.7", 80),
            ("::1", "::1", nil), ("[::1]:8080", "::1", 8_080),
            ("[2001:db8::7]:1", "2001:db8::7", 1),
            ("0.0.0.0:80", "0.0.0.0", 80), ("[::]:80", "::", 80),
            // All of it is an address.
            ("2001:db8::7:80", "2001:db8::7:80", nil), ("[192.0.2.7]:80", "192.0.2.7", 80),
        ] as [(String, String?, UInt16?)])
    func place_isRead(text: String, address: String?, port: UInt16?) throws {
        let place = try #require(PagePlace(text))
        #expect(place.address == address.flatMap { IPAddress($0) } && place.port == port)
    }

    @Test(arguments: [
        "x", "65536", "-1", "+1", " 80", "80 ", "8 0", ":80", "192.0.2.7:", "192.0.2.7:x",
        "192.0.2.7:65536", "192.0.2.256", "192.0.2", "localhost", "localhost:80", "[::1]", "[::1]:",
        "::1]:80", "[::1:80", "[]:80", "2001:db8:80:x", "192.0.2.7:80:80", "１２", "*:80",
        "http://x/",
    ])
    func others_areNoPlaces(_ text: String) {
        #expect(PagePlace(text) == nil, "\(text)")
    }

    @Test(
        arguments: [
            ("192.0.2.7", 8_080, false, nil, "http://192.0.2.7:8080/", "http://192.0.2.7:8080/"),
            ("192.0.2.7", 80, false, "T", "http://192.0.2.7/", "http://192.0.2.7/#T"),
            ("192.0.2.7", 443, false, nil, "http://192.0.2.7:443/", "http://192.0.2.7:443/"),
            ("192.0.2.7", 443, true, "T", "https://192.0.2.7/", "https://192.0.2.7/#T"),
            ("192.0.2.7", 80, true, nil, "https://192.0.2.7:80/", "https://192.0.2.7:80/"),
            (
                "2001:db8::7", 8_080, true, "T", "https://[2001:db8::7]:8080/",
                "https://[2001:db8::7]:8080/#T"
            ),
        ] as [(String, UInt16, Bool, String?, String, String)])
    func link_isTheAddress_withTheTokenBehindAHash(
        address: String, port: UInt16, isSecure: Bool, token: String?, shown: String, link: String
    ) throws {
        let endpoint = Endpoint(try #require(IPAddress(address)), port: port)
        let page = PageLink(isSecure: isSecure, endpoint: endpoint, token: token)
        #expect(page.address == shown && page.link == link)
    }
}
