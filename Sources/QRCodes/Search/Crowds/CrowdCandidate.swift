import Glibc

/// Three finder patterns near each other and a version, with how well the timing patterns between them are
/// seen (ISO/IEC 18004 § 6.3.5): dark and light in turn, which patterns of different codes rarely have.
struct CrowdCandidate {
    /// The limits of the work.
    struct Limits: Equatable {
        /// With how many of its neighbours a pattern is combined.
        var neighbours = 20
        /// How many places of the picture are looked at to judge combinations by their timing patterns, at
        /// about 7 ns each.
        var looks = 6_000_000
        /// How many combinations are tried.
        var tried = 4000
    }

    let triple: FinderTriple
    let version: Int
    /// How well the timing patterns match; 1 is perfect, and about 0 at a random place.
    let match: Float

    /// A candidate with a lower match is not tried.
    private static let leastMatch: Float = 0.35
    /// A rough triple with a higher misfit is not judged.
    private static let mostMisfit: Float = 1.1

    /// The candidates among `patterns`, best first.
    static func among(_ patterns: [FinderPattern], limits: Limits, in view: ContrastView)
        -> [CrowdCandidate]
    {
        var rough: [Rough] = []
        for (index, corner) in patterns.enumerated() {
            let near = neighbours(of: index, in: patterns, limit: limits.neighbours)
            for (place, first) in near.enumerated() {
                for second in near.dropFirst(place + 1) {
                    if let one = Rough(corner, patterns[first], patterns[second]) { rough.append(one) }
                }
            }
        }
        rough.sort { $0.misfit < $1.misfit }
        var candidates: [CrowdCandidate] = []
        var looks = 0
        for one in rough {
            for version in one.versions where looks < limits.looks {
                let candidate = CrowdCandidate(one, version: version, in: view, looks: &looks)
                if candidate.match > leastMatch { candidates.append(candidate) }
            }
        }
        // Doubtful shapes come later, at the same match.
        candidates.sort { $0.match - 0.3 * $0.triple.misfit > $1.match - 0.3 * $1.triple.misfit }
        return Array(candidates.prefix(limits.tried))
    }

    /// The nearest patterns that may belong to the same code as one of them.
    private static func neighbours(of index: Int, in patterns: [FinderPattern], limit: Int) -> [Int] {
        let corner = patterns[index]
        var near: [(distance: Float, index: Int)] = []
        for (other, pattern) in patterns.enumerated()
        where other != index && pattern.isInverted == corner.isInverted
            && pattern.moduleSize < 1.7 * corner.moduleSize && corner.moduleSize < 1.7 * pattern.moduleSize
        {
            let distance = (pattern.centre - corner.centre).length
            let modules = 2 * distance / (pattern.moduleSize + corner.moduleSize)
            // 14 in version 1 and 170 in version 40; a tilt shortens one of the sides.
            if modules > 9, modules < 220 { near.append((distance, other)) }
        }
        return near.sorted { ($0.distance, $0.index) < ($1.distance, $1.index) }.prefix(limit).map(\.index)
    }

    /// Three patterns in the roles that their places suggest.
    private struct Rough {
        let corner: FinderPattern
        let right: FinderPattern
        let down: FinderPattern
        let misfit: Float
        /// The modules on a side.
        let side: Float

        init?(_ corner: FinderPattern, _ first: FinderPattern, _ second: FinderPattern) {
            let (a, b) = (first.centre - corner.centre, second.centre - corner.centre)
            let lengths = (a.length, b.length)
            let cosine = abs(a.dot(b)) / (lengths.0 * lengths.1)
            let ratio = max(lengths.0, lengths.1) / min(lengths.0, lengths.1)
            let sizes = (corner.moduleSize, first.moduleSize, second.moduleSize)
            let spread = max(sizes.0, sizes.1, sizes.2) / min(sizes.0, sizes.1, sizes.2)
            misfit = cosine + (ratio - 1) + 0.4 * (spread - 1)
            // False for NaN too.
            guard cosine < 0.6, ratio < 1.8, spread < 1.8, misfit < CrowdCandidate.mostMisfit else {
                return nil
            }
            let isClockwise = a.cross(b) > 0
            self.corner = corner
            (right, down) = isClockwise ? (first, second) : (second, first)
            side = 7 + 1.5 * (lengths.0 + lengths.1) / (sizes.0 + sizes.1 + sizes.2)
        }

        /// How much farther away the right and the lower pattern are than the corner, by their sizes, as a
        /// factor; nil if there is no perspective that matters.
        var depths: (right: Float, down: Float)? {
            // A size along the slope shrinks with the square of the distance, and one across it with the
            // distance.
            func depth(_ pattern: FinderPattern) -> Float {
                let ratio = corner.moduleSize / pattern.moduleSize
                return cbrt(ratio * ratio)
            }
            let depths = (right: depth(right), down: depth(down))
            return abs(depths.right - 1) + abs(depths.down - 1) > 0.06 ? depths : nil
        }

