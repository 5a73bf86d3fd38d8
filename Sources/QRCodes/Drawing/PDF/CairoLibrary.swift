import CCairo
import Identity

/// Cairo and Pango, loaded when the first PDF is drawn.
///
/// If they were linked, they and 20 further libraries (GLib, HarfBuzz, FreeType, fontconfig, X11) would be
/// loaded at every start of every command. The types of the functions come from the C headers.
struct CairoLibrary {
    let cairo: hubpair_cairo
    let pango: hubpair_pango

    /// Loads the libraries.
    ///
    /// - Throws: `PDFError.missingLibrary`.
    static func load() throws(PDFError) -> CairoLibrary {
        let library = try SharedLibrary("libpangocairo-1.0.so.0") { PDFError.missingLibrary($0) }
        return CairoLibrary(cairo: try hubpair_cairo(library), pango: try hubpair_pango(library))
    }

    /// A new Pango context, which the caller owns.
    ///
    /// - Throws: `PDFError.noFont`. Without any font Pango would end the process.
    func textContext() throws(PDFError) -> OpaquePointer {
        guard let fonts = pango.pango_cairo_font_map_get_default(),  // borrowed
            let context = pango.pango_font_map_create_context(fonts)
        else { throw .noFont }
        // Pango's list of families has "Sans" even if no font file exists, so a font must be loaded.
        let description = pango.pango_font_description_from_string("Sans")
        let font = pango.pango_font_map_load_font(fonts, context, description)
        pango.pango_font_description_free(description)
        guard let font else {
            pango.g_object_unref(UnsafeMutableRawPointer(context))
            throw .noFont
        }
        pango.g_object_unref(UnsafeMutableRawPointer(font))
        return context
    }
}

extension hubpair_cairo {
    fileprivate init(_ library: SharedLibrary<PDFError>) throws(PDFError) {
        self.init(
            cairo_create: try library.function(lazy_cairo_create),
            cairo_destroy: try library.function(lazy_cairo_destroy),
            cairo_fill: try library.function(lazy_cairo_fill),
            cairo_font_options_create: try library.function(lazy_cairo_font_options_create),
            cairo_font_options_destroy: try library.function(lazy_cairo_font_options_destroy),
            cairo_font_options_set_hint_metrics: try library.function(
                lazy_cairo_font_options_set_hint_metrics),
            cairo_font_options_set_hint_style: try library.function(lazy_cairo_font_options_set_hint_style),
            cairo_image_surface_create: try library.function(lazy_cairo_image_surface_create),
            cairo_image_surface_get_data: try library.function(lazy_cairo_image_surface_get_data),
            cairo_image_surface_get_stride: try library.function(lazy_cairo_image_surface_get_stride),
            cairo_line_to: try library.function(lazy_cairo_line_to),
            cairo_move_to: try library.function(lazy_cairo_move_to),
            cairo_pdf_surface_create_for_stream: try library.function(
                lazy_cairo_pdf_surface_create_for_stream),
            cairo_pdf_surface_set_metadata: try library.function(lazy_cairo_pdf_surface_set_metadata),
            cairo_rectangle: try library.function(lazy_cairo_rectangle),
            cairo_scale: try library.function(lazy_cairo_scale),
            cairo_set_line_width: try library.function(lazy_cairo_set_line_width),
            cairo_set_source_rgb: try library.function(lazy_cairo_set_source_rgb),
            cairo_show_page: try library.function(lazy_cairo_show_page),
            cairo_status: try library.function(lazy_cairo_status),
            cairo_status_to_string: try library.function(lazy_cairo_status_to_string),
            cairo_stroke: try library.function(lazy_cairo_stroke),
            cairo_surface_destroy: try library.function(lazy_cairo_surface_destroy),
            cairo_surface_finish: try library.function(lazy_cairo_surface_finish),
            cairo_surface_flush: try library.function(lazy_cairo_surface_flush),
            cairo_surface_status: try library.function(lazy_cairo_surface_status))
    }
}

extension hubpair_pango {
    fileprivate init(_ library: SharedLibrary<PDFError>) throws(PDFError) {
        self.init(
            g_object_unref: try library.function(lazy_g_object_unref),
            pango_cairo_context_set_font_options:
                try library.function(lazy_pango_cairo_context_set_font_options),
            pango_cairo_font_map_get_default: try library.function(lazy_pango_cairo_font_map_get_default),
            pango_cairo_show_layout: try library.function(lazy_pango_cairo_show_layout),
            pango_context_set_round_glyph_positions:
                try library.function(lazy_pango_context_set_round_glyph_positions),
            pango_font_description_free: try library.function(lazy_pango_font_description_free),
            pango_font_description_from_string: try library.function(lazy_pango_font_description_from_string),
            pango_font_description_set_absolute_size:
                try library.function(lazy_pango_font_description_set_absolute_size),
            pango_font_map_create_context: try library.function(lazy_pango_font_map_create_context),
            pango_font_map_load_font: try library.function(lazy_pango_font_map_load_font),
            pango_layout_get_extents: try library.function(lazy_pango_layout_get_extents),
            pango_layout_get_unknown_glyphs_count:
                try library.function(lazy_pango_layout_get_unknown_glyphs_count),
            pango_layout_new: try library.function(lazy_pango_layout_new),
            pango_layout_set_alignment: try library.function(lazy_pango_layout_set_alignment),
            pango_layout_set_font_description: try library.function(lazy_pango_layout_set_font_description),
            pango_layout_set_text: try library.function(lazy_pango_layout_set_text),
            pango_layout_set_width: try library.function(lazy_pango_layout_set_width),
            pango_layout_set_wrap: try library.function(lazy_pango_layout_set_wrap))
    }
}
