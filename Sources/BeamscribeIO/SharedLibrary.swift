internal import Glibc

/// A library of the system that is loaded only when it is needed (dlopen(3)), and then stays: a
/// program that starts without it starts sooner, and on machines that lack it.
public struct SharedLibrary: @unchecked Sendable {
    // Unchecked: the handle is never closed, and dlsym(3) may be called on any thread.
    private let handle: UnsafeMutableRawPointer

    /// Loads a library.
    ///
    /// - Parameter name: its file's name with the version of its interface: `libcairo.so.2`.
    /// - Returns: nil where the machine has none, or one that cannot be loaded.
    public init?(_ name: String) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        self.handle = handle
    }

    /// The address of a function of the library; nil where it has none of that name.
    public func address(of name: String) -> UnsafeMutableRawPointer? { dlsym(handle, name) }
}
