/// A picture that is decoded on demand, at the scale that is asked for.
///
/// Large photographs are searched at a quarter of their size first: searching costs far more than decoding,
/// and decoding at a reduced scale less than in full. Not `Sendable`: it keeps the finest picture so far.
package struct ImageSource {
    /// What kind of file it comes from.
    package let format: ImageFormat
    /// The size in pixels, at least 1 each and within the limits.
    package let width: Int
    package let height: Int
    /// The denominators of the scales at which decoding costs less than in full, ascending, at least [1]; [1,
    /// 2, 4, 8] for JPEG.
    package let scales: [Int]
    /// True if parts of the picture may be transparent. A white code on a transparent ground is visible only
    /// on black.
    package let hasTransparency: Bool
    /// The shade behind transparent parts; 255 is white.
    package var ground: UInt8 = 255

    private let codec: any ImageCodec
    private let finest: Finest

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
    /// Any scale from 1 is possible: one that is not in `scales` is made with a box filter from the next
    /// finer one. If a picture as fine or finer was decoded before, it is used. A damaged picture is returned
    /// as far as it goes, with a note in `damage`, if the format allows that; else it is an error.
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

    /// True if the picture at this scale needs no decoding any more.
    func isDecoded(scale: Int) -> Bool {
        finest.kept.map { $0.ground == ground && scale % $0.scale == 0 } ?? false
    }

    /// The last decoded picture, the finest one as long as the ground is the same.
    private final class Finest {
        var kept: (image: LuminanceImage, scale: Int, ground: UInt8)?
    }
}
