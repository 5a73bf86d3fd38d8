/// Derives the reason why no code was read from what the search steps saw. The most reliable signs are
/// checked first.
extension ScanDiagnosis {
    /// A grid with a better fit than this is on a code.
    static let surelyCode: Float = 0.5
    /// Below this sharpness, dark and light do not alternate between the finder patterns, so they do not
    /// belong to one code. Exception: if all three are sure, something covers the modules between them.
    static let leastSharpness: Float = 0.05
    /// A finder pattern that is out of focus has a lower match than this.
    private static let sharpMatch: Float = 0.9

    /// - Parameters:
    ///   - picture: The picture at one of the scales.
    ///   - pictures: The picture at the scales of all `sightings`.
    ///   - sightings: What the searches by finder patterns saw, each at 1/scale of the whole picture.
    ///   - others: Barcodes of other kinds.
    init(
        _ picture: LuminanceImage, at pictures: [Int: LuminanceImage],
        sightings: [(scale: Int, seen: SymbolSearch.Outcome)], others: [(name: String, payload: [UInt8])]
    ) {
        if let other = others.first {
            self = .otherSymbology(name: other.name, payload: other.payload)
            return
        }
        let grids = sightings.flatMap { sighting in sighting.seen.grids.map { (sighting.scale, $0) } }
        if grids.contains(where: { $0.1.isModel1 }) {
            self = .model1
            return
        }
        if let (scale, grid) = grids.max(by: { $0.1.score.known < $1.1.score.known }),
            grid.score.known > ScanDiagnosis.surelyCode, let seen = pictures[scale]
        {
            let finders = [grid.triple.corner, grid.triple.right, grid.triple.down].map {
                FinderLikeness($0, in: seen)
            }
            if grid.clearness.sharpness > ScanDiagnosis.leastSharpness || finders.allSatisfy(\.isSure) {
                let isSharp = finders.allSatisfy { $0.match > ScanDiagnosis.sharpMatch }
                self = ScanDiagnosis(grid, isSharp: isSharp, scale: scale, in: seen)
                return
            }
        }
        let tones = Tones(picture)
        if tones.brightest < 60 {
            self = .tooDark(brightest: tones.brightest)
        } else if tones.spread < 30 {
            self = .lowContrast(steps: tones.spread)
        } else if let byPatterns = ScanDiagnosis(patternsOf: sightings, in: pictures) {
            self = byPatterns
        } else if tones.steepest * 4 < tones.spread {
            self = .blurred
        } else {
            self = .noFinderPattern
        }
    }

    /// Why a code with a known place cannot be read.
    private init(_ grid: SymbolSearch.Grid, isSharp: Bool, scale: Int, in seen: LuminanceImage) {
        let side = Float(17 + 4 * grid.version)
        let corners = [(0, 0), (side, 0), (side, side), (0, side)].compactMap { x, y in
            grid.map.function?(Vector(x: x, y: y))
        }
        let isInside = corners.allSatisfy {
            $0.x > -1 && $0.y > -1 && $0.x < Float(seen.width) + 1 && $0.y < Float(seen.height) + 1
        }
        let pixels = grid.triple.moduleSize * Float(scale)
        if !isInside {
            self = .cutOff
        } else if pixels < 2 {
            self = .tooSmall(hundredthsOfPixelsPerModule: Int(pixels * 100))
        } else if grid.clearness.contrast < 25 {
            self = .lowContrast(steps: max(0, Int(grid.clearness.contrast)))
        } else if grid.clearness.sharpness < 0.4, !isSharp {
            self = .blurred
        } else {
            self = grid.hasFlatPart(in: seen) ? .damaged : .unclear
        }
    }

