/// A picture that needs no decoding any more, where a source of pictures is asked for.
struct DecodedPicture: ImageCodec {
    let image: LuminanceImage
    var width: Int { image.width }
    var height: Int { image.height }
    func decode(scale: Int, ground: UInt8) -> LuminanceImage { image }
}

extension ImageSource {
    /// A picture that is decoded already; what file it came from is unknown.
    package init(_ image: LuminanceImage) {
        self.init(DecodedPicture(image: image), format: .png)
    }
}
