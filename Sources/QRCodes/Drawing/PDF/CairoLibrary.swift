import CCairo
import Glibc

/// Cairo and Pango, loaded when the first PDF is drawn.
///
/// Linked, they and the twenty libraries behind them (GLib, HarfBuzz, FreeType, fontconfig, X11) would be loaded
/// at every start of every command. The types of the functions come from the C headers; only the look-up by
/// name happens here.
struct CairoLibrary {
    let cairo: hubpair_cairo
    let pango: hubpair_pango

    /// Loads the libraries, which then stay: GLib cannot be unloaded.
    ///
    /// - Throws: `PDFError.missingLibrary`.
    static func load() throws(PDFError) -> CairoLibrary {
        let library = try DrawingLibrary("libpangocairo-1.0.so.0")
        return CairoLibrary(cairo: try hubpair_cairo(library), pango: try hubpair_pango(library))
    }
}

/// A library of the system, with those that it needs.
private struct DrawingLibrary {
    private let handle: UnsafeMutableRawPointer

    init(_ name: String) throws(PDFError) {
        // Without a path, so that only the system's folders are searched.
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw .missingLibrary(dlerror().map { String(cString: $0) } ?? name)
        }
        self.handle = handle
    }

    /// The function called `name`, in the library or those behind it, as the type that the header gives it.
    func function<Function>(_ name: String) throws(PDFError) -> Function {
        guard MemoryLayout<Function>.size == MemoryLayout<UnsafeMutableRawPointer>.size,
            let address = dlsym(handle, name)
        else { throw .missingLibrary("undefined symbol: \(name)") }
        // Both are one pointer; POSIX promises the conversion for what dlsym finds.
        return unsafeBitCast(address, to: Function.self)
    }
}

extension hubpair_cairo {
    fileprivate init(_ library: DrawingLibrary) throws(PDFError) {
        self.init(
            cairo_create: try library.function("cairo_create"),
            cairo_destroy: try library.function("cairo_destroy"),
            cairo_fill: try library.function("cairo_fill"),
            cairo_font_options_create: try library.function("cairo_font_options_create"),
            cairo_font_options_destroy: try library.function("cairo_font_options_destroy"),
            cairo_font_options_set_hint_metrics: try library.function("cairo_font_options_set_hint_metrics"),
            cairo_font_options_set_hint_style: try library.function("cairo_font_options_set_hint_style"),
            cairo_image_surface_create: try library.function("cairo_image_surface_create"),
            cairo_image_surface_get_data: try library.function("cairo_image_surface_get_data"),
            cairo_image_surface_get_stride: try library.function("cairo_image_surface_get_stride"),
            cairo_line_to: try library.function("cairo_line_to"),
            cairo_move_to: try library.function("cairo_move_to"),
            cairo_pdf_surface_create_for_stream: try library.function("cairo_pdf_surface_create_for_stream"),
            cairo_pdf_surface_set_metadata: try library.function("cairo_pdf_surface_set_metadata"),
            cairo_rectangle: try library.function("cairo_rectangle"),
            cairo_scale: try library.function("cairo_scale"),
            cairo_set_line_width: try library.function("cairo_set_line_width"),
            cairo_set_source_rgb: try library.function("cairo_set_source_rgb"),
            cairo_show_page: try library.function("cairo_show_page"),
            cairo_status: try library.function("cairo_status"),
            cairo_status_to_string: try library.function("cairo_status_to_string"),
            cairo_stroke: try library.function("cairo_stroke"),
            cairo_surface_destroy: try library.function("cairo_surface_destroy"),
            cairo_surface_finish: try library.function("cairo_surface_finish"),
            cairo_surface_flush: try library.function("cairo_surface_flush"),
            cairo_surface_status: try library.function("cairo_surface_status"))
    }
}

extension hubpair_pango {
    fileprivate init(_ library: DrawingLibrary) throws(PDFError) {
        self.init(
            g_object_unref: try library.function("g_object_unref"),
            pango_cairo_context_set_font_options:
                try library.function("pango_cairo_context_set_font_options"),
            pango_cairo_font_map_get_default: try library.function("pango_cairo_font_map_get_default"),
            pango_cairo_show_layout: try library.function("pango_cairo_show_layout"),
            pango_font_description_free: try library.function("pango_font_description_free"),
            pango_font_description_from_string: try library.function("pango_font_description_from_string"),
            pango_font_description_set_absolute_size:
                try library.function("pango_font_description_set_absolute_size"),
            pango_font_map_create_context: try library.function("pango_font_map_create_context"),
            pango_font_map_load_font: try library.function("pango_font_map_load_font"),
            pango_layout_get_extents: try library.function("pango_layout_get_extents"),
            pango_layout_get_unknown_glyphs_count:
                try library.function("pango_layout_get_unknown_glyphs_count"),
            pango_layout_new: try library.function("pango_layout_new"),
            pango_layout_set_alignment: try library.function("pango_layout_set_alignment"),
            pango_layout_set_font_description: try library.function("pango_layout_set_font_description"),
            pango_layout_set_text: try library.function("pango_layout_set_text"),
            pango_layout_set_width: try library.function("pango_layout_set_width"),
            pango_layout_set_wrap: try library.function("pango_layout_set_wrap"))
    }
}
