import BeamscribeIO
import Foundation
import TestSupport
import Testing

/// A file that is replaced while others read it.
@Suite struct ReplacedFileTests {
    @Test func reader_findsOneTextOrTheOther_never_half() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "sign.txt")
        let texts = (1...1_000).map { String(repeating: "caption \($0) ", count: $0 % 400 + 1) }
        let known = Set(texts)
        try SmallFile.replace(path, with: Array(texts[0].utf8), durably: false, isPrivate: false)
        let writer = OwnThread {
            for text in texts {
                let bytes = Array(text.utf8)
                try SmallFile.replace(path, with: bytes, durably: false, isPrivate: false)
            }
        }
        let reader = OwnThread {
            var seen: [String] = []
            var isOver = false
            while !isOver {
                isOver = writer.isOver
                let text = try String(contentsOfFile: path, encoding: .utf8)
                if text != seen.last { seen.append(text) }
            }
            return seen
        }
        try await writer.value()
        let seen = try await reader.value()
        #expect(seen.allSatisfy(known.contains))
        #expect(seen.last == texts.last)
        #expect(SmallFile.names(in: folder.path) == ["sign.txt"])
    }

    @Test func file_isForEverybody_onlyWhenItIsNotPrivate() throws {
        let folder = try TemporaryFolder()
        for isPrivate in [true, false] {
            let path = folder.path(of: "\(isPrivate)")
            try SmallFile.replace(path, with: [1], durably: false, isPrivate: isPrivate)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == (isPrivate ? 0 : mode & 0o044))
            #expect(mode & 0o600 == 0o600)
        }
    }

    @Test func file_mayBeReplaced_whenItIsFreeOrSmall() throws {
        let folder = try TemporaryFolder()
        let small = try folder.write("small", to: "small")
        let large = try folder.write(String(repeating: "x", count: 101), to: "large")
        let link = folder.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: small)
        #expect(try OutputFile.mayBeReplaced(folder.path(of: "new"), largest: 100))
        #expect(try OutputFile.mayBeReplaced(small, largest: 100))
        #expect(try !OutputFile.mayBeReplaced(large, largest: 100))
        #expect(try !OutputFile.mayBeReplaced(link, largest: 100))
        #expect(try !OutputFile.mayBeReplaced(folder.path, largest: 1_000_000))
    }
}
