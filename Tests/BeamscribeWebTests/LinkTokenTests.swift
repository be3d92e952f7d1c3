import Testing

@testable import BeamscribeWeb

/// What opens a private event.
@Suite struct LinkTokenTests {
    private static let alphabet = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    @Test func tokens_are22CharactersOfBase64url_andAllDifferent() {
        let tokens = (0..<1_000).map { _ in LinkToken().text }
        #expect(tokens.allSatisfy { $0.utf8.count == 22 })
        #expect(tokens.allSatisfy { Self.alphabet.isSuperset(of: $0.utf8) })
        #expect(Set(tokens).count == tokens.count)
    }

    /// 128 bits end within the last character, which has room for 132.
    @Test func everyBit_isRandom() {
        let tokens = (0..<2_000).map { _ in Array(LinkToken().text) }
        for place in 0..<21 { #expect(Set(tokens.map { $0[place] }).count == 64, "\(place)") }
        #expect(Set(tokens.map { $0[21] }) == ["A", "Q", "g", "w"])
    }

    @Test func token_isTheSame_whenItWasKept() {
        let token = LinkToken()
        #expect(LinkToken(token.text) == token)
    }

    @Test(arguments: [
        "", "pTq3cZyq4c1l0aWb4pXy7", "pTq3cZyq4c1l0aWb4pXy7QQ", "pTq3cZyq4c1l0aWb4pXy7=",
        "pTq3cZyq4c1l0aWb4pXy7+", "pTq3cZyq4c1l0aWb4pXy7/", "pTq3cZyq4c1l0aWb4pXy7 ",
        "pTq3cZyq4c1l0aWb4pXy7\n", "pTq3cZyq4c1l0aWb4pXyé", "pTq3cZyq4c1l0aWb4pX\u{212A}",
    ])
    func others_areNoTokens(_ text: String) {
        #expect(LinkToken(text) == nil)
    }

    @Test func token_matchesItselfAlone() {
        let token = LinkToken()
        let own = Array(token.text.utf8)
        #expect(token.matches(own))
        for place in own.indices {
            var near = own
            near[place] ^= 1
            #expect(!token.matches(near), "\(place)")
        }
        #expect(!token.matches(own.dropLast()) && !token.matches(own + [65]))
        #expect(!token.matches([]) && !token.matches(Array(LinkToken().text.utf8)))
    }
}
