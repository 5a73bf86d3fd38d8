extension QRSymbol {
    /// A PNG file of the symbol and its quiet zone, black on white, one bit a pixel.
    public func png(pixelsPerModule: Int = 8) throws(RenderError) -> [UInt8] {
        guard QRSymbol.pixelsPerModuleRange.contains(pixelsPerModule) else {
            throw .pixelsPerModule(pixelsPerModule)
        }
        // At most (177 + 8) × 64 = 11,840 pixels a side.
        let side = framedSide * pixelsPerModule
        var pixels: [UInt8] = []
        pixels.reserveCapacity(side * side)
        var row = [UInt8](repeating: 0, count: side)
        for y in 0..<framedSide {
            for x in 0..<framedSide {
                let isDark = isDark(x: x - QRSymbol.quietZone, y: y - QRSymbol.quietZone)
                let start = x * pixelsPerModule
                for pixel in start..<start + pixelsPerModule { row[pixel] = isDark ? 1 : 0 }
            }
            for _ in 0..<pixelsPerModule { pixels.append(contentsOf: row) }
        }
        return try PNGCodec.encode(bilevel: pixels, width: side, height: side)
    }

    /// Reads a PNG file back, and checks that it holds this symbol's payload and nothing else.
    package func verify(png file: [UInt8]) throws(RenderError) {
        let limit = framedSide * framedSide * 64 * 64
        guard let image = try? LuminanceImage.decode(file, limits: ImageLimits(maximumPixels: limit)),
            image.width >= framedSide
        else { throw .unreadable("PNG") }
        let pixelsPerModule = image.width / framedSide
        try verify(
            modules: image.sampled(pixelsPerModule: pixelsPerModule),
            scale: min(pixelsPerModule, DrawingCheck.pixelsPerModule), drawnAs: "PNG")
    }
}

extension LuminanceImage {
    /// The picture reduced to `DrawingCheck.pixelsPerModule` by picking pixels, if its modules are larger, so
    /// that large drawings are checked as fast as small ones.
    fileprivate func sampled(pixelsPerModule: Int) -> LuminanceImage {
        let wanted = DrawingCheck.pixelsPerModule
        guard pixelsPerModule > wanted, height >= pixelsPerModule else { return self }
        let columns = width / pixelsPerModule * wanted
        let rows = height / pixelsPerModule * wanted
        // The middle of each of `wanted` strips of a module.
        let positions = (0..<max(columns, rows)).map { (2 * $0 + 1) * pixelsPerModule / (2 * wanted) }
        return LuminanceImage(width: columns, height: rows, isCovered: true) { picked in
            var at = 0
            for y in 0..<rows {
                let row = positions[y] * width
                for x in 0..<columns {
                    picked[at] = pixels[row + positions[x]]
                    at += 1
                }
            }
        }
    }
}
