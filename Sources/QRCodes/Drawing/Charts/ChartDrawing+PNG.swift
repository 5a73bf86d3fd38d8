import CCairo
package import Identity

extension ChartDrawing {
    /// The most pixels of a picture: a drawing of a thousand units a side at twice its size has 4 million.
    private static let maximumPixelCount = 40_000_000.0

    /// A PNG file of the drawing, drawn with Cairo, in colours; text with Pango, which finds a font for every
    /// script.
    ///
    /// - Parameter scale: pixels a unit.
    package func png(scale: Double = 2) throws(ChartError) -> [UInt8] {
        guard width * height * scale * scale <= ChartDrawing.maximumPixelCount else {
            throw .notWritten("it would have more than 40 million pixels")
        }
        do throws(PDFError) {
            let library = try CairoLibrary.load()
            let setter = try ChartText(library)
            let surface = try CairoSurface.colours(library, width: width, height: height, scale: scale)
            let (cairo, context) = (library.cairo, surface.context)
            cairo.cairo_set_source_rgb(context, 1, 1, 1)
            cairo.cairo_rectangle(context, 0, 0, width, height)
            cairo.cairo_fill(context)
            for each in lines {
                use(each.colour, on: context, cairo)
                cairo.cairo_set_line_width(context, each.width)
                for points in each.lines {
                    cairo.cairo_move_to(context, points[0].x, points[0].y)
                    for point in points.dropFirst() { cairo.cairo_line_to(context, point.x, point.y) }
                }
                cairo.cairo_stroke(context)
            }
            use(ChartDrawing.ink, on: context, cairo)
            for each in texts { setter.draw(each, on: context) }
            return try surface.pngFile()
        } catch {
            throw ChartError(error)
        }
    }

    private func use(_ colour: Colour, on context: OpaquePointer, _ cairo: hubpair_cairo) {
        let part = { (value: UInt8) in Double(value) / 255 }
        cairo.cairo_set_source_rgb(context, part(colour.red), part(colour.green), part(colour.blue))
    }
}

/// Sets the text of charts with Pango, one line each. It owns a Pango context.
private struct ChartText: ~Copyable {
    private let library: CairoLibrary
    private let context: OpaquePointer

    init(_ library: CairoLibrary) throws(PDFError) {
        self.library = library
        context = try library.textContext()
    }

    deinit { library.pango.g_object_unref(UnsafeMutableRawPointer(context)) }

    func draw(_ text: ChartDrawing.Text, on target: OpaquePointer) {
        let pango = library.pango
        guard let layout = pango.pango_layout_new(context) else { return }
        defer { pango.g_object_unref(UnsafeMutableRawPointer(layout)) }
        let description = pango.pango_font_description_from_string("Sans")
        pango.pango_font_description_set_absolute_size(description, text.size * Double(PANGO_SCALE))
        pango.pango_layout_set_font_description(layout, description)
        pango.pango_font_description_free(description)
        pango.pango_layout_set_text(layout, text.text, Int32(clamping: text.text.utf8.count))
        var (ink, logical) = (PangoRectangle(), PangoRectangle())
        pango.pango_layout_get_extents(layout, &ink, &logical)
        let (width, baseline) = (Int(logical.width), Int(pango.pango_layout_get_baseline(layout)))
        library.cairo.cairo_move_to(
            target, text.origin.x - (text.endsThere ? Double(width) / Double(PANGO_SCALE) : 0),
            text.origin.y - Double(baseline) / Double(PANGO_SCALE))
        pango.pango_cairo_show_layout(target, layout)
    }
}

/// Why a chart is not drawn as PNG. `description` is shown to the user.
package enum ChartError: Equatable, UserError {
    /// Cairo or Pango is not installed; the loader's message.
    case missingLibrary(String)
    /// There is no font on this machine.
    case noFont
    /// Cairo cannot draw it; its message.
    case notWritten(String)

    init(_ error: PDFError) {
        self =
            switch error {
            case .missingLibrary(let message): .missingLibrary(message)
            case .noFont: .noFont
            default: .notWritten(error.description)
            }
    }

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .missingLibrary(let message): "the libraries that draw PNG cannot be loaded: \(message)"
        case .noFont: "no font on this machine can write the text of a picture"
        case .notWritten(let message): "the picture cannot be drawn: \(message)"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .missingLibrary, .noFont: .unavailable
        case .notWritten: .tryAgain
        }
    }

    /// How to fix it.
    package var hint: String? {
        switch self {
        case .missingLibrary: "install them: apt install libpangocairo-1.0-0; or draw it as SVG"
        case .noFont: "install one: apt install fonts-dejavu-core; or draw it as SVG"
        case .notWritten: "draw it as SVG"
        }
    }
}
