/// Splits the output of `pdftoppm -gray` into pages: PGM files, one after the other. It is not trusted: a
/// broken document may make `pdftoppm` write anything.
package struct PDFPageStream {
    package enum Page: Equatable {
        /// A page, 8 bits of grey a pixel.
        case drawn(LuminanceImage)
        /// A page without pixels, or with more than allowed; it is skipped.
        case refused(ImageError)
    }

    /// Longer than any header: three short lines, and pdftoppm writes no comments.
    private static let headerByteCount = 64

    private var buffer: [UInt8] = []
    /// How many bytes of a refused page are still to come.
    private var unwanted = 0

    package init() {}

    /// Takes the next bytes of the output.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        let dropped = min(unwanted, bytes.count)
        unwanted -= dropped
        buffer += bytes.dropFirst(dropped)
    }

    /// The next page, or nil if more bytes are needed.
    package mutating func next(limits: ImageLimits) throws(ImageError) -> Page? {
        guard let header = PNMCodec.Header(Array(buffer.prefix(PDFPageStream.headerByteCount))) else {
            guard buffer.count < PDFPageStream.headerByteCount else { throw PDFPageStream.nothing }
            return nil
        }
        guard header.kind == 5 else { throw PDFPageStream.nothing }
        // Width and height have at most nine digits, and a pixel two bytes: no overflow.
        let count = header.count + header.height * header.rowBytes
        do throws(ImageError) {
            try limits.check(width: header.width, height: header.height)
        } catch {
            unwanted = max(0, count - buffer.count)
            buffer.removeFirst(min(count, buffer.count))
            return .refused(error)
        }
        guard buffer.count >= count else { return nil }
        let page = try PNMCodec(Array(buffer.prefix(count)), limits: limits).decode(scale: 1, ground: 255)
        buffer.removeFirst(count)
        return .drawn(page)
    }

    /// What there is of a page that will not be completed; the rest is white. Nil if there is nothing of it.
    package mutating func cutPage(limits: ImageLimits) -> LuminanceImage? {
        defer { buffer = [] }
        guard unwanted == 0, let page = try? PNMCodec(buffer, limits: limits) else { return nil }
        return try? page.decode(scale: 1, ground: 255)
    }

    private static let nothing = ImageError.broken(.pdf, "pdftoppm drew no picture of it")
}
