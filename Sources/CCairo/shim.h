#include <cairo/cairo-pdf.h>
#include <cairo/cairo.h>

// Pango's own headers need GLib's, which lie at a path of the machine's architecture. What is called of it is
// declared here; Tests/CLI/print-pdf.txt has the compiler hold it against the real headers, where another type
// is an error.
typedef struct _PangoContext PangoContext;
typedef struct _PangoFont PangoFont;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoLayout PangoLayout;
#ifndef __PANGO_H__
typedef struct { int x, y, width, height; } PangoRectangle;
typedef enum { PANGO_ALIGN_LEFT, PANGO_ALIGN_CENTER } PangoAlignment;
typedef enum { PANGO_WRAP_WORD_CHAR = 2 } PangoWrapMode;
enum { PANGO_SCALE = 1024 };
#endif
PangoContext *pango_font_map_create_context(PangoFontMap *map);
PangoFontDescription *pango_font_description_from_string(const char *text);
PangoFontMap *pango_cairo_font_map_get_default(void);
PangoFont *pango_font_map_load_font(PangoFontMap *map, PangoContext *context, const PangoFontDescription *description);
PangoLayout *pango_layout_new(PangoContext *context);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
void g_object_unref(void *object);
void pango_cairo_context_set_font_options(PangoContext *context, const cairo_font_options_t *options);
void pango_cairo_show_layout(cairo_t *context, PangoLayout *layout);
void pango_font_description_free(PangoFontDescription *description);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);
void pango_layout_get_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);
void pango_layout_set_alignment(PangoLayout *layout, PangoAlignment alignment);
void pango_layout_set_font_description(PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_wrap(PangoLayout *layout, PangoWrapMode mode);

// The libraries are loaded when a PDF is drawn and not when the program starts: these are the functions that are
// looked up then, with the types of the headers.
#define HUBPAIR_FUNCTION(name) __typeof__(name) *_Nonnull name

struct hubpair_cairo {
    HUBPAIR_FUNCTION(cairo_create);
    HUBPAIR_FUNCTION(cairo_destroy);
    HUBPAIR_FUNCTION(cairo_fill);
    HUBPAIR_FUNCTION(cairo_font_options_create);
    HUBPAIR_FUNCTION(cairo_font_options_destroy);
    HUBPAIR_FUNCTION(cairo_font_options_set_hint_metrics);
    HUBPAIR_FUNCTION(cairo_font_options_set_hint_style);
    HUBPAIR_FUNCTION(cairo_image_surface_create);
    HUBPAIR_FUNCTION(cairo_image_surface_get_data);
    HUBPAIR_FUNCTION(cairo_image_surface_get_stride);
    HUBPAIR_FUNCTION(cairo_line_to);
    HUBPAIR_FUNCTION(cairo_move_to);
    HUBPAIR_FUNCTION(cairo_pdf_surface_create_for_stream);
    HUBPAIR_FUNCTION(cairo_pdf_surface_set_metadata);
    HUBPAIR_FUNCTION(cairo_rectangle);
    HUBPAIR_FUNCTION(cairo_scale);
    HUBPAIR_FUNCTION(cairo_set_line_width);
    HUBPAIR_FUNCTION(cairo_set_source_rgb);
    HUBPAIR_FUNCTION(cairo_show_page);
    HUBPAIR_FUNCTION(cairo_status);
    HUBPAIR_FUNCTION(cairo_status_to_string);
    HUBPAIR_FUNCTION(cairo_stroke);
    HUBPAIR_FUNCTION(cairo_surface_destroy);
    HUBPAIR_FUNCTION(cairo_surface_finish);
    HUBPAIR_FUNCTION(cairo_surface_flush);
    HUBPAIR_FUNCTION(cairo_surface_status);
};

struct hubpair_pango {
    HUBPAIR_FUNCTION(g_object_unref);
    HUBPAIR_FUNCTION(pango_cairo_context_set_font_options);
    HUBPAIR_FUNCTION(pango_cairo_font_map_get_default);
    HUBPAIR_FUNCTION(pango_cairo_show_layout);
    HUBPAIR_FUNCTION(pango_font_description_free);
    HUBPAIR_FUNCTION(pango_font_description_from_string);
    HUBPAIR_FUNCTION(pango_font_description_set_absolute_size);
    HUBPAIR_FUNCTION(pango_font_map_create_context);
    HUBPAIR_FUNCTION(pango_font_map_load_font);
    HUBPAIR_FUNCTION(pango_layout_get_extents);
    HUBPAIR_FUNCTION(pango_layout_get_unknown_glyphs_count);
    HUBPAIR_FUNCTION(pango_layout_new);
    HUBPAIR_FUNCTION(pango_layout_set_alignment);
    HUBPAIR_FUNCTION(pango_layout_set_font_description);
    HUBPAIR_FUNCTION(pango_layout_set_text);
    HUBPAIR_FUNCTION(pango_layout_set_width);
    HUBPAIR_FUNCTION(pango_layout_set_wrap);
};