        /// The versions that match the measured side.
        var versions: ClosedRange<Int> {
            let middle = (side - 17) / 4
            let spread = 1 + 0.12 * max(0, middle)
            let low = max(1, min(40, Int((middle - spread).rounded())))
            return low...max(low, min(40, Int((middle + spread).rounded())))
        }
    }

    private init(_ rough: Rough, version: Int, in view: ContrastView, looks: inout Int) {
        self.version = version
        triple = FinderTriple(
            corner: rough.corner, right: rough.right, down: rough.down, side: Float(17 + 4 * version),
            foreshortening: (1, 1), misfit: rough.misfit)
        let side = 17 + 4 * version
        let flat = CrowdCandidate.match(triple, side: side, depths: (1, 1), in: view, looks: &looks)
        // Most are flat, or nearly so, and the sizes of their patterns differ by noise only.
        guard flat <= CrowdCandidate.leastMatch, let depths = rough.depths else {
            match = flat
            return
        }
        match = CrowdCandidate.match(triple, side: side, depths: depths, in: view, looks: &looks)
    }

    /// How well both timing patterns match, with the light separators at their ends. The worse one counts
    /// half: it may be damaged. 0 if it is certain, or nearly so, before all of them was looked at, that the
    /// match is too low: so it is for most combinations.
    ///
    /// - Parameter depths: how much farther away the right and the lower pattern are than the corner, as a
    ///   factor; 1 without perspective.
    private static func match(
        _ triple: FinderTriple, side: Int, depths: (right: Float, down: Float), in view: ContrastView,
        looks: inout Int
    ) -> Float {
        let step = 1 / Float(side - 7)
        let corner = triple.corner.centre
        let sign: Float = triple.corner.isInverted ? -1 : 1
        func match(
            _ far: Vector, _ depth: Float, aside: Vector, _ asideDepth: Float, through last: Int
        ) -> Float {
            // The timing pattern is 3 modules beside the middles of the finder patterns.
            let beside = 3 * step
            let besideWeight = beside * asideDepth
            let base = corner * (1 - beside) + aside * besideWeight
            let along = far * depth - corner
            var (sum, size) = (SIMD8<Float>(), SIMD8<Float>())
            // It begins with the separator: the modules with odd numbers are light.
            let targets = SIMD8(1, -1, 1, -1, 1, -1, 1, -1) * sign
            // Noise and a glare must not outweigh the rest.
            let most = SIMD8<Float>(repeating: 60)
            for first in stride(from: 7, through: last, by: 8) {
                let module = Float(first) + SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7)
                let way = (module - 3) * step
                let weight = 1 / (1 - beside + besideWeight + way * (depth - 1))
                let value = view.contrasts(
                    x: (base.x + along.x * way) * weight, y: (base.y + along.y * way) * weight)
                let bounded = value.clamped(lowerBound: -most, upperBound: most)
                    .replacing(with: 0, where: module .> Float(last))
                sum += targets * bounded
                size += bounded.magnitudes
            }
            looks += last - 6
            return sum.sum() / (size.sum() + 1e-3)
        }
        func across(_ last: Int) -> Float {
            match(triple.right.centre, depths.right, aside: triple.down.centre, depths.down, through: last)
        }
        func downwards(_ last: Int) -> Float {
            match(triple.down.centre, depths.down, aside: triple.right.centre, depths.right, through: last)
        }
        // Beside the corner the step counts least, so that both begin well if they are seen at all.
        let early = min(12, side - 8)
        guard across(early) + downwards(early) > 0 else { return 0 }
        let one = across(side - 8)
        // Even if the other one were perfect.
        guard 1 + 2 * one > 3 * leastMatch else { return 0 }
        let other = downwards(side - 8)
        return (max(one, other) + 2 * min(one, other)) / 3
    }

    /// The first map: flat, without perspective.
    func flatMap(_ registration: GridRegistration) -> ModuleMap {
        let share = (registration.fourth - 3.5) / Float(registration.patterns.side - 7)
        let corner = triple.corner.centre
        let fourth = corner + (triple.right.centre - corner) * share + (triple.down.centre - corner) * share
        return ModuleMap(
            side: registration.patterns.side, fourth: registration.fourth, anchors: triple.centres + [fourth])
    }

    /// The triple with the perspective that its patterns show, if they can be measured.
    func measured(in view: ContrastView, hysteresis: Float) -> FinderTriple {
        FinderTriple(
            corner: triple.corner, right: triple.right, down: triple.down, rough: triple.misfit, in: view,
            hysteresis: hysteresis) ?? triple
    }
}
