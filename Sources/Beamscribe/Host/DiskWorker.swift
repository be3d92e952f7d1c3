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
    func synchronize(_ files: SessionFiles, withFolders: Bool) -> SystemError? {
        do throws(SystemError) {
            try files.log.synchronize()
            if withFolders { try files.synchronizeFolders() }
            return nil
        } catch {
            return error
        }
    }

    /// What is left in the machine's batteries.
    func batteryLevel(in folder: String) -> PowerSupply.Level? {
        PowerSupply.level(in: folder)
    }

    /// Ends the thread.
    func stop() {
        thread.loop.stop()
    }
}
