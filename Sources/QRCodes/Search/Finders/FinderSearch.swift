import CGlibc

/// Searches for finder patterns along the rows of a picture.
///
/// Counts limit the work, not time, so that the same picture always gives the same result: a picture full of
/// stripes costs no more than `Limits` allows. The order of rows spreads over the whole picture, so that a
/// limit does not exclude a part of it.
struct FinderSearch {
    struct Limits: Equatable {
        /// 1 takes every row, 2 every second row.
        var rowStep = 1
        /// How many places with the right stripes along a row are checked in the other directions, and how
        /// many pixels may be looked at for that.
        var maximumChecks = 20_000
        var maximumLooks = 4_000_000
        /// The minimum hysteresis in grey levels, used if there is little noise.
        var leastContrast: Float = 2
        /// The maximum module size in pixels. Larger modules are found at a coarser scale, if there is one,
        /// with less work.
        var largestModule: Float = 60
        /// How many patterns are kept while searching, and how many of them are returned.
        var maximumKept = 256
        var maximumPatterns = 40

        /// The hysteresis for this noise, 14 at most: a stripe must differ by more grey levels than this.
        func hysteresis(noise: Float) -> Float { max(leastContrast, min(14, noise)) }
    }

    private let view: ContrastView
    private let limits: Limits
    private let hysteresis: Float
    private var checks = 0
    private var looks = 0
    private(set) var patterns: [FinderPattern] = []
    private var places: PatternPlaces

    /// The best patterns in the field, dark and light, best first; and how many of all that were seen are
    /// sure.
    static func patterns(in field: ContrastField, noise: Float, limits: Limits) -> (
        best: [FinderPattern], sureCount: Int
    ) {
        field.withView { view in
            var search = FinderSearch(view: view, limits: limits, hysteresis: limits.hysteresis(noise: noise))
            search.run()
            let sorted = search.patterns.enumerated().sorted {
                ($0.element.rank, $1.offset) > ($1.element.rank, $0.offset)
            }
            return (
                sorted.prefix(limits.maximumPatterns).map(\.element), search.patterns.count { $0.isSure }
            )
        }
    }

    private init(view: ContrastView, limits: Limits, hysteresis: Float) {
        self.view = view
        self.limits = limits
        self.hysteresis = hysteresis
        places = PatternPlaces(width: view.width, height: view.height)
    }

