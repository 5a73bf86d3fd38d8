/// A grey picture: 8 bits a pixel, 0 is black and 255 white, row by row from the top, without padding.
package struct LuminanceImage: Equatable, Sendable {
    /// The number of columns, at least 1.
    package let width: Int
    /// The number of rows, at least 1.
    package let height: Int
    /// `width` × `height` bytes; the pixel (x, y) is at y · `width` + x.
    package let pixels: [UInt8]
    /// The decoder's error if it returned a picture nevertheless, such as "Premature end of JPEG file". A
    /// code may be missing because of it.
    package let damage: String?

    /// A picture of these pixels, or nil unless both sides are at least 1 and `pixels` holds exactly
    /// `width` × `height` bytes.
    package init?(width: Int, height: Int, pixels: [UInt8], damage: String? = nil) {
        guard width > 0, height > 0 else { return nil }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, count == pixels.count else { return nil }
        self.width = width
        self.height = height
        self.pixels = pixels
        self.damage = damage
    }
}

extension LuminanceImage {
    /// The negative: light codes on dark become dark codes on light.
    package var inverted: LuminanceImage {
        LuminanceImage(unchecked: pixels.map { ~$0 }, width: width, height: height, damage: damage)
    }

    /// The picture at half its width and height (rounded up), each pixel the mean of up to four.
    package var halved: LuminanceImage {
        let newWidth = (width + 1) / 2
        let newHeight = (height + 1) / 2
        let smaller = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight) { smaller, used in
            pixels.withUnsafeBytes { pixels in
                for y in 0..<newHeight {
                    let upper = 2 * y * width
                    let lower = min(2 * y + 1, height - 1) * width
                    // Sixteen pixels of both rows at a time.
                    let fast = width / 16 * 8
                    for x in stride(from: 0, to: fast, by: 8) {
                        // The sums of two neighbours each.
                        func twos(_ place: Int) -> SIMD8<UInt16> {
                            let pairs = pixels.loadUnaligned(fromByteOffset: place, as: SIMD8<UInt16>.self)
                            return (pairs & 0xFF) &+ (pairs &>> 8)
                        }
                        let means = (twos(upper &+ 2 &* x) &+ twos(lower &+ 2 &* x) &+ 2) &>> 2
                        for index in 0..<8 {
                            smaller[y &* newWidth &+ x &+ index] = UInt8(truncatingIfNeeded: means[index])
                        }
                    }
                    for x in fast..<newWidth {
                        let left = 2 * x
                        let right = min(left + 1, width - 1)
                        let sum =
                            UInt16(pixels[upper + left]) + UInt16(pixels[upper + right])
                            + UInt16(pixels[lower + left]) + UInt16(pixels[lower + right])
                        smaller[y * newWidth + x] = UInt8(truncatingIfNeeded: (sum + 2) / 4)
                    }
                }
            }
            used = newWidth * newHeight
        }
        return LuminanceImage(unchecked: smaller, width: newWidth, height: newHeight, damage: damage)
    }

    /// The picture at 1/`factor` of its sides (rounded up), each pixel the mean of up to `factor`² pixels;
    /// itself for a factor of 1 or less.
    package func reduced(by factor: Int) -> LuminanceImage {
        guard factor > 1 else { return self }
        guard factor > 2 else { return halved }
        // With a factor above the longer side the result is one pixel anyway.
        let factor = min(factor, max(width, height))
        let columns = (width + factor - 1) / factor
        var smaller: [UInt8] = []
        smaller.reserveCapacity(columns * ((height + factor - 1) / factor))
        // Rows are summed first, in a loop that the compiler vectorises. The sums would wrap beyond 16
        // million rows, which no codec returns.
        var sums = [UInt32](repeating: 0, count: width)
        pixels.withUnsafeBufferPointer { pixels in
            sums.withUnsafeMutableBufferPointer { sums in
                for top in stride(from: 0, to: height, by: factor) {
                    let rows = min(factor, height - top)
                    sums.update(repeating: 0)
                    for y in top..<top + rows {
                        let start = y * width
                        for x in 0..<width { sums[x] &+= UInt32(truncatingIfNeeded: pixels[start + x]) }
                    }
                    for left in stride(from: 0, to: width, by: factor) {
                        let right = min(left + factor, width)
                        var sum: UInt64 = 0
                        for x in left..<right { sum &+= UInt64(sums[x]) }
                        let count = UInt64(rows * (right - left))
                        smaller.append(UInt8(truncatingIfNeeded: (sum + count / 2) / count))
                    }
                }
            }
        }
        return LuminanceImage(
            unchecked: smaller, width: columns, height: (height + factor - 1) / factor, damage: damage)
    }

    /// A picture that `fill` draws into zeroed memory of `width` × `height` bytes, both at least 1.
    /// `isCovered`: it draws each pixel, so the memory need not be zeroed.
    init(
        width: Int, height: Int, isCovered: Bool = false,
        _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) {
        precondition(width > 0 && height > 0)
        let count = width * height
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
            if !isCovered { memory.initialize(repeating: 0) }
            fill(memory)
            initialized = count
        }
        self.init(unchecked: pixels, width: width, height: height, damage: nil)
    }

    /// The part of the picture that begins at (`x`, `y`); it must lie within the picture.
    func part(x: Int, y: Int, width: Int, height: Int) -> LuminanceImage {
        LuminanceImage(width: width, height: height) { result in
            for row in 0..<height {
                let start = (y + row) * self.width + x
                for column in 0..<width { result[row * width + column] = pixels[start + column] }
            }
        }
    }

    /// A picture of `rows` of light (true) and dark (false) squares, each `scale` pixels wide and high. Nil
    /// if there are no squares or the rows differ in length.
    static func squares(_ rows: [[Bool]], scale: Int) -> LuminanceImage? {
        guard let columns = rows.first?.count, columns > 0, rows.allSatisfy({ $0.count == columns }) else {
            return nil
        }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(columns * rows.count * scale * scale)
        for row in rows {
            let start = pixels.count
            for isLight in row { for _ in 0..<scale { pixels.append(isLight ? 255 : 0) } }
            let line = pixels[start...]
            for _ in 1..<scale { pixels.append(contentsOf: line) }
        }
        return LuminanceImage(width: columns * scale, height: rows.count * scale, pixels: pixels)
    }

    private init(unchecked pixels: [UInt8], width: Int, height: Int, damage: String?) {
        self.width = width
        self.height = height
        self.pixels = pixels
        self.damage = damage
    }
}

/// The maximum size of an image, checked before anything is allocated for it.
package struct ImageLimits: Codable, Equatable, Sendable {
    /// The maximum number of pixels (width × height) in an image.
    package var maximumPixels: Int

    /// 64 megapixels by default: more than any phone's camera makes, and 64 MB of grey.
    package init(maximumPixels: Int = 64_000_000) {
        self.maximumPixels = maximumPixels
    }

    /// Refuses an image without pixels, or with more of them than allowed.
    package func check(width: Int, height: Int) throws(ImageError) {
        guard width > 0, height > 0 else { throw .zeroDimensions(width: width, height: height) }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, count <= maximumPixels else {
            throw .tooManyPixels(width: width, height: height, limit: maximumPixels)
        }
    }
}
