import BeamscribeCore
import BeamscribeIO

/// Looks at the machine's battery from time to time.
final class BatteryLookout {
    /// Told once when the battery gets low, with what is left in per cent.
    var isLow: (_ percent: Int) -> Void = { _ in }
    private let folder: String?
    private let interval: Duration
    private let surroundings: any Surroundings
    private var watch = BatteryWatch()
    @OwnedTimer private var timer: LoopTimer?
    private var isOver = false

    init(_ configuration: HostConfiguration, in surroundings: any Surroundings) {
        folder = configuration.powerSupplies
        interval = configuration.timing.batteryInterval
        self.surroundings = surroundings
    }

    /// Begins to look, where the machine has a battery.
    func look() {
        guard let folder else { return }
        try? surroundings.worker.perform {
            PowerSupply.level(in: folder)
        } _: { [weak self] in
            self?.take($0)
        }
    }

    private func take(_ level: PowerSupply.Level?) {
        guard !isOver else { return }
        timer = surroundings.network.loop.schedule(after: interval) { [unowned self] in look() }
        if let level, watch.isNewlyLow(percent: level.percent, isDischarging: level.isDischarging) {
            isLow(level.percent)
        }
    }

    func end() { (isOver, timer) = (true, nil) }
}