    /// The reason, if finder patterns do not form a code. Nil if no pattern is sure.
    private init?(
        patternsOf sightings: [(scale: Int, seen: SymbolSearch.Outcome)], in pictures: [Int: LuminanceImage]
    ) {
        var squares = KnownSquares()
        for (scale, seen) in sightings {
            guard let picture = pictures[scale] else { continue }
            var sure: [FinderPattern] = []
            // What is said below depends on the first four.
            for pattern in seen.patterns where sure.count < 4 && pattern.directions == 4 {
                if squares.holds(pattern, scale: scale, in: picture) { sure.append(pattern) }
            }
            guard let first = sure.first else { continue }
            let pixels = first.moduleSize * Float(scale)
            if pixels < 2 {
                self = .tooSmall(hundredthsOfPixelsPerModule: Int(pixels * 100))
                return
            }
            if sure.contains(where: { MicroCode.isSeen(at: $0, in: picture) }) {
                self = .microQR
                return
            }
            guard sure.count <= 2 else { continue }
            func isOutside(_ place: Vector) -> Bool {
                place.x < 0 || place.y < 0 || place.x > Float(seen.size.width)
                    || place.y > Float(seen.size.height)
            }
            if sure.count == 2 {
                // The pair is a side of the code. The other half of the code is on one of its two sides.
                let line = sure[1].centre - first.centre
                let aside = Vector(x: -line.y, y: line.x)
                let reach = [first.centre + aside, first.centre - aside]
                self = reach.contains(where: isOutside) ? .cutOff : .fewFinderPatterns(2)
            } else {
                self = first.isCutOff(in: picture) ? .cutOff : .fewFinderPatterns(1)
            }
            return
        }
        return nil
    }
}

extension SymbolSearch.Grid {
    /// True if a part of the code of 5 × 5 modules has one shade: something covers it, or it is in a glare. A
    /// mask leaves no such part in any code (ISO/IEC 18004 § 7.8.3).
    fileprivate func hasFlatPart(in picture: LuminanceImage) -> Bool {
        guard let place = map.function else { return false }
        let side = 17 + 4 * version
        var spreads: [Int] = []
        for top in stride(from: 0, to: side - 4, by: 3) {
            for left in stride(from: 0, to: side - 4, by: 3) {
                var shades: [Int] = []
                for index in 0..<25 {
                    let module = Vector(x: Float(left + index % 5) + 0.5, y: Float(top + index / 5) + 0.5)
                    let pixel = place(module).pixel
                    guard (0..<picture.width).contains(pixel.x), (0..<picture.height).contains(pixel.y) else {
                        continue
                    }
                    shades.append(Int(picture.pixels[pixel.y * picture.width + pixel.x]))
                }
                // All but the two extremes: a speck is no module.
                shades.sort()
                if shades.count > 20 { spreads.append(shades[shades.count - 2] - shades[1]) }
            }
        }
        spreads.sort()
        guard let least = spreads.first else { return false }
        return least * 4 < spreads[spreads.count / 2]
    }
}

/// Which finder patterns surely are such. Several searches of a scale see the same ones, and to look at one
/// costs as much as a thousand comparisons.
private struct KnownSquares {
    private var known: [(scale: Int, pattern: FinderPattern, isSure: Bool)] = []

    mutating func holds(_ pattern: FinderPattern, scale: Int, in picture: LuminanceImage) -> Bool {
        let same = known.first {
            $0.scale == scale && $0.pattern.isInverted == pattern.isInverted
                && $0.pattern.centre == pattern.centre && $0.pattern.moduleSize == pattern.moduleSize
        }
        if let same { return same.isSure }
        let isSure = FinderLikeness(pattern, in: picture).isSure
        known.append((scale, pattern, isSure))
        return isSure
    }
}

/// The distribution of the luma in a picture.
private struct Tones {
    /// About how many pixels are counted at most.
    private static let sample = 100_000

    /// The 99th percentile of the luma.
    let brightest: Int
    /// The difference between the 99th and the 1st percentile.
    let spread: Int
    /// The difference between a pixel and the next but one in its row: the 99.9th percentile.
    let steepest: Int

    init(_ picture: LuminanceImage) {
        var counts = [Int](repeating: 0, count: 256)
        var steps = counts
        var total = 0
        // Of a large picture a sample is enough.
        let stride = max(1, picture.pixels.count / Tones.sample)
        picture.pixels.withUnsafeBufferPointer { pixels in
            counts.withUnsafeMutableBufferPointer { counts in
                steps.withUnsafeMutableBufferPointer { steps in
                    // No index is above 255, and no number above that of the pixels.
                    var index = 0
                    while index < pixels.count {
                        let pixel = Int(pixels[index])
                        counts[pixel] &+= 1
                        if index >= 2 { steps[abs(pixel &- Int(pixels[index &- 2]))] &+= 1 }
                        total &+= 1
                        index &+= stride
                    }
                }
            }
        }
        func percentile(_ counts: [Int], _ thousandths: Int) -> Int {
            var seen = 0
            for (value, count) in counts.enumerated() {
                seen += count
                if seen * 1000 >= total * thousandths { return value }
            }
            return counts.count - 1
        }
        brightest = percentile(counts, 990)
        spread = brightest - percentile(counts, 10)
        steepest = percentile(steps, 999)
    }
}
