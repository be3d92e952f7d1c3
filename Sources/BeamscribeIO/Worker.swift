/// Does what may have to wait for a disk or a slow chip, or takes long to compute, away from a loop.
/// Belongs to the loop's thread.
///
/// ``WorkerThread`` has a thread for it.
public protocol Worker: AnyObject {
    /// Does `work` elsewhere, behind what it was given before, and then calls `done` on the loop, never
    /// from within this call; or never, if nobody has the worker any more by then.
    ///
    /// - Throws: where that is impossible for now.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, _ done: @escaping (Result) -> Void
    ) throws(SystemError)
}
