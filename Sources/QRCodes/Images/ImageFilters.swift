/// Filters that make unreadable pictures readable; each returns a new picture.
extension LuminanceImage {
    /// Each pixel `factor` times as wide and high, with an edge of `width` pixels around it. Both numbers are
    /// small, and so must be the picture.
    func framed(width edge: Int, shade: UInt8, factor: Int) -> LuminanceImage {
        let (wide, high) = (width * factor + 2 * edge, height * factor + 2 * edge)
        return LuminanceImage(width: wide, height: high) { result in
            result.update(repeating: shade)
            pixels.withUnsafeBufferPointer { pixels in
                for y in 0..<height {
                    let first = (y * factor + edge) * wide + edge
                    for place in 0..<factor {
                        // Inside of the edge, so no number is beyond the pixels.
                        for x in 0..<width {
                            result[first &+ x &* factor &+ place] = pixels[y &* width &+ x]
                        }
                    }
                    let row = UnsafeMutableBufferPointer(rebasing: result[first..<first + width * factor])
                    for line in 1..<max(1, factor) {
                        let next = first + line * wide
                        _ = UnsafeMutableBufferPointer(rebasing: result[next..<next + row.count])
                            .update(fromContentsOf: row)
                    }
                }
            }
        }
    }

    /// Black where a pixel is darker than the mean of the `window` × `window` pixels around it by more than
    /// `offset`, else white. `window` is made odd.
    func thresholded(window: Int, offset: Int) -> LuminanceImage {
        let radius = max(1, window / 2)
        let sums = SummedArea(self)
        return LuminanceImage(width: width, height: height) { result in
            pixels.withUnsafeBufferPointer { pixels in
                for y in 0..<height {
                    for x in 0..<width {
                        let (sum, count) = sums.around(x: x, y: y, radius: radius)
                        let isDark = (Int(pixels[y * width + x]) + offset) * count < sum
                        result[y * width + x] = isDark ? 0 : 255
                    }
                }
            }
        }
    }