    private mutating func run() {
        guard view.width >= 8, view.height >= 8 else { return }
        let step = max(1, limits.rowStep)
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: view.width) { row in
            for phase in [0, 4, 2, 6, 1, 5, 3, 7] {
                for y in stride(from: phase * step, to: view.height, by: 8 * step) {
                    guard !isExhausted else { return }
                    view.differences(y: y, into: row)
                    scan(row, y: y)
                }
            }
        }
    }

    private var isExhausted: Bool { checks >= limits.maximumChecks || looks >= limits.maximumLooks }

    /// Follows a row from edge to edge. Each run that ends may be the last of five stripes.
    private mutating func scan(_ row: UnsafeMutableBufferPointer<Int16>, y: Int) {
        let threshold = Int16(hysteresis * 16)
        // The last edges, and the greatest difference within each of the five runs between them.
        var (e0, e1, e2, e3, e4): (Float, Float, Float, Float, Float) = (-1e6, -1e6, -1e6, -1e6, -1e6)
        var (p1, p2, p3, p4, p5): (Int16, Int16, Int16, Int16, Int16) = (0, 0, 0, 0, 0)
        var isDark = false
        var (start, x) = (0, 0)
        while true {
            // Most runs are short, and most pixels are in long ones.
            let near = min(row.count, x + 8)
            var peak = FinderSearch.walk(row, from: &x, to: near, isDark: isDark, threshold: threshold)
            if x == near {
                peak = max(peak, FinderSearch.skip(row, from: &x, isDark: isDark, threshold: threshold))
                peak = max(
                    peak,
                    FinderSearch.walk(row, from: &x, to: row.count, isDark: isDark, threshold: threshold))
            }
            guard x < row.count else { return }
            // The last change of sign is the edge, interpolated between the middles of two pixels.
            var edge = x
            while edge > start, (row[edge - 1] < 0) != isDark { edge -= 1 }
            var e5: Float = 0
            if edge > start {
                let (before, after) = (Float(row[edge - 1]), Float(row[edge]))
                e5 = Float(edge) - 0.5 + before / (before - after)
            }
            (p1, p2, p3, p4, p5) = (p2, p3, p4, p5, peak)
            if let module = FinderProfile.moduleSize(e0, e1, e2, e3, e4, e5), module < limits.largestModule {
                // No stripe may be much weaker than the others.
                let weakest = Int32(min(p1, p2, p3, p4, p5))
                let strongest = Int32(max(p1, p2, p3, p4, p5))
                if weakest * 5 >= strongest {
                    check(
                        Vector(x: (e2 + e3) / 2, y: Float(y) + 0.5), module: module, isInverted: !isDark)
                }
            }
            (e0, e1, e2, e3, e4) = (e1, e2, e3, e4, e5)
            isDark.toggle()
            start = x
        }
    }

    /// Goes on to the end of the run, at most to `end`, and returns its greatest difference up to there.
    @inline(__always) private static func walk(
        _ row: UnsafeMutableBufferPointer<Int16>, from x: inout Int, to end: Int, isDark: Bool,
        threshold: Int16
    ) -> Int16 {
        var peak: Int16 = 0
        if isDark {
            while x < end, row[x] <= threshold {
                peak = min(peak, row[x])
                x &+= 1
            }
            return 0 &- peak
        }
        while x < end, row[x] >= -threshold {
            peak = max(peak, row[x])
            x &+= 1
        }
        return peak
    }

    /// Goes on to the eight pixels in which the run ends, and returns its greatest difference up to there.
    @inline(__always) private static func skip(
        _ row: UnsafeMutableBufferPointer<Int16>, from x: inout Int, isDark: Bool, threshold: Int16
    ) -> Int16 {
        let bytes = UnsafeRawBufferPointer(row)
        // All bits set negate a number, less one.
        let flip = SIMD8<Int16>(repeating: isDark ? -1 : 0)
        let limit = SIMD8<Int16>(repeating: -threshold)
        var peaks = SIMD8<Int16>(repeating: 0)
        while x &+ 8 <= row.count {
            let values = bytes.loadUnaligned(fromByteOffset: 2 &* x, as: SIMD8<Int16>.self)
            let heights = (values ^ flip) &- flip
            let ends = unsafeBitCast(heights .< limit, to: SIMD2<UInt64>.self)
            if ends[0] | ends[1] != 0 { break }
            peaks = hubpair_larger(peaks, heights)
            x &+= 8
        }
        return hubpair_largest(peaks)
    }

    private mutating func check(_ place: Vector, module: Float, isInverted: Bool) {
        if let index = places.first(
            near: place, within: 0,
            where: {
                patterns[$0].isInverted == isInverted
                    && (patterns[$0].centre - place).length < 1.6 * patterns[$0].moduleSize
            })
        {
            patterns[index].hits += 1
            return
        }
        guard !isExhausted else { return }
        checks += 1
        guard let found = crossChecked(place, module: module, isInverted: isInverted) else { return }
        let radius = 1.6 * found.moduleSize
        if let index = places.first(
            near: found.centre, within: radius,
            where: {
                patterns[$0].isInverted == isInverted
                    && (patterns[$0].centre - found.centre).length < radius
            })
        {
            if found.directions > patterns[index].directions {
                let hits = patterns[index].hits
                patterns[index] = found
                patterns[index].hits = hits
                places.add(index, at: found.centre, radius: radius)
            }
            patterns[index].hits += 1
            return
        }
        if patterns.count < limits.maximumKept {
            places.add(patterns.count, at: found.centre, radius: radius)
            patterns.append(found)
        } else if let worst = patterns.indices.min(by: { patterns[$0].rank < patterns[$1].rank }),
            patterns[worst].rank < found.rank
        {
            patterns[worst] = found
            places.add(worst, at: found.centre, radius: radius)
        }
    }

    /// The pattern around a place that a row has shown, if the other directions show it too.
    private mutating func crossChecked(_ place: Vector, module: Float, isInverted: Bool) -> FinderPattern? {
        // A tilt of 60° makes one direction twice as long as another, and a turn by 45° adds half.
        let reach = Int(min(400, 3.5 * module * 3 + 4))
        func profile(_ place: Vector, _ step: Vector) -> FinderProfile? {
            view.profile(
                at: place, along: step, reach: reach, isInverted: isInverted, hysteresis: hysteresis,
                looks: &looks)
        }
        // Whole pixels are too coarse for smaller modules.
        guard
            module < 3
                || view.mayCross(
                    x: Int(place.x), y: Int(place.y), reach: reach, isInverted: isInverted,
                    hysteresis: hysteresis, looks: &looks),
            let down = profile(place, Vector(x: 0, y: 1))
        else { return nil }
        var centre = Vector(x: place.x, y: place.y + down.shift)
        guard let across = profile(centre, Vector(x: 1, y: 0)) else { return nil }
        centre.x += across.shift
        let ratio = across.length / down.length
        guard ratio > 0.3, ratio < 3.4 else { return nil }
        var directions = 2
        var product = across.length * down.length
        var shifts = Vector(x: 0, y: 0)
        for step in [Vector(x: 1, y: 1), Vector(x: 1, y: -1)] {
            guard let diagonal = profile(centre, step) else { continue }
            directions += 1
            product *= diagonal.length
            shifts = shifts + step * (diagonal.shift * (0.5 / step.length))
        }
        guard directions > 2 else { return nil }
        if directions == 4 { centre = centre + shifts * 0.5 }
        // In a square one pair of directions has 7 modules and the other 7 · √2; turned, all are in between.
        let length =
            directions == 4
            ? product.squareRoot().squareRoot() / 1.19 : (across.length * down.length).squareRoot() / 1.1
        return FinderPattern(
            centre: centre, moduleSize: length / 7, isInverted: isInverted, directions: directions)
    }
}
