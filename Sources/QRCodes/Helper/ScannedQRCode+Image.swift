extension ScannedQRCode {
    /// The QR codes in an image file: PNG, JPEG, WebP, HEIC, AVIF, GIF, BMP, PNM or PDF, told apart by their
    /// bytes.
    ///
    /// Decoders of pictures are a usual way into a program. With `isApart` they run in `hubpair-picture`,
    /// which may neither open files nor use the network nor start anything: choose it if strangers choose
    /// the files. It must lie beside the program that calls this, or in `../libexec/hubpair` from there.
    /// Both ways any thread may wait.
    ///
    /// - Parameters:
    ///   - file: the whole file.
    ///   - maximumPixels: a larger picture is refused before memory is allocated for it.
    ///   - isThorough: look for codes that are small or damaged too, which takes several times as long.
    ///   - isApart: decode in `hubpair-picture`. Else it happens in this process, which a hostile file may
    ///     crash or take over.
    /// - Returns: the codes in reading order; none is no error.
    /// - Throws: a `UserError`: the file is no image or damaged, or a library that it takes (libzbar, or
    ///   the decoder of its format) or `hubpair-picture` is not installed.
    public static func all(
        inImage file: [UInt8], maximumPixels: Int = 64_000_000, isThorough: Bool = false,
        isApart: Bool = false
    ) throws -> [ScannedQRCode] {
        let scan = ImageScan(
            limits: ImageLimits(maximumPixels: maximumPixels), effort: isThorough ? .thorough : .normal)
        let bytes = ImageBytes(file)
        let outcome = isApart ? try ParallelScan.run(bytes, scan).get() : try scan.run(bytes)
        return outcome.result.codes
    }
}
