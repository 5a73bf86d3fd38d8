/// Decodes one kind of image file, or one picture in it. `init` reads only the header and checks the size
/// that it states; `decode` does the work.
protocol ImageCodec {
    /// The size of the picture in pixels, within the limits, at least 1 each.
    var width: Int { get }
    var height: Int { get }
    /// The denominators of the scales at which decoding costs less than in full, ascending, and 1.
    var scales: [Int] { get }
    /// True if parts of the picture may be transparent.
    var hasTransparency: Bool { get }
    /// The picture at 1/`scale` of its sides, rounded up; `scale` is one of `scales`. Transparent parts show
    /// `ground`.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage
}

extension ImageCodec {
    var scales: [Int] { [1] }
    var hasTransparency: Bool { false }
}

/// The pictures of one file: the frames of an animation, the pages of a document, or the only picture of most
/// files.
protocol PictureSequence {
    /// The next picture, or nil after the last. `found`: a code was found in a picture before. It ends an
    /// animation, but not the pages of a document.
    mutating func next(found: Bool) throws(ImageError) -> (any ImageCodec)?
}

/// The luma of a colour (ITU-R BT.601).
func luma(red: UInt8, green: UInt8, blue: UInt8) -> UInt8 {
    let sum = 299 * UInt32(red) + 587 * UInt32(green) + 114 * UInt32(blue)
    return UInt8(truncatingIfNeeded: (sum + 500) / 1000)
}

/// An unsigned number of at most four bytes, as PNG and JPEG write it.
func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
}
