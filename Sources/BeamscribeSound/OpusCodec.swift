import BeamscribeCore
public import BeamscribeVoice
import COpus

/// What Opus is to be good at.
public enum OpusPurpose: Sendable {
    /// Speech.
    case speech
    /// Speech with the least delay: 5 ms frames.
    case lowDelay
    /// Whatever a room is to hear: music, too.
    case audio

    fileprivate var application: Int32 {
        switch self {
        case .speech: OPUS_APPLICATION_VOIP
        case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
        case .audio: OPUS_APPLICATION_AUDIO
        }
    }
}

/// Codes speech by libopus: mono, 48 kHz, at a constant rate, without pauses of its own.
public final class OpusAudioEncoder: AudioEncoder {
    private let encoder: OpaquePointer
    private var bitrate = 0

    /// - Parameters:
    ///   - purpose: what it is to be good at.
    ///   - complexity: 0 to 10: how much a processor may do for it.
    /// - Returns: nil where there is no memory.
    public init?(for purpose: OpusPurpose, complexity: Int = 5) {
        var status: Int32 = 0
        guard
            let encoder = opus_encoder_create(
                Int32(clamping: OpusPacket.clock), 1, purpose.application, &status)
        else { return nil }
        self.encoder = encoder
        _ = beamscribe_opus_set(encoder, OPUS_SET_COMPLEXITY_REQUEST, Int32(clamping: complexity))
        _ = beamscribe_opus_set(encoder, OPUS_SET_VBR_REQUEST, 0)
        _ = beamscribe_opus_set(encoder, OPUS_SET_DTX_REQUEST, 0)
        _ = beamscribe_opus_set(
            encoder, OPUS_SET_SIGNAL_REQUEST,
            purpose == .audio ? OPUS_AUTO : OPUS_SIGNAL_VOICE)
    }

    deinit { opus_encoder_destroy(encoder) }

    public func encode(_ samples: UnsafeBufferPointer<Float>, bitrate: Int) -> [UInt8]? {
        if bitrate != self.bitrate {
            self.bitrate = bitrate
            _ = beamscribe_opus_set(encoder, OPUS_SET_BITRATE_REQUEST, Int32(clamping: bitrate))
        }
        guard let start = samples.baseAddress else { return nil }
        let packet = [UInt8](unsafeUninitializedCapacity: OpusPacket.mostBytes) { buffer, count in
            let length = opus_encode_float(
                encoder, start, Int32(clamping: samples.count), buffer.baseAddress!,
                Int32(clamping: buffer.count))
            count = Int(max(0, length))
        }
        return packet.isEmpty ? nil : packet
    }

    public func reset() {
        _ = beamscribe_opus_reset_encoder(encoder)
    }
}

/// Makes sound of Opus packets by libopus: mono, 48 kHz.
public final class OpusAudioDecoder: AudioDecoder {
    private let decoder: OpaquePointer

    /// Nil where there is no memory.
    public init?() {
        var status: Int32 = 0
        guard let decoder = opus_decoder_create(Int32(clamping: OpusPacket.clock), 1, &status)
        else { return nil }
        self.decoder = decoder
    }

    deinit { opus_decoder_destroy(decoder) }

    public func decode(_ packet: [UInt8], appendingTo samples: inout [Float]) -> Bool {
        guard let duration = OpusPacket.duration(of: packet) else { return false }
        return append(duration, to: &samples) { buffer in
            opus_decode_float(
                decoder, packet, Int32(clamping: packet.count), buffer, Int32(clamping: duration), 0
            )
        }
    }

    public func conceal(_ count: Int, appendingTo samples: inout [Float]) {
        let isDone = append(count, to: &samples) { buffer in
            opus_decode_float(decoder, nil, 0, buffer, Int32(clamping: count), 0)
        }
        if !isDone { samples.append(contentsOf: repeatElement(0, count: count)) }
    }

    /// Appends as many samples as were asked for, or none.
    private func append(
        _ count: Int, to samples: inout [Float], _ decode: (UnsafeMutablePointer<Float>) -> Int32
    ) -> Bool {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { room in
            guard let start = room.baseAddress, decode(start) == count else { return false }
            samples.append(contentsOf: UnsafeBufferPointer(room))
            return true
        }
    }

    public func reset() {
        _ = beamscribe_opus_reset_decoder(decoder)
    }
}
