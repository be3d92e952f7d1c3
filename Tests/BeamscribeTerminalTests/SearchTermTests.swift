import Testing

@testable import BeamscribeTerminal

@Suite struct SearchTermTests {
    @Test(arguments: [
        ("bus", "The Bus and the omnibus", [4..<7, 20..<23]), ("aa", "aaaaa", [0..<2, 2..<4]),
        ("été", "L'ÉTÉ", [2..<7]), ("字幕", "日本語の字幕", [12..<18]), ("x", "abc", []),
        ("long", "lo", []), ("e", "e\u{301}e", [3..<4]),
    ])
    func places_areFound(_ term: String, _ text: String, _ expected: [Range<Int>]) {
        let term = SearchTerm(term)
        #expect(term?.ranges(in: text) == expected)
        #expect(term?.isIn(text) == !expected.isEmpty)
    }

    @Test func term_isNone_withoutText() {
        #expect(SearchTerm("") == nil)
    }
}
