import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import BeamscribeWeb

/// Who may read.
@Suite struct WebAccessTests {
    private let token = LinkToken()
    private let session = "963435f3-1dc9-4def-bf99-59a085b55c03"

    private func request(cookies: [String]) -> Request {
        var fields = HTTPFields()
        fields[values: .cookie] = cookies
        let head = HTTPRequest(
            method: .get, scheme: "http", authority: "here", path: "/events", headerFields: fields)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    /// The cookie that the token is exchanged for, with what browsers are told of it.
    private func cookie(of access: WebAccess) throws -> [String] {
        guard case .cookie(let cookie) = access.exchange(Array(token.text.utf8)) else {
            throw NoCookie()
        }
        return cookie.split(separator: "; ").map(String.init)
    }

    private struct NoCookie: Error {}

    @Test func everybodyMayRead_whereThereIsNoToken() {
        let access = WebAccess(nil, session: session, isSecure: false)
        #expect(access.admits(request(cookies: [])))
        #expect(access.exchange([]) == .open && access.exchange(Array("x".utf8)) == .open)
    }

    @Test(arguments: [true, false])
    func token_becomesACookie_whichScriptsAndOtherSitesDoNotGet(isSecure: Bool) throws {
        let parts = try cookie(of: WebAccess(token, session: session, isSecure: isSecure))
        #expect(parts[0].hasPrefix("beamscribe-963435f3=") && parts[0].count == 20 + 22)
        let flags = ["Path=/", "HttpOnly", "SameSite=Strict"] + (isSecure ? ["Secure"] : [])
        #expect(Array(parts.dropFirst()) == flags)
        #expect(!parts[0].contains(token.text))
    }

    @Test func wrongToken_isRefused() {
        let access = WebAccess(token, session: session, isSecure: false)
        for wrong in ["", "x", String(token.text.dropLast()), token.text + "A", LinkToken().text] {
            #expect(access.exchange(Array(wrong.utf8)) == .refused)
        }
    }

    @Test func cookie_isFound_amongOthers() throws {
        let access = WebAccess(token, session: session, isSecure: false)
        let cookie = try cookie(of: access)[0]
        for cookies in [
            [cookie], ["a=b; \(cookie)"], ["\(cookie); a=b"], ["a=b;\(cookie);c=d"],
            ["a=b", cookie], ["=; ;; a; \(cookie)"], ["beamscribe-963435f3=old; \(cookie)"],
            [" \(cookie)"],
        ] {
            #expect(access.admits(request(cookies: cookies)), "\(cookies)")
        }
    }

    @Test func otherCookies_openNothing() throws {
        let access = WebAccess(token, session: session, isSecure: false)
        let cookie = try cookie(of: access)[0]
        let secret = String(cookie.dropFirst(20))
        for cookies in [
            [], [""], ["beamscribe-963435f3"], ["beamscribe-963435f3="], ["=\(secret)"], [secret],
            ["beamscribe-963435f3=\(token.text)"], ["Beamscribe-963435f3=\(secret)"],
            ["xbeamscribe-963435f3=\(secret)"],
            ["beamscribe-963435f3=\(secret)A"], ["beamscribe-963435f3=\(secret.dropLast())"],
            ["beamscribe-963435f3==\(secret)"], ["beamscribe-963435f3=\(secret),a"],
            ["beamscribe=\(secret)"], ["beamscribe-963435f3\t=\(secret)"],
            [try self.cookie(of: WebAccess(token, session: session, isSecure: false))[0]],
        ] {
            #expect(!access.admits(request(cookies: cookies)), "\(cookies)")
        }
    }
}
