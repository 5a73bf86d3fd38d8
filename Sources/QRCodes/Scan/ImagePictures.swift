/// A file with one picture.
private struct OnePicture: PictureSequence {
    var codec: (any ImageCodec)?

    mutating func next(found: Bool) -> (any ImageCodec)? {
        defer { codec = nil }
        return codec
    }
}

/// The pictures of a file of any format. Not `Sendable`: one thread reads one file.
package struct ImagePictures {
    /// What kind of file it is.
    package let format: ImageFormat
    private var pictures: any PictureSequence

    /// True if the file may hold more than one picture.
    var isSequence: Bool {
        switch format {
        case .gif, .pdf: true
        case .webp: (pictures as? WebPPictures)?.isAnimation == true
        case .png, .jpeg, .heic, .avif, .bmp, .pnm, .tiff, .svg: false
        }
    }

    /// Reads the header of a whole image file.
    ///
    /// Every stated size is checked against `limits` before anything is allocated for it.
    /// When `budget` is spent, an animation or a document ends where it is.
    package init(
        _ file: ImageBytes, limits: ImageLimits = ImageLimits(), budget: WorkBudget = .unlimited
    ) throws(ImageError) {
        let bytes = file.bytes
        guard !bytes.isEmpty else { throw .empty }
        guard let format = file.format else { throw .notAnImage }
        self.format = format
        pictures =
            switch format {
            case .png: OnePicture(codec: try PNGCodec(bytes, limits: limits, budget: budget))
            case .jpeg: OnePicture(codec: try JPEGCodec(bytes, limits: limits, budget: budget))
            case .webp: try WebPPictures(bytes, limits: limits, budget: budget)
            case .heic, .avif: OnePicture(codec: try HEIFCodec(bytes, format: format, limits: limits))
            case .bmp: OnePicture(codec: try BMPCodec(bytes, limits: limits))
            case .pnm: OnePicture(codec: try PNMCodec(bytes, limits: limits))
            case .gif: try GIFPictures(bytes, limits: limits, budget: budget)
            case .pdf: PDFPages(bytes, limits: limits, budget: budget)
            case .tiff, .svg: throw .otherFormat(format)
            }
    }

    /// The next picture, or nil after the last. `found`: a code was found in a picture before.
    package mutating func next(found: Bool = false) throws(ImageError) -> ImageSource? {
        try pictures.next(found: found).map { ImageSource($0, format: format) }
    }
}

extension ImageSource {
    /// Reads the header of `bytes`, a whole image file; the first picture, if it holds several.
    ///
    /// The format is found by the first bytes, never by a name. The stated size is checked against `limits`
    /// before anything is allocated for it.
    package init(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) throws(ImageError) {
        var pictures = try ImagePictures(ImageBytes(bytes), limits: limits)
        guard let first = try pictures.next() else { throw .broken(pictures.format, "it has no picture") }
        self = first
    }
}

extension LuminanceImage {
    /// The picture in `bytes` at full size, as `ImageSource` reads it.
    package static func decode(
        _ bytes: [UInt8], limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> LuminanceImage {
        try ImageSource(bytes, limits: limits).luminance(scale: 1)
    }
}
