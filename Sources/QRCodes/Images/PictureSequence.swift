/// The pictures of one file, one after the other: the frames of an animation, the pages of a document, or the
/// one picture that most files hold.
protocol PictureSequence {
    /// The next picture, or nil after the last. `found` says that a code was found in one of those before: an
    /// animation ends with that, the pages of a document are read all the same.
    mutating func next(found: Bool) throws(ImageError) -> (any ImageCodec)?
}

/// A file with one picture.
private struct OnePicture: PictureSequence {
    var codec: (any ImageCodec)?

    mutating func next(found: Bool) -> (any ImageCodec)? {
        defer { codec = nil }
        return codec
    }
}

/// The pictures of a file of any kind that can be read. Not `Sendable`; one file is read by one thread.
package struct ImagePictures {
    /// What kind of file it is.
    package let format: ImageFormat
    private var pictures: any PictureSequence

    /// Reads the header of a whole image file.
    ///
    /// Every stated size is checked against `limits` before anything is allocated for it.
    package init(_ file: ImageBytes, limits: ImageLimits = ImageLimits()) throws(ImageError) {
        let bytes = file.bytes
        guard !bytes.isEmpty else { throw .empty }
        guard let format = file.format else { throw .notAnImage }
        self.format = format
        pictures =
            switch format {
            case .png: OnePicture(codec: try PNGCodec(bytes, limits: limits))
            case .jpeg: OnePicture(codec: try JPEGCodec(bytes, limits: limits))
            case .webp: OnePicture(codec: try WebPCodec(bytes, limits: limits))
            case .heic, .avif: OnePicture(codec: try HEIFCodec(bytes, format: format, limits: limits))
            case .bmp: OnePicture(codec: try BMPCodec(bytes, limits: limits))
            case .pnm: OnePicture(codec: try PNMCodec(bytes, limits: limits))
            case .gif: try GIFPictures(bytes, limits: limits)
            case .pdf: PDFPages(bytes, limits: limits)
            case .tiff, .svg: throw .otherFormat(format)
            }
    }

    /// The next picture, or nil after the last. `found`: whether a code was found in one of those before.
    package mutating func next(found: Bool = false) throws(ImageError) -> ImageSource? {
        try pictures.next(found: found).map { ImageSource($0, format: format) }
    }
}
