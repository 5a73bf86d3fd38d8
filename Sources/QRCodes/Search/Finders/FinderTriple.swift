/// Three finder patterns that may be the corners of one QR code.
struct FinderTriple {
    /// The one between the other two: the top left of an upright code.
    let corner: FinderPattern
    /// The next one clockwise: the top right of an upright code.
    let right: FinderPattern
    /// The bottom left of an upright code.
    let down: FinderPattern
    /// The modules on a side, measured along two sides.
    let side: Float
    /// The ratio of a module's length at the corner to that at the other end, along the top and along the
    /// left side; 1 without perspective.
    let foreshortening: (right: Float, down: Float)
    /// The deviation from a code; 0 is perfect.
    let misfit: Float

    /// The three middles.
    var centres: [Vector] { [corner.centre, right.centre, down.centre] }

    /// The side of a module in pixels, the mean of the three.
    var moduleSize: Float { (corner.moduleSize + right.moduleSize + down.moduleSize) / 3 }

    /// The plausible triples among `patterns`, best first, at most `limit`. All triples are tried, so
    /// `patterns` should be few.
    static func among(_ patterns: [FinderPattern], limit: Int, in view: ContrastView, hysteresis: Float)
        -> [FinderTriple]
    {
        var rough: [(misfit: Float, indices: (Int, Int, Int))] = []
        for first in patterns.indices {
            for second in patterns.indices.dropFirst(first + 1) {
                guard patterns[first].isSimilar(to: patterns[second]) else { continue }
                for third in patterns.indices.dropFirst(second + 1) {
                    guard patterns[first].isSimilar(to: patterns[third]),
                        patterns[second].isSimilar(to: patterns[third])
                    else { continue }
                    for (corner, a, b) in [
                        (first, second, third), (second, third, first), (third, first, second),
                    ] {
                        guard
                            let (misfit, isClockwise) = roughMisfit(
                                patterns[corner], patterns[a], patterns[b])
                        else { continue }
                        rough.append((misfit, isClockwise ? (corner, a, b) : (corner, b, a)))
                    }
                }
            }
        }
        rough.sort { ($0.misfit, $0.indices.0, $0.indices.1) < ($1.misfit, $1.indices.0, $1.indices.1) }
        let triples = rough.prefix(4 * limit).compactMap { candidate in
            FinderTriple(
                corner: patterns[candidate.indices.0], right: patterns[candidate.indices.1],
                down: patterns[candidate.indices.2], rough: candidate.misfit, in: view,
                hysteresis: hysteresis)
        }
        return Array(triples.sorted { $0.misfit < $1.misfit }.prefix(limit))
    }

    /// An estimate from the middles and sizes alone.
    private static func roughMisfit(_ corner: FinderPattern, _ a: FinderPattern, _ b: FinderPattern)
        -> (misfit: Float, isClockwise: Bool)?
    {
        let toA = a.centre - corner.centre
        let toB = b.centre - corner.centre
        let lengths = (toA.length, toB.length)
        guard lengths.0 > 0, lengths.1 > 0 else { return nil }
        let cosine = abs(toA.dot(toB)) / (lengths.0 * lengths.1)
        let ratio = max(lengths.0, lengths.1) / min(lengths.0, lengths.1)
        let module = (corner.moduleSize + a.moduleSize + b.moduleSize) / 3
        // They are 14 modules apart in version 1 and 170 in version 40; a tilt shortens one of the two sides.
        guard cosine < 0.8, ratio < 3, max(lengths.0, lengths.1) > 11 * module,
            min(lengths.0, lengths.1) > 5 * module, max(lengths.0, lengths.1) < 220 * module
        else { return nil }
        let sizes = [corner.moduleSize, a.moduleSize, b.moduleSize]
        let spread = (sizes.max() ?? 1) / max(0.1, sizes.min() ?? 1)
        let doubt = Float(12 - corner.directions - a.directions - b.directions)
        let hits = Float(min(4, corner.hits) + min(4, a.hits) + min(4, b.hits))
        let misfit = cosine + 0.5 * (ratio - 1) + 0.8 * (spread - 1) + 0.15 * doubt + 0.03 * (12 - hits)
        return (misfit, toA.cross(toB) > 0)
    }

