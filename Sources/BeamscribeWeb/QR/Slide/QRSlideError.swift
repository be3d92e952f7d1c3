/// Why there is no slide.
public enum QRSlideError: Error, Equatable, Sendable {
    case unknownEnding
    case noCairo
    case unfitCairo(String)
    /// libcairo could not draw, which only happens when memory is short; its status
    /// (`cairo_status_t`).
    case drawingFailed(Int)
}

extension QRSlideError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownEnding:
            "cannot tell the form of the slide: the file's name must end in .png or .svg"
        case .noCairo:
            "cannot draw the slide: libcairo.so.2 is not there; install the package libcairo2 "
                + "(Fedora, Arch: cairo)"
        case .unfitCairo(let function):
            "cannot draw the slide: this libcairo was built without \(function); install your "
                + "distribution's own"
        case .drawingFailed(let status):
            "cannot draw the slide: libcairo gave up (status \(status)); is there enough memory?"
        }
    }
}
