import CZBar

/// Owns a libzbar image scanner.
///
/// Each picture gets its own scanner: a reused scanner keeps growing, and it is not thread-safe.
struct ZBarScanner: ~Copyable {
    /// A symbol that libzbar found, copied out of its memory.
    struct Symbol {
        let type: zbar_symbol_type_t
        let data: [UInt8]
        /// How many scan lines agreed; 1 for QR codes.
        let quality: Int
        let points: [PixelPoint]
    }

    private let zbar: ZBarLibrary
    private let scanner: OpaquePointer

    /// The symbols of these symbologies in `image`, in libzbar's order. Others are switched off, since noise
    /// easily looks like a barcode.
    ///
    /// `density`: the distance of the scan lines in pixels; with 1 every row and column is scanned.
    static func symbols(
        _ symbologies: [zbar_symbol_type_t], in image: LuminanceImage, density: Int32 = 1
    ) throws(QRScanError) -> [Symbol] {
        let scanner = try ZBarScanner()
        try scanner.look(for: symbologies, density: density)
        return try scanner.symbols(in: image)
    }

    private init() throws(QRScanError) {
        let zbar = try ZBarLibrary.load()
        guard let scanner = zbar.makeScanner() else { throw .outOfMemory }
        self.zbar = zbar
        self.scanner = scanner
    }

    deinit { zbar.freeScanner(scanner) }

    private func look(for symbologies: [zbar_symbol_type_t], density: Int32) throws(QRScanError) {
        try set(ZBAR_CFG_ENABLE, of: ZBAR_NONE, to: 0)
        for symbology in symbologies { try set(ZBAR_CFG_ENABLE, of: symbology, to: 1) }
        // Raw bytes. Without it libzbar guesses that bytes other than UTF-8 are Latin-1, Big5 or Shift JIS.
        try set(ZBAR_CFG_BINARY, of: ZBAR_QRCODE, to: 1)
        try set(ZBAR_CFG_X_DENSITY, of: ZBAR_NONE, to: density)
        try set(ZBAR_CFG_Y_DENSITY, of: ZBAR_NONE, to: density)
    }

    private func set(_ config: zbar_config_t, of type: zbar_symbol_type_t, to value: Int32)
        throws(QRScanError)
    {
        guard zbar.configure(scanner, type, config, value) == 0 else { throw .refused }
    }

    private func symbols(in image: LuminanceImage) throws(QRScanError) -> [Symbol] {
        guard let width = UInt32(exactly: image.width), let height = UInt32(exactly: image.height) else {
            throw .refused
        }
        let (byteCount, overflow) = image.width.multipliedReportingOverflow(by: image.height)
        return try image.pixels.withUnsafeBufferPointer { (pixels) throws(QRScanError) in
            // libzbar never checks the size against the data.
            guard !overflow, pixels.count == byteCount, byteCount > 0 else { throw .refused }
            guard let picture = ZBarImage(zbar) else { throw .outOfMemory }
            zbar.setFormat(picture.pointer, ZBarImage.grey)
            zbar.setSize(picture.pointer, width, height)
            // No clean-up handler: the picture borrows the pixels, and is freed inside this closure.
            zbar.setData(picture.pointer, pixels.baseAddress, UInt(pixels.count), nil)
            guard zbar.scan(scanner, picture.pointer) >= 0 else { throw .refused }

            var found: [Symbol] = []
            var next = zbar.firstSymbol(picture.pointer)
            while let symbol = next {
                found.append(Symbol(copying: symbol, zbar))
                next = zbar.nextSymbol(symbol)
            }
            return found
        }
    }
}

extension ZBarScanner.Symbol {
    fileprivate init(copying symbol: OpaquePointer, _ zbar: ZBarLibrary) {
        type = zbar.type(symbol)
        quality = Int(zbar.quality(symbol))
        let start = UnsafeRawPointer(zbar.data(symbol))
        let count = Int(zbar.dataLength(symbol))
        // The data may contain NUL, so only the length tells where they end.
        data = start.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
        points = (0..<zbar.pointCount(symbol)).map { index in
            PixelPoint(
                x: Int(zbar.x(symbol, index)), y: Int(zbar.y(symbol, index)))
        }
    }
}

/// Owns a libzbar image.
private struct ZBarImage: ~Copyable {
    /// libzbar's code for 8-bit grey, `Y800`. zbar.h makes it with a macro that Swift does not import.
    static let grey = "Y800".utf8.reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) }

    let pointer: OpaquePointer
    private let zbar: ZBarLibrary

    /// Nil if there is no memory for it.
    init?(_ zbar: ZBarLibrary) {
        guard let pointer = zbar.makeImage() else { return nil }
        self.pointer = pointer
        self.zbar = zbar
    }

    deinit { zbar.freeImage(pointer) }
}
