import BeamscribeTLS
import Testing

@Suite struct TLSAlertTests {
    @Test(
        arguments: [
            (TLSAlert.handshakeFailure, 40), (.accessDenied, 49), (.protocolVersion, 70),
            (.internalError, 80),
        ] as [(TLSAlert, UInt8)])
    func record_isAFatalAlert_asItGoesOverTheWire(alert: TLSAlert, number: UInt8) {
        #expect(alert.record == [21, 3, 3, 0, 2, 2, number])
    }
}
