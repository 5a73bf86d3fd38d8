import CGlibc

/// Contrasts at several places at once. Vectors have four lanes, as those of SSE2: Swift takes larger ones
/// apart.
extension ContrastView {
    /// Beyond that, the numbers below are too large for their types.
    private var isLarge: Bool { max(width, height) >= 1 << 22 || pixels.count >= Int32.max }

    /// As ``contrast(_:)`` but for the last bits, at eight places at once.
    @inline(__always) func contrasts(x: SIMD8<Float>, y: SIMD8<Float>) -> SIMD8<Float> {
        guard !isLarge else { return SIMD8((0..<8).map { contrast(Vector(x: x[$0], y: y[$0])) }) }
        return SIMD8(
            lowHalf: lanes(x: x.lowHalf, y: y.lowHalf, isExact: false),
            highHalf: lanes(x: x.highHalf, y: y.highHalf, isExact: false))
    }

    /// What ``contrast(_:)`` is at each of four places, to the last bit.
    @inline(__always) func contrasts(x: SIMD4<Float>, y: SIMD4<Float>) -> SIMD4<Float> {
        guard !isLarge else { return SIMD4((0..<4).map { contrast(Vector(x: x[$0], y: y[$0])) }) }
        return lanes(x: x, y: y, isExact: true)
    }

    /// The picture is not large. `isExact`: with the roundings of ``contrast(_:)``.
    @inline(__always) private func lanes(x: SIMD4<Float>, y: SIMD4<Float>, isExact: Bool) -> SIMD4<Float> {
        let (right, down) = (x - 0.5, y - 0.5)
        // All bits set, or none. None for NaN too, so that no place below is outside.
        let isInside =
            (right .>= 0).bits & (down .>= 0).bits & (right .< Float(width - 1)).bits
            & (down .< Float(height - 1)).bits
        // A picture of one row or column has nothing inside, and no neighbours.
        let halves = unsafeBitCast(isInside, to: SIMD2<UInt64>.self)
        guard halves[0] | halves[1] != 0 else { return SIMD4() }
        // What is outside becomes the first place, which is inside.
        let (fromLeft, fromTop) = (right.masked(by: isInside), down.masked(by: isInside))
        let nearX = isExact ? x.masked(by: isInside) : fromLeft + 0.5
        let nearY = isExact ? y.masked(by: isInside) : fromTop + 0.5
        let blocks =
            (hubpair_whole(nearY) &>> Int32(BlockGrid.shift)) &* Int32(truncatingIfNeeded: columns)
            &+ hubpair_whole(nearX) &>> Int32(BlockGrid.shift)
        @inline(__always) func limit(_ lane: Int) -> Int32 { Int32(thresholds[Int(blocks[lane])]) }
        let limits = hubpair_float(SIMD4(limit(0), limit(1), limit(2), limit(3)))
        let square = PixelSquares(pixels, width: width, x: fromLeft, y: fromTop)
        let values = (isExact ? square.exactMeans : square.means) - limits * (1 / 16)
        return values.masked(by: isInside)
    }
}

/// Four places in a picture, and for each of them the four pixels around it.
struct PixelSquares {
    private let upper: (left: SIMD4<Float>, right: SIMD4<Float>)
    private let lower: (left: SIMD4<Float>, right: SIMD4<Float>)
    /// The shares of the pixels on the right and below.
    private let fx: SIMD4<Float>
    private let fy: SIMD4<Float>

    /// - Parameters:
    ///   - pixels: fewer than 2³¹.
    ///   - x, y: from the middle of the first pixel, each from 0 to less than the last column or row.
    @inline(__always) init(
        _ pixels: UnsafeBufferPointer<UInt8>, width: Int, x: SIMD4<Float>, y: SIMD4<Float>
    ) {
        let (column, row) = (hubpair_whole(x), hubpair_whole(y))
        self.init(pixels, width: width, x: x, y: y, column: column, row: row)
    }

    /// `column` and `row`: of the pixel at the upper left of each place. It is a pixel, and so are its
    /// neighbours on the right and below.
    @inline(__always) init(
        _ pixels: UnsafeBufferPointer<UInt8>, width: Int, x: SIMD4<Float>, y: SIMD4<Float>,
        column: SIMD4<Int32>, row: SIMD4<Int32>
    ) {
        (fx, fy) = (x - hubpair_float(column), y - hubpair_float(row))
        let starts = row &* Int32(truncatingIfNeeded: width) &+ column
        let bytes = UnsafeRawBufferPointer(pixels)
        // Two pixels at a time: the one at a start, and its neighbour on the right.
        @inline(__always) func pair(_ lane: Int, _ below: Int) -> Int32 {
            let start = Int(starts[lane]) &+ below
            return Int32(bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self).littleEndian)
        }
        @inline(__always) func pairs(_ below: Int) -> (left: SIMD4<Float>, right: SIMD4<Float>) {
            let pairs = SIMD4(pair(0, below), pair(1, below), pair(2, below), pair(3, below))
            return (hubpair_float(pairs & 0xFF), hubpair_float(pairs &>> 8))
        }
        (upper, lower) = (pairs(0), pairs(width))
    }

    /// The luma between the pixels.
    @inline(__always) var means: SIMD4<Float> {
        let above = upper.left + (upper.right - upper.left) * fx
        let below = lower.left + (lower.right - lower.left) * fx
        return above + (below - above) * fy
    }

    /// The same with the roundings of `ContrastView.contrast`.
    @inline(__always) var exactMeans: SIMD4<Float> {
        let above = upper.left * (1 - fx) + upper.right * fx
        let below = lower.left * (1 - fx) + lower.right * fx
        return above * (1 - fy) + below * fy
    }
}

extension SIMDMask<SIMD4<Int32>> {
    /// All bits of a lane set, or none.
    @inline(__always) var bits: SIMD4<Int32> { unsafeBitCast(self, to: SIMD4<Int32>.self) }
}

extension SIMD4<Float> {
    /// 0 where no bit is set.
    @inline(__always) func masked(by bits: SIMD4<Int32>) -> SIMD4<Float> {
        unsafeBitCast(unsafeBitCast(self, to: SIMD4<Int32>.self) & bits, to: SIMD4<Float>.self)
    }

    /// From 0 to `limit`; 0 for NaN.
    @inline(__always) func clamped(to limit: Float) -> SIMD4<Float> {
        let limits = SIMD4(repeating: limit)
        let isAbove = (limits .< self).bits
        let lowered = unsafeBitCast(
            unsafeBitCast(masked(by: ~isAbove), to: SIMD4<Int32>.self)
                | unsafeBitCast(limits.masked(by: isAbove), to: SIMD4<Int32>.self), to: SIMD4<Float>.self)
        return lowered.masked(by: (lowered .>= 0).bits)
    }

    /// The sum of a number and these, one after the other: a sum of floating-point numbers depends on the
    /// order.
    @inline(__always) func added(to sum: Float) -> Float { sum + self[0] + self[1] + self[2] + self[3] }

    /// Without the signs.
    @inline(__always) var magnitudes: SIMD4<Float> {
        unsafeBitCast(unsafeBitCast(self, to: SIMD4<UInt32>.self) & 0x7FFF_FFFF, to: SIMD4<Float>.self)
    }
}
