import QRCodes

/// libFuzzer's target: the bytes of a file, through detection, decoding and scanning.
///
/// Pictures are kept to a megapixel, so that the time goes into many of them.
func fuzzImages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let limits = ImageLimits(maximumPixels: 1 << 20)
    guard let image = try? LuminanceImage.decode(bytes, limits: limits) else { return 0 }
    precondition(image.pixels.count == image.width * image.height && image.pixels.count <= 1 << 20)
    guard let result = try? QRScanner.scanHere(image) else { return 0 }
    precondition(result.codes.allSatisfy { !$0.payload.isEmpty })
    return 0
}
