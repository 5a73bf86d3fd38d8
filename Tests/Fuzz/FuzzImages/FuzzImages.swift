import QRCodes

/// libFuzzer's target: the bytes of a file, through detection, decoding and scanning.
///
/// Pictures are kept to a megapixel, so that the time goes into many of them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let limits = ImageLimits(maximumPixels: 1 << 20)
    guard let image = try? LuminanceImage.decode(bytes, limits: limits) else { return 0 }
    precondition(image.pixels.count == image.width * image.height && image.pixels.count <= 1 << 20)
    guard let result = try? QRScanner.scan(image) else { return 0 }
    precondition(result.codes.allSatisfy { !$0.payload.isEmpty })
    return 0
}

/// SwiftPM renames an executable's `main` to this and links it as the entry, so that libFuzzer's own `main` is
/// never called: what it does is done here.
@_cdecl("FuzzImages_main")
public func fuzzMain(_ argumentCount: CInt, _ arguments: UnsafeMutableRawPointer) -> CInt {
    var argumentCount = argumentCount
    var arguments = arguments
    return withUnsafeMutablePointer(to: &arguments) { pointer in
        runDriver(&argumentCount, UnsafeMutableRawPointer(pointer), fuzzImages)
    }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer,
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
