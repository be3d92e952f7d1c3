import BeamscribeCore

/// Addresses of pages as hosts show them.
enum Addresses {
    static let token = "pTq3cZyq4c1l0aWb4pXy7Q"
    static let all = [
        "http://192.168.1.20:8080/",
        "http://192.168.1.20:8080/#" + token,
        "https://[fd00::1234:5678:9abc:def0]:18080/#" + token,
    ]

    /// Any address, with a token or without.
    static func random(using generator: inout SeededGenerator) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        func word(_ count: ClosedRange<Int>) -> String {
            let count = Int.random(in: count, using: &generator)
            return String((0..<count).map { _ in letters.randomElement(using: &generator)! })
        }
        let scheme = Bool.random(using: &generator) ? "http" : "https"
        let port = Int.random(in: 1...65_535, using: &generator)
        let fragment = Bool.random(using: &generator) ? "#" + word(22...22) : ""
        return "\(scheme)://\(word(1...80)):\(port)/\(fragment)"
    }
}
