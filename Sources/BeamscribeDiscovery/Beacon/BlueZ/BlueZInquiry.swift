import BeamscribeIO

/// Asks BlueZ how it is, and leaves all as it was: nothing is sent, searched for or started.
public final class BlueZInquiry: BlueZObserver {
    private let daemon: BlueZDaemon
    private let loop: EventLoop

    private init(_ busAddress: String, _ patience: Duration, on loop: EventLoop) {
        self.loop = loop
        var timing = BlueZTiming()
        timing.callLimit = patience
        daemon = BlueZDaemon(at: busAddress, for: .init(start: false), timing, on: loop)
        daemon.observer = self
    }

    /// BlueZ's condition. Blocks for `patience` at most.
    ///
    /// - Parameter busAddress: see ``BusAddress/bluetooth(environment:)``.
    public static func ask(at busAddress: String, patience: Duration) -> BluetoothCondition {
        do throws(SystemError) {
            let inquiry = BlueZInquiry(busAddress, patience, on: try EventLoop())
            return inquiry.run(patience)
        } catch {
            return .troubled(.refused("\(error)"))
        }
    }

    private func run(_ patience: Duration) -> BluetoothCondition {
        loop.schedule(after: patience) { [unowned self] in loop.stop() }
        daemon.start()
        if daemon.condition == .asking { loop.run() }
        let condition = daemon.condition
        daemon.stop()
        return BluetoothCondition(condition)
    }

    func daemonHasChanged() {
        if daemon.condition != .asking { loop.stop() }
    }
}
