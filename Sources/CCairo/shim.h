#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>

/* The library is not linked but loaded when it is needed. These are the types of what is looked up
 * in it then, as its own headers have them. */
#define CCAIRO_CALL(name) typedef __typeof__(name) *name##_call
CCAIRO_CALL(cairo_arc);
CCAIRO_CALL(cairo_create);
CCAIRO_CALL(cairo_destroy);
CCAIRO_CALL(cairo_fill);
CCAIRO_CALL(cairo_image_surface_create);
CCAIRO_CALL(cairo_move_to);
CCAIRO_CALL(cairo_paint);
CCAIRO_CALL(cairo_rectangle);
CCAIRO_CALL(cairo_select_font_face);
CCAIRO_CALL(cairo_set_font_size);
CCAIRO_CALL(cairo_set_source_rgb);
CCAIRO_CALL(cairo_status);
CCAIRO_CALL(cairo_surface_destroy);
CCAIRO_CALL(cairo_surface_finish);
CCAIRO_CALL(cairo_surface_status);
CCAIRO_CALL(cairo_surface_write_to_png_stream);
CCAIRO_CALL(cairo_svg_surface_create_for_stream);
CCAIRO_CALL(cairo_text_extents);
CCAIRO_CALL(cairo_text_path);
#undef CCAIRO_CALL
