extension ScannedQRCode {
    /// The QR codes in an image file: PNG, JPEG, WebP, HEIC, AVIF, GIF, BMP, PNM or PDF, told apart by their
    /// bytes.
    ///
    /// Decoders of pictures are a usual way into a program. `hubpair scan` decodes in a process of its own;
    /// here it happens in this one. If strangers choose the files, call it in a process that has nothing to
    /// lose.
    ///
    /// - Parameters:
    ///   - file: the whole file.
    ///   - maximumPixels: a larger picture is refused before memory is allocated for it.
    ///   - isThorough: look for codes that are small or damaged too, which takes several times as long.
    /// - Returns: the codes in reading order; none is no error.
    /// - Throws: a `UserError`: the file is no image or damaged, or a library that it takes (libzbar, or
    ///   the decoder of its format) is not installed.
    public static func all(
        inImage file: [UInt8], maximumPixels: Int = 64_000_000, isThorough: Bool = false
    ) throws -> [ScannedQRCode] {
        let scan = ImageScan(
            limits: ImageLimits(maximumPixels: maximumPixels), effort: isThorough ? .thorough : .normal)
        return try scan.run(ImageBytes(file)).result.codes
    }
}
