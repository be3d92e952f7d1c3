import BeamscribeCore
public import BeamscribeVoice
import CVoiceProcessing

/// The echo canceller, noise suppression and gain control of the WebRTC project.
public final class WebRTCProcessor: VoiceProcessor {
    private let processor: OpaquePointer

    /// Whether what the loudspeaker says is taken out.
    public var cancelsEcho = false {
        didSet { cvoice_cancel_echo(processor, cancelsEcho) }
    }

    /// - Returns: nil where this was built without the library, or there is no memory.
    public init?(_ cleaning: VoiceCleaning) {
        guard let processor = cvoice_make(cleaning.reducesNoise, cleaning.controlsGain) else {
            return nil
        }
        self.processor = processor
    }

    deinit { cvoice_free(processor) }

    public func play(_ frame: UnsafeBufferPointer<Float>) {
        guard frame.count == Int(cvoice_frame) else { return }
        cvoice_played(processor, frame.baseAddress)
    }

    public func process(_ frame: UnsafeMutableBufferPointer<Float>) {
        guard frame.count == Int(cvoice_frame) else { return }
        cvoice_process(processor, frame.baseAddress)
    }
}
