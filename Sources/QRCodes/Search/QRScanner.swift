import CZBar

/// Finds QR codes in a picture, with libzbar.
package enum QRScanner {
    /// libzbar reckons with 32-bit products of coordinates in quarters of a pixel; a picture of at most this
    /// many pixels (2²⁶) keeps them whole. A larger one is searched at half its size, or a quarter.
    static let maximumPixels = 1 << 26

    /// Every QR code in `image`, dark on light or else light on dark.
    ///
    /// Only if there is none are barcodes of other kinds looked for, to say what the picture holds instead.
    /// A picture can crash libzbar: those of strangers go through `ParallelScan`.
    package static func scan(_ image: LuminanceImage) throws(QRScanError) -> QRScanResult {
        do {
            return try PhotoSearch.run(ImageSource(image)).result
        } catch let error as QRScanError {
            throw error
        } catch {
            // A picture that is decoded has no decoder that could fail.
            throw .refused
        }
    }

    /// The dark QR codes on a light ground; one pass. `density`: the distance of the lines that are looked at.
    static func scanOnce(_ image: LuminanceImage, density: Int32 = 1) throws(QRScanError) -> QRScanResult {
        var result = QRScanResult()
        var codes: [ScannedQRCode] = []
        for symbol in try ZBarScanner.symbols([ZBAR_QRCODE], in: image, density: density) {
            switch symbol.type {
            case ZBAR_PARTIAL:
                // One part of several, alone, looks like success: its data are the parts that are there.
                result.incompleteStructuredAppends += 1
            case ZBAR_QRCODE where symbol.data.isEmpty:
                result.emptyCodes += 1
            case ZBAR_QRCODE:
                let code = ScannedQRCode(payload: symbol.data, corners: symbol.points)
                if !codes.contains(where: { $0.isSameSymbol(as: code) }) { codes.append(code) }
            default: break
            }
        }
        result.codes = inReadingOrder(codes)
        return result
    }

    /// The common linear barcodes in `image` with their names and bytes.
    static func linearSymbols(in image: LuminanceImage) throws(QRScanError) -> [(
        name: String, payload: [UInt8]
    )] {
        // These have check digits or long patterns; others (I2/5, Codabar) are seen in any hatching. A barcode
        // is tall: at most 300 lines over the shorter side of the picture meet it often enough.
        let linear = [ZBAR_EAN13, ZBAR_EAN8, ZBAR_UPCA, ZBAR_CODE128, ZBAR_CODE39]
        let density = Int32(clamping: (min(image.width, image.height) + 299) / 300)
        let symbols = try ZBarScanner.symbols(linear, in: image, density: density)
        let zbar = try ZBarLibrary.load()
        return symbols.filter { $0.quality > 1 }.compactMap { symbol in
            zbar.name(symbol.type).map { (String(cString: $0), symbol.data) }
        }
    }

    /// From top to bottom; codes whose middle is level with the uppermost of a row are in that row, and go
    /// from left to right.
    static func inReadingOrder(_ codes: [ScannedQRCode]) -> [ScannedQRCode] {
        var rows: [[ScannedQRCode]] = []
        var rowEnd = Int.min
        for code in codes.sorted(by: { ($0.top, $0.left) < ($1.top, $1.left) }) {
            if rows.isEmpty || (code.top + code.bottom) / 2 > rowEnd {
                rows.append([])
                rowEnd = code.bottom
            }
            rows[rows.count - 1].append(code)
        }
        return rows.flatMap { $0.sorted { ($0.left, $0.top) < ($1.left, $1.top) } }
    }
}

extension ScannedQRCode {
    fileprivate var left: Int { corners.map(\.x).min() ?? 0 }
    fileprivate var right: Int { corners.map(\.x).max() ?? 0 }
    fileprivate var top: Int { corners.map(\.y).min() ?? 0 }
    fileprivate var bottom: Int { corners.map(\.y).max() ?? 0 }

    /// Two readings of one symbol: the same bytes, and the middle of one inside the other. Two copies of a
    /// code that stand apart are two codes.
    func isSameSymbol(as other: ScannedQRCode) -> Bool {
        let x = (other.left + other.right) / 2
        let y = (other.top + other.bottom) / 2
        return payload == other.payload && left <= x && x <= right && top <= y && y <= bottom
    }

    /// The same code in a picture of 1/`divisor` of the width and height.
    func scaled(down divisor: Int) -> ScannedQRCode {
        ScannedQRCode(
            payload: payload, corners: corners.map { PixelPoint(x: $0.x / divisor, y: $0.y / divisor) })
    }

    /// The same code in a picture of which this one is a part that begins at these pixels.
    func moved(x: Int, y: Int) -> ScannedQRCode {
        ScannedQRCode(payload: payload, corners: corners.map { PixelPoint(x: $0.x + x, y: $0.y + y) })
    }

    /// The same code in a picture `factor` times as wide and high.
    func scaled(by factor: Int) -> ScannedQRCode {
        ScannedQRCode(
            payload: payload, corners: corners.map { PixelPoint(x: $0.x * factor, y: $0.y * factor) })
    }
}
