import BeamscribeCore
import BeamscribeVoice

/// The sound of the room for who has a browser alone.
final class FloorSound {
    private let pages: AudioPages
    private var receive: @Sendable ([UInt8]) -> Void = { _ in }

    /// - Returns: nil where there is no floor that everybody may hear.
    init?(_ voices: VoiceConfiguration) {
        let isForAll = voices.channels.contains {
            $0.name == VoiceChannel.floor.name && $0.hear == .event
        }
        guard voices.floor != nil, isForAll, let container = VoiceLibraries.container() else {
            return nil
        }
        pages = AudioPages(in: container)
    }

    /// Gives out each page from now on.
    ///
    /// - Returns: what a player needs first.
    func open(_ receive: @escaping @Sendable ([UInt8]) -> Void) -> [UInt8] {
        self.receive = receive
        return pages.beginning
    }

    /// Something was heard.
    func take(_ voice: HeardVoice<ConnectionID>) {
        guard case .packet(let bytes, HostFloor.id, _, _, _) = voice,
            let packet = try? bytes.withUnsafeBytes({ try RTPPacket(parsing: $0) }),
            let page = pages.take(packet)
        else { return }
        receive(page)
    }
}
