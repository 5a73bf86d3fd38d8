import CCairo

/// Owns a Cairo surface and the context to draw on it. The context's unit is a point of 1/72 inch, from the
/// upper left corner.
final class CairoSurface {
    private let library: CairoLibrary
    private let surface: OpaquePointer
    let context: OpaquePointer
    /// Receives the bytes of a PDF. Cairo keeps a pointer to it until the surface is destroyed.
    private let file: FileBuffer?

    /// A PDF file of one page of `size`.
    static func pdf(_ library: CairoLibrary, size: LabelSize, title: String) throws(PDFError) -> CairoSurface
    {
        let file = FileBuffer()
        let surface = library.cairo.cairo_pdf_surface_create_for_stream(
            FileBuffer.write, Unmanaged.passUnretained(file).toOpaque(), points(size.width),
            points(size.height))
        let result = try CairoSurface(library, surface, file: file)
        library.cairo.cairo_pdf_surface_set_metadata(result.surface, CAIRO_PDF_METADATA_TITLE, title)
        library.cairo.cairo_pdf_surface_set_metadata(result.surface, CAIRO_PDF_METADATA_CREATOR, "hubpair")
        return result
    }

    /// A picture of a page of `size`, as a printer or a camera of this resolution sees it.
    static func picture(
        _ library: CairoLibrary, size: LabelSize, dotsPerInch: Double
    ) throws(PDFError) -> CairoSurface {
        let scale = dotsPerInch / 72
        let result = try CairoSurface(
            library,
            library.cairo.cairo_image_surface_create(
                CAIRO_FORMAT_A8, Int32(clamping: Int((points(size.width) * scale).rounded(.up))),
                Int32(clamping: Int((points(size.height) * scale).rounded(.up)))),
            file: nil)
        library.cairo.cairo_scale(result.context, scale, scale)
        return result
    }

    /// Takes ownership of the surface.
    private init(_ library: CairoLibrary, _ surface: OpaquePointer?, file: FileBuffer?) throws(PDFError) {
        // Cairo's functions do not return NULL: without memory they return an object in an error state.
        guard let surface, let context = library.cairo.cairo_create(surface) else {
            throw .notWritten("out of memory")
        }
        self.library = library
        self.surface = surface
        self.context = context
        self.file = file
        try check()
    }

    deinit {
        library.cairo.cairo_destroy(context)
        // Writes the last bytes of a PDF into `file`, which must still exist.
        library.cairo.cairo_surface_destroy(surface)
        withExtendedLifetime(file) {}
    }

    /// Throws if anything has failed since the surface was made.
    func check() throws(PDFError) {
        for status in [library.cairo.cairo_status(context), library.cairo.cairo_surface_status(surface)]
        where status != CAIRO_STATUS_SUCCESS {
            throw .notWritten(library.cairo.cairo_status_to_string(status).map { String(cString: $0) } ?? "")
        }
    }

    /// Ends the page and the PDF file, and returns its bytes.
    func finishedFile() throws(PDFError) -> [UInt8] {
        library.cairo.cairo_show_page(context)
        try check()
        library.cairo.cairo_surface_finish(surface)
        try check()
        return file?.bytes ?? []
    }

    /// The `width` × `height` pixels from (x, y), as black ink; pixels outside the page are omitted.
    func pixels(x: Int, y: Int, width: Int, height: Int, of size: LabelSize, dotsPerInch: Double)
        -> LuminanceImage?
    {
        library.cairo.cairo_surface_flush(surface)
        let stride = Int(library.cairo.cairo_image_surface_get_stride(surface))
        let rows = Int((points(size.height) * dotsPerInch / 72).rounded(.up))
        let columns = Int((points(size.width) * dotsPerInch / 72).rounded(.up))
        guard let data = library.cairo.cairo_image_surface_get_data(surface), stride >= columns else {
            return nil
        }
        let right = min(columns, x + width)
        let bottom = min(rows, y + height)
        guard x >= 0, y >= 0, x < right, y < bottom else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity((right - x) * (bottom - y))
        for row in y..<bottom {
            let line = UnsafeBufferPointer(start: data + row * stride + x, count: right - x)
            pixels.append(contentsOf: line.lazy.map { ~$0 })
        }
        return LuminanceImage(width: right - x, height: bottom - y, pixels: pixels)
    }
}

/// Millimetres in points.
func points(_ millimetres: Double) -> Double { millimetres * 72 / 25.4 }

/// Receives the bytes of a file.
private final class FileBuffer {
    var bytes: [UInt8] = []

    /// Cairo's function to write with; the closure is the buffer.
    static let write: cairo_write_func_t = { closure, bytes, count in
        guard let closure, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
        Unmanaged<FileBuffer>.fromOpaque(closure).takeUnretainedValue().bytes += UnsafeBufferPointer(
            start: bytes, count: Int(count))
        return CAIRO_STATUS_SUCCESS
    }
}
