internal import BeamscribeIO
internal import CCairo

/// What is called of libcairo, which is loaded when the first slide is drawn. Linked, it and the
/// 18 libraries that it needs made each start of the program two milliseconds longer, and machines
/// without it could not start it at all.
struct CairoLibrary: Sendable {
    let arc: cairo_arc_call
    let create: cairo_create_call
    let destroy: cairo_destroy_call
    let fill: cairo_fill_call
    let imageSurfaceCreate: cairo_image_surface_create_call
    let moveTo: cairo_move_to_call
    let paint: cairo_paint_call
    let rectangle: cairo_rectangle_call
    let selectFontFace: cairo_select_font_face_call
    let setFontSize: cairo_set_font_size_call
    let setSourceRGB: cairo_set_source_rgb_call
    let status: cairo_status_call
    let surfaceDestroy: cairo_surface_destroy_call
    let surfaceFinish: cairo_surface_finish_call
    let surfaceStatus: cairo_surface_status_call
    let surfaceWriteToPNGStream: cairo_surface_write_to_png_stream_call
    let svgSurfaceCreateForStream: cairo_svg_surface_create_for_stream_call
    let textExtents: cairo_text_extents_call
    let textPath: cairo_text_path_call

    /// Loads the library.
    ///
    /// - Parameter name: another file than the system's, for tests.
    init(_ name: String = "libcairo.so.2") throws(QRSlideError) {
        guard let library = SharedLibrary(name) else { throw .noCairo }
        arc = try Self.call("cairo_arc", library)
        create = try Self.call("cairo_create", library)
        destroy = try Self.call("cairo_destroy", library)
        fill = try Self.call("cairo_fill", library)
        imageSurfaceCreate = try Self.call("cairo_image_surface_create", library)
        moveTo = try Self.call("cairo_move_to", library)
        paint = try Self.call("cairo_paint", library)
        rectangle = try Self.call("cairo_rectangle", library)
        selectFontFace = try Self.call("cairo_select_font_face", library)
        setFontSize = try Self.call("cairo_set_font_size", library)
        setSourceRGB = try Self.call("cairo_set_source_rgb", library)
        status = try Self.call("cairo_status", library)
        surfaceDestroy = try Self.call("cairo_surface_destroy", library)
        surfaceFinish = try Self.call("cairo_surface_finish", library)
        surfaceStatus = try Self.call("cairo_surface_status", library)
        surfaceWriteToPNGStream = try Self.call("cairo_surface_write_to_png_stream", library)
        svgSurfaceCreateForStream = try Self.call("cairo_svg_surface_create_for_stream", library)
        textExtents = try Self.call("cairo_text_extents", library)
        textPath = try Self.call("cairo_text_path", library)
    }

    private static func call<Call>(
        _ name: String, _ library: SharedLibrary
    ) throws(QRSlideError) -> Call {
        guard let address = library.address(of: name) else { throw .unfitCairo(name) }
        // The property's type is made of the function's own declaration in the headers.
        return unsafeBitCast(address, to: Call.self)
    }
}
