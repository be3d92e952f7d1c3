/// How far something has come, in words.
public enum ProgressText {
    /// `catching up 12,345 of 100,000 (12 %)`. The share is rounded down: 100 % means all of it.
    public static func catchingUp(received: Int, of total: Int) -> String {
        "catching up \(grouped(received)) of \(grouped(total)) (\(percent(received, of: total)) %)"
    }

    private static func percent(_ part: Int, of total: Int) -> Int {
        guard total > 0, part < total else { return 100 }
        return total.dividingFullWidth(max(0, part).multipliedFullWidth(by: 100)).quotient
    }

    /// The number with a comma before each three digits, whatever the locale: the rest of the
    /// sentence is English, too.
    private static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }
}
