extension LuminanceImage {
    /// The picture in `bytes`, a whole PNG or JPEG file.
    ///
    /// The kind of file is told by its first bytes, never by a name. Its stated size is checked against
    /// `limits` before anything is allocated for it. Transparent parts are laid on white. A cut-off PNG is
    /// an error; a cut-off JPEG is read as far as it goes and bears a note in `damage`.
    package static func decode(
        _ bytes: [UInt8], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> LuminanceImage {
        guard !bytes.isEmpty else { throw .empty }
        switch ImageFormat.detect(bytes) {
        case .png:
            if let size = PNGHeader.dimensions(bytes) {
                try limits.check(width: size.width, height: size.height)
            }
            return try PNGCodec.decode(bytes, limits: limits)
        case .jpeg:
            if let size = JPEGHeader.dimensions(bytes) {
                try limits.check(width: size.width, height: size.height)
            }
            return try JPEGCodec.decode(bytes, limits: limits)
        case .some(let other): throw .otherFormat(other)
        case nil: throw .notAnImage
        }
    }
}