    init(
        corner: FinderPattern, right: FinderPattern, down: FinderPattern, side: Float,
        foreshortening: (right: Float, down: Float), misfit: Float
    ) {
        self.corner = corner
        self.right = right
        self.down = down
        self.side = side
        self.foreshortening = foreshortening
        self.misfit = misfit
    }

    /// Measures the finder patterns along the sides of the code. Nil if the two sides disagree.
    init?(
        corner: FinderPattern, right: FinderPattern, down: FinderPattern, rough: Float, in view: ContrastView,
        hysteresis: Float
    ) {
        var looks = 0  // not limited: only four profiles are measured
        func length(_ pattern: FinderPattern, _ direction: Vector) -> Float {
            let longer = max(abs(direction.x), abs(direction.y))
            let step = direction * (1 / longer)
            let profile = view.profile(
                at: pattern.centre, along: step, reach: Int(min(400, 3.5 * pattern.moduleSize * 3 + 4)),
                isInverted: pattern.isInverted, hysteresis: hysteresis, looks: &looks)
            return profile?.length ?? 7 * pattern.moduleSize
        }
        let across = right.centre - corner.centre
        let downwards = down.centre - corner.centre
        let (nearAcross, farAcross) = (length(corner, across), length(right, across))
        let (nearDown, farDown) = (length(corner, downwards), length(down, downwards))
        let columns = 7 + 7 * across.length / (nearAcross * farAcross).squareRoot()
        let rows = 7 + 7 * downwards.length / (nearDown * farDown).squareRoot()
        guard columns > 15, rows > 15, columns < 240, rows < 240,
            abs(columns - rows) < 0.3 * max(columns, rows) + 3
        else { return nil }
        self.corner = corner
        self.right = right
        self.down = down
        side = (columns + rows) / 2
        foreshortening = (nearAcross / farAcross, nearDown / farDown)
        misfit = rough + 3 * abs(columns - rows) / max(columns, rows)
    }

    /// The versions that match the measured side, the most likely first.
    var versions: [Int] {
        let middle = (side - 17) / 4
        let spread = max(1, Int(0.08 * middle + 0.8))
        let nearest = Int(middle.rounded())
        let all = (nearest - spread...nearest + spread).filter { (1...40).contains($0) }
        return all.sorted { abs(Float($0) - middle) < abs(Float($1) - middle) }
    }

    /// First guesses for the place of the fourth anchor, `fourth` modules from the top left corner in a code
    /// of `side` modules: with perspective and without.
    func fourthAnchors(side: Int, fourth: Float) -> [Vector] {
        let share = (fourth - 3.5) / Float(side - 7)
        let flat =
            corner.centre + (right.centre - corner.centre) * share + (down.centre - corner.centre) * share
        // The depth of a point is proportional to the square root of a module's size along the slope of the
        // line of sight.
        let depthRight = foreshortening.right.squareRoot()
        let depthDown = foreshortening.down.squareRoot()
        func weight(_ depth: Float) -> Float { max(0.55, min(1.8, depth)) }
        let (w1, w2) = (weight(depthRight), weight(depthDown))
        let w3 = w1 + w2 - 1
        guard w3 > 0.3 else { return [flat] }
        let opposite = (right.centre * w1 + down.centre * w2 - corner.centre) * (1 / w3)
        let places = [Vector(x: 0, y: 0), Vector(x: 1, y: 0), Vector(x: 1, y: 1), Vector(x: 0, y: 1)]
        guard
            let map = Homography(from: places, to: [corner.centre, right.centre, opposite, down.centre])
        else { return [flat] }
        return [map(Vector(x: share, y: share)), flat]
    }
}

extension FinderPattern {
    /// True if both may belong to one code.
    fileprivate func isSimilar(to other: FinderPattern) -> Bool {
        isInverted == other.isInverted && moduleSize < 2.4 * other.moduleSize
            && other.moduleSize < 2.4 * moduleSize
    }
}
