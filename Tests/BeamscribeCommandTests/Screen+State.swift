extension String {
    /// Whether a row of a guest's screen says that the guest is up to date: live, or silent where the
    /// machine was so slow that nothing has come for a while.
    var saysUpToDate: Bool { contains("live") || contains("silent for") }
}

extension [String] {
    /// Whether a screen says so.
    var saysUpToDate: Bool { contains(where: \.saysUpToDate) }
}
