/// Completes two finder patterns with the third one, if glare, dirt or noise hides it.
///
/// An affine frame is fitted to both patterns: it maps modules to pixels around them. For each of the six
/// possible roles of the two patterns it gives the expected place of the third one. Near that place, the
/// point that looks most like a finder pattern in the frame is used.
struct FinderCompletion {
    /// The minimum match of a finder pattern; 1 is perfect.
    private static let minimumMatch: Float = 0.3

    /// With a higher match than this, both patterns are sure.
    private static let sureMatch: Float = 0.7

    private let view: ContrastView
    private let template: [(place: Vector, target: Float)]
    /// All of it, and a part.
    private let fine: Points
    private let coarse: Points

    /// Places in modules from a middle, and what is expected there, four at a time.
    private struct Points {
        let count: Int
        /// The last four are filled up with places where nothing is expected.
        let lanes: [(x: SIMD4<Float>, y: SIMD4<Float>, target: SIMD4<Float>)]

        init(_ points: [(place: Vector, target: Float)]) {
            count = points.count
            lanes = stride(from: 0, to: points.count, by: 4).map { start in
                let rest = points[start...].prefix(4)
                let four = rest + repeatElement((place: Vector(x: 0, y: 0), target: 0), count: 4 - rest.count)
                return (
                    SIMD4(four.map(\.place.x)), SIMD4(four.map(\.place.y)), SIMD4(four.map(\.target))
                )
            }
        }
    }

    /// A step by one module along a row and along a column, in pixels.
    private struct Frame {
        var across: Vector
        var down: Vector
        var match: Float
        var area: Float { abs(across.cross(down)) }
    }

    init(in view: ContrastView) {
        self.view = view
        func target(_ x: Int, _ y: Int) -> Float { [2, 4].contains(max(abs(x), abs(y))) ? 1 : -1 }
        template = (-4...4).flatMap { y in
            (-4...4).map { x in (Vector(x: Float(x), y: Float(y)), target(x, y)) }
        }
        // The middle, and eight directions through the rings.
        fine = Points(template)
        coarse = Points(
            template.filter { point in
                let (x, y) = (abs(point.place.x), abs(point.place.y))
                return (x == 0 || y == 0 || x == y) && max(x, y) != 1
            })
    }

    /// Triples of two of `patterns` (best first) and a third one that was searched; from at most `limit`
    /// pairs, and until `looks` places were looked at.
    func triples(_ patterns: [FinderPattern], limit: Int, looks maximumLooks: Int) -> [FinderTriple] {
        var pairs: [(misfit: Float, first: FinderPattern, second: FinderPattern)] = []
        for (index, first) in patterns.enumerated() {
            for second in patterns.dropFirst(index + 1) where first.isInverted == second.isInverted {
                let ratio =
                    max(first.moduleSize, second.moduleSize)
                    / max(0.1, min(first.moduleSize, second.moduleSize))
                let modules =
                    2 * (first.centre - second.centre).length / (first.moduleSize + second.moduleSize)
                guard ratio < 1.9, modules > 9, modules < 120 else { continue }
                pairs.append((ratio - 0.15 * (first.rank + second.rank), first, second))
            }
        }
        pairs.sort { $0.misfit < $1.misfit }
        var looks = 0
        var triples: [FinderTriple] = []
        for pair in pairs.prefix(limit) where looks < maximumLooks {
            triples += completed(pair.first, pair.second, looks: &looks)
        }
        return Array(triples.sorted { $0.misfit < $1.misfit }.prefix(2 * limit))
    }

