import BeamscribeCore
import BeamscribeIO

extension Destination {
    /// What carries a connection that is made to it.
    var transport: Transport {
        switch self {
        case .network: .network
        case .channel: .bluetooth
        }
    }
}
