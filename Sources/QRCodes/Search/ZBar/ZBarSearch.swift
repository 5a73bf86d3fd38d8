import CZBar

/// libzbar's own search for codes in a picture.
///
/// A picture can crash libzbar, so untrusted pictures go through `ParallelScan`.
enum ZBarSearch {
    /// libzbar multiplies coordinates in quarters of a pixel in 32 bits. In a picture of at most this many
    /// pixels (2²⁶) no product overflows. A larger one is searched at half its size, or at a quarter.
    static let maximumPixels = 1 << 26

    /// The dark QR codes on a light ground, in reading order, in one pass.
    ///
    /// `density`: the distance of the scan lines in pixels.
    static func run(_ image: LuminanceImage, density: Int32 = 1) throws(QRScanError) -> QRScanResult {
        var result = QRScanResult()
        var codes: [ScannedQRCode] = []
        for symbol in try ZBarScanner.symbols([ZBAR_QRCODE], in: image, density: density) {
            switch symbol.type {
            case ZBAR_PARTIAL:
                // A part of a structured append has data too, but only those of the parts in the picture.
                result.incompleteStructuredAppends += 1
            case ZBAR_QRCODE where symbol.data.isEmpty:
                result.emptyCodes += 1
            case ZBAR_QRCODE:
                codes.add([ScannedQRCode(payload: symbol.data, corners: symbol.points)])
            default: break
            }
        }
        result.codes = codes.inReadingOrder
        return result
    }

    /// The common linear barcodes in `image` with their names and bytes.
    static func linearSymbols(in image: LuminanceImage) throws(QRScanError) -> [(
        name: String, payload: [UInt8]
    )] {
        // These have check digits or long patterns; others (I2/5, Codabar) are found in any hatching. A
        // barcode is tall: 64 scan lines over the shorter side of the picture cross it often enough.
        let linear = [ZBAR_EAN13, ZBAR_EAN8, ZBAR_UPCA, ZBAR_CODE128, ZBAR_CODE39]
        let density = Int32(clamping: (min(image.width, image.height) + 63) / 64)
        let symbols = try ZBarScanner.symbols(linear, in: image, density: density)
        let zbar = try ZBarLibrary.load()
        return symbols.filter { $0.quality > 1 }.compactMap { symbol in
            zbar.name(symbol.type).map { (String(cString: $0), symbol.data) }
        }
    }
}