    private func completed(_ p: FinderPattern, _ q: FinderPattern, looks: inout Int) -> [FinderTriple] {
        let sign: Float = p.isInverted ? -1 : 1
        let softness = max(
            1,
            template.reduce(Float(0)) {
                $0 + abs(view.contrast(p.centre + $1.place * p.moduleSize))
                    + abs(view.contrast(q.centre + $1.place * q.moduleSize))
            } / Float(2 * template.count))
        func match(_ centre: Vector, _ frame: Frame, _ points: Points) -> Float {
            var sum: Float = 0
            looks += points.count
            points.lanes.withUnsafeBufferPointer { lanes in
                for (x, y, target) in lanes {
                    let values =
                        view.contrasts(
                            x: centre.x + frame.across.x * x + frame.down.x * y,
                            y: centre.y + frame.across.y * x + frame.down.y * y) * sign
                    let terms = target * values / (values.magnitudes + softness)
                    sum = terms.added(to: sum)
                }
            }
            return 2 * sum / Float(points.count)
        }
        /// The worse of the two matches; at most `least` instead, if the first one is: the second one is
        /// then counted as looked at, and not looked at.
        func both(_ frame: Frame, least: Float = -.infinity) -> Float {
            let first = match(p.centre, frame, fine)
            guard first > least else {
                looks += fine.count
                return first
            }
            return min(first, match(q.centre, frame, fine))
        }

        let line = q.centre - p.centre
        let module = (p.moduleSize + q.moduleSize) / 2
        let along = line * (module / max(1e-3, line.length))
        let aside = Vector(x: -along.y, y: along.x)
        // The pair as a side of the code, foreshortened or slanted to some degree, or as its diagonal.
        var frames: [(frame: Frame, isDiagonal: Bool)] = []
        for (length, width, slant) in [(1, 1, 0), (0.8, 1.3, 0), (1.3, 0.8, 0), (1, 1, 0.4), (1, 1, -0.4)]
            as [(Float, Float, Float)]
        {
            let side = Frame(across: along * length, down: aside * width + along * slant, match: 0)
            frames.append((side, false))
        }
        for (length, width) in [(0.71, 0.71), (0.9, 0.55), (0.55, 0.9)] as [(Float, Float)] {
            // From the right pattern to the bottom left one the diagonal is a column down minus a row across.
            let diagonal = Frame(
                across: along * -length - aside * width, down: along * length - aside * width, match: 0)
            frames.append((diagonal, true))
        }
        for index in frames.indices { frames[index].frame.match = both(frames[index].frame) }
        frames.sort { $0.frame.match > $1.frame.match }

        var triples: [FinderTriple] = []
        for start in frames.prefix(2) {
            var frame = start.frame
            for size in [Float(0.16), 0.08] {
                for _ in 0..<2 {
                    var moved = false
                    for axis in 0..<4 {
                        for step in [size * module, -size * module] {
                            var next = frame
                            switch axis {
                            case 0: next.across.x += step
                            case 1: next.across.y += step
                            case 2: next.down.x += step
                            default: next.down.y += step
                            }
                            next.match = both(next, least: frame.match)
                            if next.match > frame.match { (frame, moved) = (next, true) }
                        }
                    }
                    if !moved { break }
                }
            }
            guard frame.match > FinderCompletion.minimumMatch, frame.area > 0.3 else { continue }
            triples += thirds(p, q, frame, isDiagonal: start.isDiagonal) {
                match($0, frame, $1 ? coarse : fine)
            }
        }
        return triples
    }

    /// The triples of the pair in a frame, with the third pattern where it was found.
    private func thirds(
        _ p: FinderPattern, _ q: FinderPattern, _ frame: Frame, isDiagonal: Bool,
        _ match: (Vector, Bool) -> Float
    ) -> [FinderTriple] {
        let line = q.centre - p.centre
        // The rows and columns between the two.
        let determinant = frame.across.cross(frame.down)
        let columns = line.cross(frame.down) / determinant
        let rows = frame.across.cross(line) / determinant
        let count = isDiagonal ? (abs(columns) + abs(rows)) / 2 : abs(columns)
        guard count > 11, count < 110 else { return [] }
        var guesses:
            [(place: Vector, roles: (FinderPattern) -> (FinderPattern, FinderPattern, FinderPattern))] = []
        if isDiagonal {
            // The corner is on either side of the diagonal: to the left of the right pattern, or below it.
            guesses.append((p.centre - frame.across * count, { ($0, p, q) }))
            guesses.append((p.centre + frame.down * count, { ($0, q, p) }))
        } else {
            let down = frame.down * count
            guesses.append((p.centre + down, { (p, q, $0) }))
            guesses.append((q.centre + down, { (q, $0, p) }))
            guesses.append((p.centre - down, { (p, $0, q) }))
            guesses.append((q.centre - down, { (q, p, $0) }))
        }
        let reach = Int((2 + 0.14 * count) / 0.7)
        return guesses.compactMap { guess in
            var best: (match: Float, place: Vector) = (-1, guess.place)
            for row in -reach...reach {
                for column in -reach...reach {
                    let place =
                        guess.place + frame.across * (Float(column) * 0.7) + frame.down * (Float(row) * 0.7)
                    let found = match(place, true)
                    if found > best.match { best = (found, place) }
                }
            }
            best.match = match(best.place, false)
            for size in [Float(0.35), 0.15] {
                for (x, y) in [(1, 0), (-1, 0), (0, 1), (0, -1)] as [(Float, Float)] {
                    let place = best.place + frame.across * (x * size) + frame.down * (y * size)
                    let found = match(place, false)
                    if found > best.match { best = (found, place) }
                }
            }
            if best.match <= FinderCompletion.minimumMatch {
                // The third one is hidden completely. If the other two are sure, it is at the place that
                // follows from them.
                guard frame.match > FinderCompletion.sureMatch else { return nil }
                best = (0, guess.place)
            }
            let third = FinderPattern(
                centre: best.place, moduleSize: frame.area.squareRoot(), isInverted: p.isInverted,
                directions: 2)
            let (corner, right, down) = guess.roles(third)
            guard (right.centre - corner.centre).cross(down.centre - corner.centre) > 0 else { return nil }
            return FinderTriple(
                corner: corner, right: right, down: down, side: count + 7, foreshortening: (1, 1),
                misfit: 2 - best.match)
        }
    }
}