    /// Each pixel becomes the mean of itself and its neighbours, weighted 1 2 1 in both directions; `times`
    /// over.
    func smoothed(times: Int = 1) -> LuminanceImage {
        guard times > 0 else { return self }
        let smooth = LuminanceImage(width: width, height: height, isCovered: true) { result in
            pixels.withUnsafeBufferPointer { pixels in
                // The sums of three rows, with one more pixel at each end. The compiler vectorises both
                // loops, as no sum in them is checked for an overflow; an index is at most the number of
                // pixels.
                withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width + 2) { sums in
                    for y in 0..<height {
                        let row = y * width
                        let (above, below) = (max(0, y - 1) * width, min(height - 1, y + 1) * width)
                        for x in 0..<width {
                            sums[x &+ 1] =
                                UInt16(pixels[above &+ x]) &+ 2 &* UInt16(pixels[row &+ x])
                                &+ UInt16(pixels[below &+ x])
                        }
                        (sums[0], sums[width + 1]) = (sums[1], sums[width])
                        for x in 0..<width {
                            let sum = sums[x] &+ 2 &* sums[x &+ 1] &+ sums[x &+ 2]
                            result[row &+ x] = UInt8(truncatingIfNeeded: (sum &+ 8) &>> 4)
                        }
                    }
                }
            }
        }
        return smooth.smoothed(times: times - 1)
    }

    /// The picture plus twice its difference from the picture smoothed twice: edges become clearer, and noise
    /// too. `smooth` is the picture smoothed once, if the caller has it.
    func sharpened(smooth: LuminanceImage? = nil) -> LuminanceImage {
        let smooth = smooth?.smoothed() ?? smoothed(times: 2)
        let isCovered = smooth.pixels.count == pixels.count
        return LuminanceImage(width: width, height: height, isCovered: isCovered) { result in
            pixels.withUnsafeBufferPointer { pixels in
                smooth.pixels.withUnsafeBufferPointer { smooth in
                    for index in 0..<min(pixels.count, smooth.count) {
                        let value = 3 &* Int16(pixels[index]) &- 2 &* Int16(smooth[index])
                        result[index] = UInt8(truncatingIfNeeded: max(0, min(255, value)))
                    }
                }
            }
        }
    }

    /// The picture resampled to `newWidth` × `newHeight`. `place` maps the middle of each new pixel to a
    /// place in this picture, between pixels; `ground` outside.
    func redrawn(width newWidth: Int, height newHeight: Int, ground: UInt8, _ place: (Vector) -> Vector)
        -> LuminanceImage
    {
        LuminanceImage(width: newWidth, height: newHeight) { result in
            pixels.withUnsafeBufferPointer { pixels in
                for y in 0..<newHeight {
                    for x in 0..<newWidth {
                        let from = place(Vector(x: Float(x) + 0.5, y: Float(y) + 0.5))
                        guard from.x >= 0, from.y >= 0, from.x <= Float(width), from.y <= Float(height) else {
                            result[y * newWidth + x] = ground
                            continue
                        }
                        let px = max(0, from.x - 0.5)
                        let py = max(0, from.y - 0.5)
                        let column = min(Int(px), width - 1)
                        let row = min(Int(py), height - 1)
                        let (fx, fy) = (px - Float(column), py - Float(row))
                        let (next, below) = (min(column + 1, width - 1), min(row + 1, height - 1) * width)
                        let upper =
                            Float(pixels[row * width + column]) * (1 - fx) + Float(pixels[row * width + next])
                            * fx
                        let lower =
                            Float(pixels[below + column]) * (1 - fx) + Float(pixels[below + next]) * fx
                        let value = upper * (1 - fy) + lower * fy
                        result[y * newWidth + x] = UInt8(max(0, min(255, value + 0.5)))
                    }
                }
            }
        }
    }

    /// The picture at `across` times its width and `down` times its height.
    func stretched(across: Float, down: Float) -> LuminanceImage {
        let newWidth = max(1, Int(Float(width) * across))
        let newHeight = max(1, Int(Float(height) * down))
        return redrawn(width: newWidth, height: newHeight, ground: 255) {
            Vector(x: $0.x / across, y: $0.y / down)
        }
    }

    /// The picture turned by 45°, in a larger one that holds all of it.
    func turned45() -> LuminanceImage {
        redrawn(width: turnedSide, height: turnedSide, ground: 255, beforeTurning)
    }

    /// Maps a place in the turned picture to its place in this one.
    func beforeTurning(_ place: Vector) -> Vector {
        let half: Float = 0.70710678
        let (x, y) = (place.x - Float(turnedSide) / 2, place.y - Float(turnedSide) / 2)
        return Vector(x: Float(width) / 2 + (x + y) * half, y: Float(height) / 2 + (y - x) * half)
    }

    private var turnedSide: Int { Int(Float(width + height) * 0.70710678) + 1 }

    /// The noise in grey levels, estimated from pixels and their two neighbours in a row: the median
    /// difference between a pixel and the mean of the two.
    var noise: Float {
        guard width >= 3 else { return 0 }
        var counts = [Int](repeating: 0, count: 512)
        var total = 0
        // About 20,000 places are enough.
        let step = max(1, pixels.count / 20_000)
        pixels.withUnsafeBufferPointer { pixels in
            for index in stride(from: 1, to: pixels.count - 1, by: step) {
                let curvature =
                    2 * Int(pixels[index]) - Int(pixels[index - 1]) - Int(pixels[index + 1])
                counts[min(511, abs(curvature))] += 1
                total += 1
            }
        }
        var seen = 0
        // For noise of deviation σ the curvature has deviation 2.45 σ, and its median size is 0.67 times
        // that.
        for (size, count) in counts.enumerated() {
            seen += count
            if 2 * seen >= total { return Float(size) / 1.65 }
        }
        return 0
    }
}

/// For each pixel the sum of all pixels above and left of it: the sum of any rectangle takes four look-ups.
private struct SummedArea {
    private let width: Int
    private let height: Int
    /// Modulo 2³². The differences, sums of small rectangles, are still right.
    private let sums: [UInt32]

    init(_ image: LuminanceImage) {
        width = image.width
        height = image.height
        let columns = image.width + 1
        var sums = [UInt32](repeating: 0, count: columns * (image.height + 1))
        sums.withUnsafeMutableBufferPointer { sums in
            image.pixels.withUnsafeBufferPointer { pixels in
                for y in 0..<image.height {
                    var row: UInt32 = 0
                    for x in 0..<image.width {
                        row &+= UInt32(pixels[y * image.width + x])
                        sums[(y + 1) * columns + x + 1] = sums[y * columns + x + 1] &+ row
                    }
                }
            }
        }
        self.sums = sums
    }

    /// The sum and the number of those pixels of the square of side 2 · `radius` + 1 that are inside the
    /// picture.
    @inline(__always) func around(x: Int, y: Int, radius: Int) -> (sum: Int, count: Int) {
        let (left, right) = (max(0, x - radius), min(width, x + radius + 1))
        let (top, bottom) = (max(0, y - radius) * (width + 1), min(height, y + radius + 1) * (width + 1))
        let sum = sums[bottom + right] &- sums[bottom + left] &- sums[top + right] &+ sums[top + left]
        return (Int(sum), (bottom - top) / (width + 1) * (right - left))
    }
}
