/// A picture that is decoded when it is asked for, at the scale that it is asked for.
///
/// Large photographs are read at a quarter of their size first: searching costs far more than decoding, and
/// decoding at a reduced scale less than in full. Not `Sendable`: the finest picture so far is kept.
package struct ImageSource {
    /// What kind of file it comes from.
    package let format: ImageFormat
    /// The size in pixels, at least 1 each and within the limits.
    package let width: Int
    package let height: Int
    /// The denominators of the scales that the codec decodes at for less than the full price, ascending, at
    /// least [1]; [1, 2, 4, 8] for JPEG.
    package let scales: [Int]
    /// True if parts of the picture may be transparent. A code in white on nothing is seen on black alone.
    package let hasTransparency: Bool
    /// What transparent parts are laid on; 255 is white.
    package var ground: UInt8 = 255

    private let codec: any ImageCodec
    private let finest: Finest

    /// Reads the header of `bytes`, a whole image file: its first picture, if it holds several.
    ///
    /// The kind of file is told by its first bytes, never by a name. Its stated size is checked against
    /// `limits` before anything is allocated for it.
    package init(_ bytes: [UInt8], limits: ImageLimits = ImageLimits()) throws(ImageError) {
        var pictures = try ImagePictures(ImageBytes(bytes), limits: limits)
        guard let first = try pictures.next() else { throw .broken(pictures.format, "it has no picture") }
        self = first
    }

    init(_ codec: any ImageCodec, format: ImageFormat) {
        self.codec = codec
        finest = Finest()
        self.format = format
        width = codec.width
        height = codec.height
        scales = codec.scales
        hasTransparency = codec.hasTransparency
    }

    /// The picture at 1/`scale` of its sides, rounded up.
    ///
    /// Any scale from 1 can be had: one that is not in `scales` is a box filter's, from the next finer one.
    /// Never costs a second decoding where a picture as fine or finer is at hand. A damaged picture is given
    /// as far as it goes, with a note in `damage`, where the format allows that; else it is an error.
    package func luminance(scale: Int) throws(ImageError) -> LuminanceImage {
        let scale = max(1, scale)
        if let kept = finest.kept, kept.ground == ground, scale % kept.scale == 0 {
            return kept.image.reduced(by: scale / kept.scale)
        }
        let decoded = scales.last { scale % $0 == 0 } ?? 1
        let image = try codec.decode(scale: decoded, ground: ground)
        finest.kept = (image, decoded, ground)
        return image.reduced(by: scale / decoded)
    }

    /// The last decoding, which is the finest as long as the ground is the same.
    private final class Finest {
        var kept: (image: LuminanceImage, scale: Int, ground: UInt8)?
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
