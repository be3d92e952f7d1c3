import BeamscribeIO

/// Does what may have to wait for a disk or a slow chip, on a thread of its own: captions don't
/// wait for it.
actor DiskWorker {
    private nonisolated let thread: LoopThread

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws(SystemError) {
        thread = try LoopThread()
    }

    /// Waits until the disk has a session's lines; the error where it could not take them.
    func synchronize(_ log: SessionLog) -> SystemError? {
        do throws(SystemError) {
            try log.synchronize()
            return nil
        } catch {
            return error
        }
    }

    /// Waits until the disk has the files' names; false where it could not be asked, for want of
    /// a descriptor say.
    func synchronizeFolders(of files: SessionFiles) -> Bool {
        (try? files.synchronizeFolders()) != nil
    }

    func batteryLevel(in folder: String) -> PowerSupply.Level? {
        PowerSupply.level(in: folder)
    }
}
