#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>

#include "../CGlibc/functions.h"

// Pango's own headers need GLib's, and the path of those depends on the machine's architecture. So the
// functions of Pango that are used are declared here; Tests/CLI/print/print-pdf.txt has the compiler compare
// them with the real headers, where another type is an error.
typedef struct _PangoContext PangoContext;
typedef struct _PangoFont PangoFont;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoLayout PangoLayout;
#ifndef __PANGO_H__
typedef struct { int x, y, width, height; } PangoRectangle;
typedef enum { PANGO_ALIGN_LEFT, PANGO_ALIGN_CENTER } PangoAlignment;
typedef enum { PANGO_WRAP_WORD = 0, PANGO_WRAP_WORD_CHAR = 2 } PangoWrapMode;
enum { PANGO_SCALE = 1024 };
#endif
PangoContext *pango_font_map_create_context(PangoFontMap *map);
PangoFontDescription *pango_font_description_from_string(const char *text);
PangoFontMap *pango_cairo_font_map_get_default(void);
PangoFont *pango_font_map_load_font(
    PangoFontMap *map, PangoContext *context, const PangoFontDescription *description);
PangoLayout *pango_layout_new(PangoContext *context);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
void g_object_unref(void *object);
void pango_cairo_context_set_font_options(PangoContext *context, const cairo_font_options_t *options);
void pango_cairo_show_layout(cairo_t *context, PangoLayout *layout);
void pango_context_set_round_glyph_positions(PangoContext *context, int round_positions);
void pango_font_description_free(PangoFontDescription *description);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);
void pango_layout_get_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);
void pango_layout_set_alignment(PangoLayout *layout, PangoAlignment alignment);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_wrap(PangoLayout *layout, PangoWrapMode mode);

// The libraries are loaded when a PDF is drawn, and never linked. These functions are looked up
// then. Each one gets a field in a struct, with the type from the header, and a `lazy_` function.
#define HUBPAIR_CAIRO(EACH) \
    EACH(cairo_create) \
    EACH(cairo_destroy) \
    EACH(cairo_fill) \
    EACH(cairo_font_options_create) \
    EACH(cairo_font_options_destroy) \
    EACH(cairo_font_options_set_hint_metrics) \
    EACH(cairo_font_options_set_hint_style) \
    EACH(cairo_image_surface_create) \
    EACH(cairo_image_surface_get_data) \
    EACH(cairo_image_surface_get_stride) \
    EACH(cairo_line_to) \
    EACH(cairo_move_to) \
    EACH(cairo_pdf_surface_create_for_stream) \
    EACH(cairo_pdf_surface_set_metadata) \
    EACH(cairo_rectangle) \
    EACH(cairo_scale) \
    EACH(cairo_set_line_width) \
    EACH(cairo_set_source_rgb) \
    EACH(cairo_show_page) \
    EACH(cairo_status) \
    EACH(cairo_status_to_string) \
    EACH(cairo_stroke) \
    EACH(cairo_surface_destroy) \
    EACH(cairo_surface_finish) \
    EACH(cairo_surface_flush) \
    EACH(cairo_surface_status)

#define HUBPAIR_PANGO(EACH) \
    EACH(g_object_unref) \
    EACH(pango_cairo_context_set_font_options) \
    EACH(pango_cairo_font_map_get_default) \
    EACH(pango_cairo_show_layout) \
    EACH(pango_context_set_round_glyph_positions) \
    EACH(pango_font_description_free) \
    EACH(pango_font_description_from_string) \
    EACH(pango_font_description_set_absolute_size) \
    EACH(pango_font_map_create_context) \
    EACH(pango_font_map_load_font) \
    EACH(pango_layout_get_extents) \
    EACH(pango_layout_get_unknown_glyphs_count) \
    EACH(pango_layout_new) \
    EACH(pango_layout_set_alignment) \
    EACH(pango_layout_set_font_description) \
    EACH(pango_layout_set_text) \
    EACH(pango_layout_set_width) \
    EACH(pango_layout_set_wrap)

#define HUBPAIR_NONNULL_FIELD(name) __typeof__(name) *_Nonnull name;

struct hubpair_cairo { HUBPAIR_CAIRO(HUBPAIR_NONNULL_FIELD) };
struct hubpair_pango { HUBPAIR_PANGO(HUBPAIR_NONNULL_FIELD) };
HUBPAIR_CAIRO(HUBPAIR_LAZY)
HUBPAIR_PANGO(HUBPAIR_LAZY)
