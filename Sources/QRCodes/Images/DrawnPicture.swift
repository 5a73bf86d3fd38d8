/// A picture that is decoded already: a frame of an animation, a page of a document.
struct DrawnPicture: ImageCodec, Equatable {
    /// The luma of each pixel, row by row.
    let luma: LuminanceImage
    /// How opaque each pixel is, 255 in full; nil if all are.
    let alpha: [UInt8]?

    var width: Int { luma.width }
    var height: Int { luma.height }
    var hasTransparency: Bool { alpha != nil }

    func decode(scale: Int, ground: UInt8) -> LuminanceImage {
        guard let alpha else { return luma }
        return luma.laid(on: ground, alpha: alpha)
    }
}

extension LuminanceImage {
    /// The picture over a ground of one shade, each pixel as opaque as `alpha` says (255 in full).
    func laid(on ground: UInt8, alpha: [UInt8]) -> LuminanceImage {
        let mixed = zip(pixels, alpha).map { pixel, alpha in
            let sum = UInt32(pixel) * UInt32(alpha) + UInt32(ground) * (255 - UInt32(alpha))
            return UInt8(truncatingIfNeeded: (sum + 127) / 255)
        }
        return LuminanceImage(width: width, height: height, pixels: mixed, damage: damage) ?? self
    }
}

/// The luma of a colour (ITU-R BT.601).
func luma(red: UInt8, green: UInt8, blue: UInt8) -> UInt8 {
    let sum = 299 * UInt32(red) + 587 * UInt32(green) + 114 * UInt32(blue)
    return UInt8(truncatingIfNeeded: (sum + 500) / 1000)
}
