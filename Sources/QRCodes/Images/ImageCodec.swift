/// The reader of one kind of image file, or of one picture in it. Making one reads the header alone and
/// checks the size that it states; `decode` does the work.
protocol ImageCodec {
    /// The size of the picture in pixels, within the limits, at least 1 each.
    var width: Int { get }
    var height: Int { get }
    /// The denominators of the scales at which decoding costs less than in full, ascending, with 1.
    var scales: [Int] { get }
    /// True if parts of the picture may be transparent.
    var hasTransparency: Bool { get }
    /// The picture at 1/`scale` of its sides, rounded up; `scale` is one of `scales`. `ground` is what
    /// transparent parts are laid on.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage
}

extension ImageCodec {
    var scales: [Int] { [1] }
    var hasTransparency: Bool { false }
}
