import QRCodes

/// Runs the bytes of a file through format detection, every codec at two scales, and the search.
///
/// Pictures are limited to a quarter of a megapixel, and only tiny ones are searched, and briefly, so that
/// many inputs are tried. A PDF would start pdftoppm for each input, and poppler is not to be fuzzed here, so
/// the bytes are used as its output instead.
func fuzzImages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let limits = ImageLimits(maximumPixels: 1 << 18)
    var frames = JPEGFrames()
    for chunk in [bytes.prefix(count / 2), bytes.dropFirst(count / 2)] {
        frames.append(Array(chunk))
        while let frame = frames.next() { precondition(frame.starts(with: [0xFF, 0xD8])) }
    }
    var pages = PDFPageStream()
    for chunk in [bytes.prefix(count / 2), bytes.dropFirst(count / 2)] {
        pages.append(chunk)
        while let page = try? pages.next(limits: limits) {
            guard case .drawn(let image) = page else { continue }
            precondition(image.pixels.count <= 1 << 18)
        }
    }
    let file = ImageBytes(bytes)
    guard file.format != .pdf, var pictures = try? ImagePictures(file, limits: limits) else {
        return 0
    }
    for _ in 0..<4 {
        guard var source = try? pictures.next() else { return 0 }
        source.ground = 0
        precondition(source.width > 0 && source.height > 0 && source.width * source.height <= 1 << 18)
        for scale in [source.scales.last ?? 1, 1] {
            guard let image = try? source.luminance(scale: scale) else { continue }
            precondition(image.pixels.count == image.width * image.height)
            guard scale == 1, image.pixels.count <= 1 << 14,
                let result = try? PictureSearch.run(source, effort: .quick).result
            else { continue }
            precondition(result.codes.allSatisfy { !$0.payload.isEmpty })
        }
    }
    return 0
}
