/// A place that looks like one of the three finder patterns of a QR code: five stripes, dark and light in
/// turn, 1 : 1 : 3 : 1 : 1 along every line through the middle (ISO/IEC 18004 § 6.3.3).
struct FinderPattern: Equatable {
    /// Its middle.
    var centre: Vector
    /// The side of a module in pixels, the mean over the directions.
    var moduleSize: Float
    /// True for a light code on dark: its stripes are light, dark, light, dark, light.
    var isInverted: Bool
    /// The number of scan lines that crossed it.
    var hits = 1
    /// The number of directions (across, down, both diagonals) in which the stripes are right; 2 to 4.
    var directions: Int

    /// True if it is unlikely to be texture: three scan lines and all four directions show it.
    var isSure: Bool { directions == 4 && hits >= 3 }

    /// The order in which patterns are tried, highest first.
    var rank: Float { Float(directions) + Float(min(hits, 8)) * 0.25 }

    /// True if both are at the same place.
    func isSame(as other: FinderPattern) -> Bool {
        isInverted == other.isInverted && (centre - other.centre).length < 1.6 * moduleSize
    }

    /// `patterns` and those of `more` at other places: the best `limit` of them, best first.
    static func merged(_ patterns: [FinderPattern], _ more: [FinderPattern], limit: Int) -> [FinderPattern] {
        var all = patterns
        for pattern in more {
            if let index = all.firstIndex(where: { $0.isSame(as: pattern) }) {
                if pattern.rank > all[index].rank { all[index] = pattern }
            } else {
                all.append(pattern)
            }
        }
        return Array(all.sorted { $0.rank > $1.rank }.prefix(limit))
    }
}

/// A line through the middle of a finder pattern.
struct FinderProfile {
    /// From the first edge to the last, in pixels: 7 modules.
    let length: Float
    /// The distance from the start of the line to the middle of the pattern, in pixels along the line.
    let shift: Float

    /// The module size from six edges of stripes, in pixels along a line, or nil unless they are 1 : 1 : 3 :
    /// 1 : 1.
    ///
    /// It measures distances between edges of the same kind (dark to light, light to dark). Blur and
    /// thresholds widen all dark stripes and narrow all light ones by the same amount, or the reverse, which
    /// does not change these distances.
    @inline(__always)
    static func moduleSize(
        _ e0: Float, _ e1: Float, _ e2: Float, _ e3: Float, _ e4: Float, _ e5: Float
    ) -> Float? {
        let first = e2 - e0
        let second = e3 - e1
        let third = e4 - e2
        let fourth = e5 - e3
        let module = (first + second + third + fourth) * (1 / 12)
        let middle = e3 - e2
        guard module >= 0.7, abs(second - 4 * module) < 1.3 * module, abs(third - 4 * module) < 1.3 * module,
            abs(first - 2 * module) < 0.8 * module, abs(fourth - 2 * module) < 0.8 * module,
            middle > 1.7 * module, middle < 4.4 * module, e1 - e0 > 0.25 * module, e2 - e1 > 0.25 * module,
            e4 - e3 > 0.25 * module, e5 - e4 > 0.25 * module
        else { return nil }
        return module
    }
}

