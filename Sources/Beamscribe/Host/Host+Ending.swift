import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

extension Host {
    /// Says goodbye to every guest and ends. The event is over if its input is; otherwise guests
    /// are told that the host has gone for now. A second call does not wait for slow guests.
    public func stop() {
        guard !isFinishing else { return finish() }
        isFinishing = true
        source = nil
        timers.patience?.cancel()
        timers.input?.cancel()
        ([advertiser].compactMap(\.self) + sideAdvertisers).forEach { $0.stop() }
        beaconAdvertiser?.stop()
        server.stopListening()
        isInputOver
            ? server.finish(.ended, "The event has ended.")
            : server.finish(.hostDisconnected, "The host has stopped.")
        if !server.hasConnections { return finish() }
        timers.patience = loop.schedule(after: Limits.partingPatience) { [unowned self] in
            news.push([.waitingForGuests(room.connectionCount)])
        }
    }

    func finish() {
        guard !isFinished else { return }
        isFinished = true
        timers = Timers()
        let events = journal.close(isInputOver ? .ended : .stopped)
        news.push(events.map { [counts = room.counts] in .guests($0, counts) })
        addressMonitor = nil
        advertiser = nil
        sideAdvertisers = []
        beaconAdvertiser = nil
        // What the server still does is not told to a host that may go any moment.
        (server.report, server.acceptTrouble, server.allGone) = ({ _ in }, { _ in }, {})
        news.push([.finished(lines: log.lastSeq, isOver: isInputOver)])
        news.finish()
        finals.finish()
        lifeline = nil
    }
}
