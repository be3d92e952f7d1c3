@testable import BeamscribeWeb

enum Cairo {
    /// Why no slide can be drawn here; nil where one can.
    static var unavailableReason: String? {
        do {
            _ = try CairoLibrary()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
