/// A picture that is decoded already: a frame of an animation, a page of a document, or a picture in memory.
struct DecodedPicture: ImageCodec, Equatable {
    /// The luma of each pixel, row by row.
    let luma: LuminanceImage
    /// The opacity of each pixel, 255 for opaque; nil if all pixels are opaque.
    var alpha: [UInt8]?

    var width: Int { luma.width }
    var height: Int { luma.height }
    var hasTransparency: Bool { alpha != nil }

    func decode(scale: Int, ground: UInt8) -> LuminanceImage {
        guard let alpha else { return luma }
        return luma.laid(on: ground, alpha: alpha)
    }
}

extension ImageSource {
    /// A picture in memory; what file it came from is unknown.
    package init(_ image: LuminanceImage) {
        self.init(DecodedPicture(luma: image), format: .png)
    }
}

extension LuminanceImage {
    /// The picture over a ground of one shade; `alpha` is the opacity of each pixel, 255 for opaque.
    func laid(on ground: UInt8, alpha: [UInt8]) -> LuminanceImage {
        let mixed = zip(pixels, alpha).map { pixel, alpha in
            let sum = UInt32(pixel) * UInt32(alpha) + UInt32(ground) * (255 - UInt32(alpha))
            return UInt8(truncatingIfNeeded: (sum + 127) / 255)
        }
        return LuminanceImage(width: width, height: height, pixels: mixed, damage: damage) ?? self
    }
}
