internal import Glibc
internal import Synchronization

/// Finds the words of writing without blanks: Thai, Lao, Khmer, Burmese, Chinese, Japanese.
///
/// ICU knows the words. Its library is loaded at the first word of such a script, because it makes
/// a start slower. Without it rows of such writing break as if there were no words.
public enum WordBreaker {
    /// The release of ICU that is used; nil where none is installed. Asking loads it.
    public static var version: Int? { library.withLock { $0.loaded?.version } }

    /// The ends of the words of `text`; nil where it has no writing without blanks, or ICU is
    /// missing. Also where a line may never break, as before a full stop, a word may end.
    public static func boundaries(in text: String) -> Set<String.Index>? {
        guard hasUnspacedWriting(text) else { return nil }
        return library.withLock { $0.loaded?.boundaries(in: text) }
    }

    /// Whether a row may end only where a word does, beside this character.
    public static func isUnspaced(_ character: Character) -> Bool {
        character.unicodeScalars.first.map(isUnspaced) ?? false
    }

    /// All of these scripts take three bytes or more a letter in UTF-8.
    private static func hasUnspacedWriting(_ text: String) -> Bool {
        text.utf8.contains { $0 >= 0xE0 } && text.unicodeScalars.contains(where: isUnspaced)
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0xE00 else { return false }
        return unspaced.contains { $0.contains(scalar.value) }
    }

    /// Thai and Lao, Burmese, Khmer; kana; ideographs.
    private static let unspaced: [ClosedRange<UInt32>] = [
        0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3041...0x30FF, 0x31F0...0x31FF,
        0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFD,
    ]

    private static let library = Mutex(Library())

    /// ICU's library, looked for once.
    private struct Library {
        lazy var loaded = ICUBreaker()
    }
}

/// ICU's iterator over words (`ubrk.h`), from the release that this machine has.
///
/// Invariant: used by one thread at a time.
private struct ICUBreaker {
    private typealias Status = Int32
    private typealias Open =
        @convention(c) (
            Int32, UnsafePointer<CChar>?, UnsafePointer<UInt16>?, Int32,
            UnsafeMutablePointer<Status>
        ) -> OpaquePointer?
    private typealias SetText =
        @convention(c) (
            OpaquePointer, UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<Status>
        ) -> Void
    private typealias Next = @convention(c) (OpaquePointer) -> Int32

    /// The release, such as 72.
    let version: Int
    private let iterator: OpaquePointer
    private let setText: SetText
    private let next: Next

    /// Releases of ICU from the oldest that is known to do.
    private static let versions = 60...99
    /// UBRK_WORD of `ubrk.h`.
    private static let words: Int32 = 1

    /// The newest release that is installed; nil without any.
    init?() {
        for version in Self.versions.reversed() {
            guard let library = dlopen("libicuuc.so.\(version)", RTLD_NOW | RTLD_LOCAL) else {
                continue
            }
            // Every name of ICU ends in its release.
            func function(_ name: String) -> UnsafeMutableRawPointer? {
                dlsym(library, "\(name)_\(version)")
            }
            guard let open = function("ubrk_open"), let setText = function("ubrk_setText"),
                let next = function("ubrk_next")
            else { continue }
            var status: Status = 0
            let opened = unsafeBitCast(open, to: Open.self)(Self.words, "", nil, 0, &status)
            guard status <= 0, let iterator = opened else { continue }
            self.version = version
            self.iterator = iterator
            self.setText = unsafeBitCast(setText, to: SetText.self)
            self.next = unsafeBitCast(next, to: Next.self)
            return
        }
        return nil
    }

    func boundaries(in text: String) -> Set<String.Index> {
        let units = Array(text.utf16)
        var boundaries: Set<String.Index> = []
        units.withUnsafeBufferPointer { units in
            guard let start = units.baseAddress else { return }
            var status: Status = 0
            setText(iterator, start, Int32(clamping: units.count), &status)
            guard status <= 0 else { return }
            var (index, offset) = (text.startIndex, 0)
            while true {
                let end = Int(next(iterator))
                guard end > offset, end <= units.count else { break }
                index = text.utf16.index(index, offsetBy: end - offset)
                offset = end
                boundaries.insert(index)
            }
            setText(iterator, [], 0, &status)
        }
        return boundaries
    }
}
