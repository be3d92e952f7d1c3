import Glibc
import Testing

@testable import BeamscribeIO

@Suite struct FileStatusTests {
    private let kinds: [FileStatus.Kind] = [.folder, .file, .link, .other]

    /// Of all that there can be, one thing is used: this user's own, and of the right kind.
    @Test func only_whatIsOwnAndOfTheKind_isUsed() {
        for kind in kinds {
            for wanted in [FileStatus.Kind.folder, .file] {
                for (owner, user) in [(0, 0), (7, 7), (7, 0), (0, 7), (65_534, 7)]
                    as [(UInt32, UInt32)]
                {
                    for names in [1, 2] as [UInt64] {
                        for isWritten in [true, false] {
                            let status = FileStatus(
                                kind: kind, owner: owner, mode: 0o777, names: names)
                            let error = status.error(
                                for: "/s", as: wanted, isWritten: isWritten, user: user)
                            let isShared = kind == .file && isWritten && names == 2
                            let isUsed = kind == wanted && owner == user && !isShared
                            #expect((error == nil) == isUsed, "\(status) as \(wanted) by \(user)")
                        }
                    }
                }
            }
        }
    }

    @Test func refusal_isASentence_thatSaysWhatToDo() {
        let link = FileStatus(kind: .link, owner: 0, mode: 0o777)
            .error(for: "/s/beamscribe", as: .folder, isWritten: true, user: 0)
        #expect(
            link.map { "\($0)" } ?? ""
                == "cannot use /s/beamscribe: it is a symbolic link; move it away, or name another "
                + "place with XDG_STATE_HOME")
        let foreign = FileStatus(kind: .file, owner: 7, mode: 0o600)
            .error(for: "/s/device-id", as: .file, isWritten: true, user: 1_000)
        #expect(
            foreign.map { "\($0)" } ?? ""
                == "cannot use /s/device-id: it belongs to user 7; run as that user, give it to user "
                + "1000, or name another place with XDG_STATE_HOME")
    }
}