extension ContrastView {
    /// The finder pattern along the line from `place` in both directions of `step`, whose longer component is
    /// 1.
    ///
    /// `reach`: how far to look on each side, in steps. `hysteresis`: a stripe must differ by more grey
    /// levels than this. `looks` grows by the places looked at. Nil if there is no pattern.
    func profile(
        at place: Vector, along step: Vector, reach: Int, isInverted: Bool, hysteresis: Float,
        looks: inout Int
    ) -> FinderProfile? {
        let sign: Float = isInverted ? -1 : 1
        let start = contrast(place) * sign
        guard start < 0 else { return nil }
        func edges(_ step: Vector) -> (Float, Float, Float)? {
            var edges = EdgeSearch(start: start, hysteresis: hysteresis)
            // Along rows, columns and diagonals, as most of them are.
            if step.x.isUnit, step.y.isUnit,
                var walk = Walk(self, from: place, across: Int(step.x), down: Int(step.y))
            {
                for index in 0..<min(reach, walk.count)
                where edges.ends(with: walk.next() * sign, index: index) {
                    looks += index + 1
                    return edges.found
                }
            } else {
                var position = place
                for index in 0..<reach {
                    position = position + step
                    guard edges.ends(with: contrast(position) * sign, index: index) else { continue }
                    looks += index + 1
                    return edges.found
                }
            }
            looks += reach
            return nil
        }
        guard let after = edges(step), let before = edges(step * -1),
            FinderProfile.moduleSize(-before.2, -before.1, -before.0, after.0, after.1, after.2) != nil
        else { return nil }
        return FinderProfile(
            length: (after.2 + before.2) * step.length,
            shift: (after.0 - before.0 + after.1 - before.1 + after.2 - before.2) / 6 * step.length)
    }

    /// True if a column of pixels through a dark place may cross a finder pattern: it has three edges on
    /// either side within `reach`, in the right proportions to two pixels. It costs a quarter of a `profile`,
    /// and rejects most places.
    func mayCross(
        x: Int, y: Int, reach: Int, isInverted: Bool, hysteresis: Float, looks: inout Int
    ) -> Bool {
        guard x >= 0, x < width, y >= 0, y < height else { return false }
        let threshold = Int32(hysteresis * 16)
        func edges(_ step: Int, _ end: Int) -> (Float, Float, Float)? {
            var edges = (0, 0)
            var found = 0
            // All bits set negate a number, less one.
            var flip: Int32 = isInverted ? -1 : 0
            var row = y
            defer { looks += abs(row - y) }
            while row != end {
                if (difference(x: x, y: row) ^ flip) &- flip > threshold {
                    switch found {
                    case 0: edges.0 = row - y
                    case 1: edges.1 = row - y
                    default: return (Float(edges.0), Float(edges.1), Float(row - y))
                    }
                    found += 1
                    flip = ~flip
                }
                row &+= step
            }
            return nil
        }
        guard let after = edges(1, min(height, y + reach + 1)),
            let before = edges(-1, max(-1, y - reach - 1))
        else { return false }
        let module = (after.2 + after.1 - before.1 - before.2) / 12
        let middle = after.0 - before.0
        return abs(after.0 - before.1 - 4 * module) < 1.3 * module + 2
            && abs(after.1 - before.0 - 4 * module) < 1.3 * module + 2
            && abs(before.0 - before.2 - 2 * module) < 0.8 * module + 2
            && abs(after.2 - after.0 - 2 * module) < 0.8 * module + 2
            && middle > 1.7 * module - 2 && middle < 4.4 * module + 2
    }
}

/// The first three edges from a dark place, in steps: the ends of the core, of the light ring and of the dark
/// ring.
private struct EdgeSearch {
    private let hysteresis: Float
    private(set) var found: (Float, Float, Float) = (0, 0, 0)
    private var count = 0
    /// 1 where a light place is looked for, −1 where a dark one is.
    private var direction: Float = 1
    private var last: Float
    private var isBelow = true
    private var crossing: Float = 0

    /// - Parameter start: the difference where the search begins, below 0.
    init(start: Float, hysteresis: Float) { (last, self.hysteresis) = (start, hysteresis) }

    /// Takes the difference one step further; true if that was the third edge. `index`: the steps before.
    @inline(__always) mutating func ends(with value: Float, index: Int) -> Bool {
        // The last change of sign is the edge, interpolated between two steps.
        if (value < 0) != isBelow {
            isBelow.toggle()
            crossing = Float(index) + last / (last - value)
        }
        last = value
        guard value * direction > hysteresis else { return false }
        switch count {
        case 0: found.0 = crossing
        case 1: found.1 = crossing
        default:
            found.2 = crossing
            return true
        }
        count += 1
        direction = -direction
        return false
    }
}

extension Float {
    fileprivate var isUnit: Bool { self == 0 || self == 1 || self == -1 }
}
