import BeamscribeIO
import Testing

@Suite struct HTTPDateTests {
    /// The first is the RFC's own.
    @Test(arguments: [
        (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
    ])
    func date_isAsHTTPHasIt(seconds: Double, text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }
}
