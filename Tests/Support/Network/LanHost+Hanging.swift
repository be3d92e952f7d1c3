import Synchronization

extension LanHost {
    /// From now on the host's D-Bus takes connections and answers nothing, until the host goes.
    public func suspendBus() {
        services.withLock { $0.bus }?.suspend()
    }

    /// From now on the host's avahi-daemon takes questions and answers nothing, until the host goes.
    public func suspendAvahi() {
        services.withLock { $0.avahi }?.suspend()
    }
}
