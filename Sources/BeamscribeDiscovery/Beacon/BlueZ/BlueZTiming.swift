import BeamscribeCore

/// How long things take with bluetoothd, and how long they may: ``Limits``, but for tests.
package struct BlueZTiming: Sendable {
    var callLimit = Limits.bluetoothCall
    var retryInterval = Limits.bluetoothRetry
    var busyInterval = Limits.bluetoothBusy
    var idleLimit = Limits.bluetoothIdle
    var renewalDelay = Limits.beaconRenewal
    var releaseInterval = Limits.beaconRelease
    var troubleDelay = Limits.bluetoothTrouble
    var silence = Limits.beaconSilence
    var settlingTime = Limits.beaconSettling
    var settlingLimit = Limits.beaconSettlingLimit

    package init() {}
}
