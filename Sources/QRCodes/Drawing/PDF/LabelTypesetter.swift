import CCairo

/// Sets the text of labels with Pango, which finds a font for every script and orders right-to-left text. It
/// owns a Pango context.
struct LabelTypesetter: ~Copyable {
    private static let pointsPerMillimetre = 72 / 25.4

    private let library: CairoLibrary
    private let context: OpaquePointer

    /// - Throws: `PDFError.noFont`.
    init(_ library: CairoLibrary) throws(PDFError) {
        self.library = library
        context = try library.textContext()
        // Without hinting a line is as long on paper as in the picture that is made for the check.
        let options = library.cairo.cairo_font_options_create()
        library.cairo.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        library.cairo.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        library.pango.pango_cairo_context_set_font_options(context, options)
        library.cairo.cairo_font_options_destroy(options)
        // Pango moves every letter to a whole unit else, here a point: a fifth of a letter's width on a small
        // label.
        library.pango.pango_context_set_round_glyph_positions(context, 0)
    }

    deinit { library.pango.g_object_unref(UnsafeMutableRawPointer(context)) }

    /// The height of `texts` in millimetres; nil if a code does not fit `width`, in millimetres too.
    func height(of texts: [LabelText], fontSize: Double, width: Double) -> Double? {
        var height = 0.0
        for (index, text) in texts.enumerated() {
            guard let paragraph = paragraph(text, fontSize: fontSize, width: width, isCentred: false) else {
                return nil
            }
            if index > 0 { height += LabelTypesetter.space(before: text, fontSize: fontSize) }
            height += paragraph.size.height
        }
        return height / LabelTypesetter.pointsPerMillimetre
    }

    /// Draws `texts` from (x, y) downwards, lengths in millimetres, on a context whose unit is a point.
    ///
    /// - Returns: The number of characters that no font has; Pango draws boxes for them.
    func draw(
        _ texts: [LabelText], on target: OpaquePointer, x: Double, y: Double, fontSize: Double, width: Double,
        isCentred: Bool
    ) -> Int {
        var top = y * LabelTypesetter.pointsPerMillimetre
        var unknown = 0
        for (index, text) in texts.enumerated() {
            guard
                let paragraph = paragraph(text, fontSize: fontSize, width: width, isCentred: isCentred)
            else { continue }
            if index > 0 { top += LabelTypesetter.space(before: text, fontSize: fontSize) }
            library.cairo.cairo_move_to(
                target, x * LabelTypesetter.pointsPerMillimetre + paragraph.inset, top)
            library.pango.pango_cairo_show_layout(target, paragraph.layout)
            unknown += Int(library.pango.pango_layout_get_unknown_glyphs_count(paragraph.layout))
            top += paragraph.size.height
        }
        return unknown
    }

    private static func space(before text: LabelText, fontSize: Double) -> Double {
        fontSize * (text.role == .body ? 0.25 : 0.1)
    }

    private func paragraph(_ text: LabelText, fontSize: Double, width: Double, isCentred: Bool) -> Paragraph?
    {
        let width = width * LabelTypesetter.pointsPerMillimetre
        guard width >= 1 else { return nil }
        func set(_ text: LabelText) -> Paragraph? {
            Paragraph(
                library, context: context, text: text, fontSize: fontSize, width: width, isCentred: isCentred)
        }
        guard text.role == .code else { return set(text) }
        if let whole = set(text), whole.size.width <= width { return whole }
        guard let lines = brokenInTheMiddle(text.text), let broken = set(LabelText(lines, .code)),
            broken.size.width <= width
        else { return nil }
        return broken
    }
}

/// Breaks a code of equal groups, like `H851-MAHT-99D6-MYMA-KEGE`, after the hyphen in the middle, so that it
/// is not changed when it is read or copied. Nil for any other text, like a command with an option.
private func brokenInTheMiddle(_ code: String) -> String? {
    let groups = code.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.count > 1, groups.allSatisfy({ $0.utf8.count == groups[0].utf8.count }) else { return nil }
    let half = (groups.count + 1) / 2
    return groups[..<half].joined(separator: "-") + "-\n" + groups[half...].joined(separator: "-")
}

/// A typeset paragraph, which owns a Pango layout. Lengths are points.
private final class Paragraph {
    private let library: CairoLibrary
    let layout: OpaquePointer
    let size: (width: Double, height: Double)
    /// How far to the right it is drawn, so that it is centred in the whole width.
    private(set) var inset = 0.0

    init?(
        _ library: CairoLibrary, context: OpaquePointer, text: LabelText, fontSize: Double, width: Double,
        isCentred: Bool
    ) {
        let pango = library.pango
        let (font, ratio) =
            switch text.role {
            case .title: ("Sans Bold", 1.3)
            case .code: ("Monospace", 1.0)
            case .body: ("Sans", 1.0)
            }
        guard let layout = pango.pango_layout_new(context) else { return nil }
        self.library = library
        self.layout = layout
        let description = pango.pango_font_description_from_string(font)
        pango.pango_font_description_set_absolute_size(description, fontSize * ratio * Double(PANGO_SCALE))
        pango.pango_layout_set_font_description(layout, description)
        pango.pango_font_description_free(description)
        pango.pango_layout_set_text(layout, text.text, Int32(clamping: text.text.utf8.count))
        // Without a width a code is not wrapped: the caller checks whether it fits. To be centred it needs
        // the width.
        if text.role != .code {
            pango.pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
            pango.pango_layout_set_width(layout, Int32(clamping: Int(width * Double(PANGO_SCALE))))
        }
        var ink = PangoRectangle()
        var logical = PangoRectangle()
        pango.pango_layout_get_extents(layout, &ink, &logical)
        if text.role == .code, isCentred {
            pango.pango_layout_set_width(layout, Int32(clamping: Int(width * Double(PANGO_SCALE))))
        }
        if isCentred { pango.pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER) }
        if text.role != .code {
            // As narrow as it can be with as many lines: no word stands alone on the last one.
            let height = logical.height
            pango.pango_layout_set_wrap(layout, PANGO_WRAP_WORD)
            var (low, high) = (0, Int(width * Double(PANGO_SCALE)))
            while high - low > Int(PANGO_SCALE) {
                let middle = (low + high) / 2
                pango.pango_layout_set_width(layout, Int32(clamping: middle))
                pango.pango_layout_get_extents(layout, &ink, &logical)
                if logical.height <= height, Int(logical.width) <= middle {
                    high = middle
                } else {
                    low = middle
                }
            }
            pango.pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
            pango.pango_layout_set_width(layout, Int32(clamping: high))
            pango.pango_layout_get_extents(layout, &ink, &logical)
            if isCentred { inset = (width - Double(high) / Double(PANGO_SCALE)) / 2 }
        }
        size = (Double(logical.width) / Double(PANGO_SCALE), Double(logical.height) / Double(PANGO_SCALE))
    }

    deinit { library.pango.g_object_unref(UnsafeMutableRawPointer(layout)) }
}
