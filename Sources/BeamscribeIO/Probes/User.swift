internal import Glibc

/// The user that the program runs as.
public enum User {
    /// Whether the user may do everything.
    public static var isRoot: Bool { geteuid() == 0 }
}
