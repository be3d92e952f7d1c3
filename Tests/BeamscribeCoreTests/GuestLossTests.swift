import BeamscribeCore
import Testing

/// What a guest says while it is without its host.
@Suite struct GuestLossTests {
    private func losses(_ guest: VirtualGuest) -> [ConnectionLoss] {
        guest.events.compactMap { if case .stillLost(let loss) = $0 { loss } else { nil } }
    }

    @Test func reader_isNotAlarmed_whenTheGuestIsBackAtOnce() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        room.pass(seconds: 5)
        room.cut(guest)
        room.pass(seconds: 10)
        #expect(losses(guest) == [])
        #expect(["live", "silent"].contains(guest.states.last?.name))
    }

    @Test func reader_isToldOnce_whenTheLossLastsThreeSeconds() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.canConnect = false
        room.cut(guest)
        let since = room.now.wall
        room.pass(seconds: 2)
        #expect(losses(guest) == [])
        room.pass(seconds: 40)
        #expect(losses(guest).count == 1)
        #expect(losses(guest).first?.since == since)
        guard case .reconnecting(let loss)? = guest.states.last else {
            Issue.record("\(guest.states)")
            return
        }
        #expect(loss.since == since, "It is one loss, however many tries there were.")
        guest.canConnect = true
        room.pass(seconds: 15)
        #expect(["live", "silent"].contains(guest.states.last?.name))
    }

    @Test func cause_changes_withWhatTheTriesFind() {
        let room = VirtualRoom()
        let guest = room.guest()
        room.connect(guest)
        guest.isFrozen = true
        guest.canConnect = false
        room.pass(seconds: 8)
        let causes = guest.states.compactMap { state -> LossCause? in
            if case .reconnecting(let loss) = state { loss.cause } else { nil }
        }
        #expect(causes.first == .networkLost)
        let now = room.now
        _ = guest.session.prospectsChanged(now: now)
        let refused = ConnectionTrouble(.hostLost, "refused")
        let actions = guest.session.connectionFailed(refused, now: now)
        let told = actions.contains { action in
            if case .report(.state(.reconnecting(let loss))) = action {
                return loss.cause == .hostLost
            }
            return false
        }
        #expect(told)
    }
}
