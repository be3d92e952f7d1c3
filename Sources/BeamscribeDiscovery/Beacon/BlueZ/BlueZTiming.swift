/// How long things take with bluetoothd, and how long they may.
struct BlueZTiming: Sendable {
    /// How long a call may take. A registration takes a tenth of a second.
    var callLimit = Duration.seconds(10)
    /// The pause before something that was refused is tried again.
    var retryInterval = Duration.seconds(10)
    /// The pause before a search is begun again where there was another one.
    var busyInterval = Duration.seconds(2)
    /// How long bluetoothd may rest while it is to listen. It does so for 5 s.
    var idleLimit = Duration.seconds(8)
    /// How long after somebody has connected the beacon is sent anew.
    var renewalDelay = Duration.milliseconds(300)
    /// The pause after bluetoothd has taken an advertisement back, which it does before it says
    /// that the adapter is gone.
    var releaseInterval = Duration.seconds(1)
    /// How long it must be worse than before to be told. A bluetoothd that ends or begins has its adapters
    /// switched off, then none, then is gone, or the other way round, in a tenth of a second.
    var troubleDelay = Duration.milliseconds(300)
    /// How long a beacon may be silent. bluetoothd listens for about 10 s and rests for 5, and a
    /// beacon that is sent every 1.3 s may be missed a few times.
    var silence = Duration.seconds(30)
    /// How long whoever is in reach needs to be heard: 2 s where a third of all is lost.
    var settlingTime = Duration.seconds(2)
    /// When an owner is told that all were heard even though bluetoothd has not answered yet.
    var settlingLimit = Duration.seconds(5)
}
