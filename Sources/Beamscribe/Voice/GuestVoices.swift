import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// What a guest's connection has to do for its ``Intercom``: proves the crew's code, exports keys, passes messages to
/// and fro.
final class GuestVoices {
    /// Says something to the host.
    var say: (VoiceMessage) -> Void = { _ in }
    /// What only the two ends of the connection have.
    var exportedKey: (ExportedKey) -> [UInt8]? = { _ in nil }

    let intercom: Intercom
    private let code: GuestCode?
    private let worker: any Worker
    /// What is offered by the host whom the crew's code is being proved to, and where; whether it has proved that it
    /// knows that, too. Before that it is nobody to talk to.
    private var proving: (offer: VoiceOffer, host: Endpoint?, isProven: Bool)?
    /// Counts the connections, so that what takes a while is not said on a later one.
    private var number = 0

    init(_ intercom: Intercom, in surroundings: any Surroundings) {
        self.intercom = intercom
        worker = surroundings.worker
        code = intercom.configuration.crewCode.map { GuestCode($0, of: .crew) }
    }

    /// The host has let the guest in.
    ///
    /// - Parameter address: where it is; nil where no network leads to it.
    func connected(to offer: VoiceOffer?, at address: IPAddress?) {
        number += 1
        let port = offer.flatMap { UInt16(exactly: $0.port) }
        let host = address.flatMap { address in port.map { Endpoint(address, port: $0) } }
        guard let offer, let code else { return intercom.connected(to: offer, at: host) }
        // Whoever lets everybody talk as well: it may be anybody who does not know the code.
        guard let salt = offer.saltBytes else { return intercom.refused(.noCode) }
        proving = (offer, host, false)
        if let secret = code.secret(for: salt) { return prove(secret) }
        let (recipe, number) = (code.recipe(for: salt), number)
        do throws(SystemError) {
            try worker.perform(recipe) { [weak self] secret in
                guard let self, self.number == number, proving != nil else { return }
                prove(secret)
            }
        } catch {
            intercom.refused(.noWay("\(error)"))
        }
    }

    private func prove(_ secret: CodeSecret?) {
        let share = secret.flatMap { secret in
            exportedKey(.code).flatMap { code?.begin(secret, exporter: $0) }
        }
        guard let share else {
            return intercom.refused(.noWay("this machine cannot prove the crew's code"))
        }
        say(.code(VoiceCode(share: share)))
    }

    /// The host says something.
    func take(_ message: VoiceMessage) {
        switch message {
        case .code(let step): take(step)
        case .refused(let refused) where refused.reason == VoiceRefused.Reason.wrongCode.rawValue:
            guard proving != nil else { return }
            proving = nil
            intercom.refused(.wrongCode)
        case .joined(let joined):
            let exported = exportedKey(.voice(joined.key)).map { (joined.key, $0) }
            intercom.take(message, exported: exported)
        default: intercom.take(message, exported: nil)
        }
    }

    private func take(_ step: VoiceCode) {
        guard let (offer, host, isProven) = proving else { return }
        if isProven {
            proving = nil
            return intercom.connected(to: offer, at: host)
        }
        let share = step.share ?? .init()
        switch code?.judge(share: Array(share), confirm: Array(step.confirm ?? .init())) {
        case .proven(let confirm)?:
            proving?.isProven = true
            say(.code(VoiceCode(confirm: confirm)))
        case .wrong?, .broken?, nil:
            proving = nil
            intercom.refused(.wrongCode)
        }
    }

    /// The connection is gone.
    func disconnected() {
        number += 1
        proving = nil
        intercom.disconnected()
    }
}
