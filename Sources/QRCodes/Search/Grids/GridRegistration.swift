import Synchronization

/// Fits the grid of a version to a picture: moves its anchors until the function patterns are seen where they
/// should be, and the data modules are as clearly light or dark as possible.
struct GridRegistration {
    /// How well a grid fits. Both parts are at most 1, and about 0 at a random place.
    struct Score {
        /// The correlation of the function patterns with the picture.
        var known: Float
        /// How far the data modules are from grey, compared with a grid at a random place.
        var data: Float

        var total: Float { known + 0.5 * data }

        /// That of a map that has no function.
        static let none = Score(known: -1, data: 0)
    }

    /// A grid that fits worse than this after half of the climb is not on a code.
    private static let leastProgress: Float = 0.4

    let patterns: FunctionPatterns
    /// The place of the fourth anchor on the diagonal, in modules: the middle of the last alignment pattern;
    /// without one the place where a fourth finder pattern would be.
    let fourth: Float
    private let known: ModuleSamples
    private let data: ModuleSamples
    private let alignment: [(place: Vector, target: Float)]

    /// Those that were made: a picture is searched several times, and its regions too.
    private static let made = Mutex<[Int: GridRegistration]>([:])

    /// The one for a version, 1 to 40.
    static func of(_ version: Int) -> GridRegistration {
        made.withLock { made in
            if let known = made[version] { return known }
            let new = GridRegistration(version: version)
            made[version] = new
            return new
        }
    }

    private init(version: Int) {
        patterns = FunctionPatterns(version: version)
        let side = patterns.side
        fourth = version >= 2 ? Float(side) - 6.5 : Float(side) - 3.5
        var known: [(place: Vector, target: Float)] = []
        var data: [(place: Vector, target: Float)] = []
        // A sample of about 300 data modules, spread over the symbol.
        let step = max(1, patterns.modules.count { $0 == .data || $0 == .format } / 300)
        var left = step / 2
        for y in 0..<side {
            for x in 0..<side {
                let place = Vector(x: Float(x) + 0.5, y: Float(y) + 0.5)
                switch patterns[x, y] {
                case .light: known.append((place, 1))
                case .dark: known.append((place, -1))
                case .data, .format:
                    if left == 0 {
                        data.append((place, 1))
                        left = step
                    }
                    left -= 1
                }
            }
        }
        // The quiet zone next to the symbol on the two sides of the fourth corner, where no finder pattern
        // holds the grid.
        for step in stride(from: 8, to: side, by: 2) {
            let along = Float(step) + 0.5
            let beyond = Float(side) + 0.6
            known.append((Vector(x: beyond, y: along), 1))
            known.append((Vector(x: along, y: beyond), 1))
        }
        self.known = ModuleSamples(known)
        self.data = ModuleSamples(data)
        let middle = side - 7
        let patterns = patterns
        alignment =
            version < 2
            ? []
            : (-2...2).flatMap { y in
                (-2...2).map { x in
                    (
                        Vector(x: Float(middle + x) + 0.5, y: Float(middle + y) + 0.5),
                        patterns[middle + x, middle + y] == .dark ? -1 : 1
                    )
                }
            }
    }

    /// `softness`: a module with this contrast, in grey levels, counts half. `sign` is −1 for light on dark.
    func score(_ map: ModuleMap, in view: ContrastView, softness: Float, sign: Float) -> Score {
        guard let function = map.function else { return .none }
        return score(function, in: view, softness: softness, sign: sign)
    }

    func score(_ places: some LanePlaces, in view: ContrastView, softness: Float, sign: Float) -> Score {
        Score(
            known: 2 * sign * known.match(places, in: view, softness: softness),
            data: 2 * data.clarity(places, in: view, softness: softness))
    }

    /// The score with the map's own softness. If the function patterns match no better than `least`, the data
    /// modules are not looked at.
    func score(_ map: ModuleMap, in view: ContrastView, sign: Float, least: Float = -1) -> Score {
        guard let function = map.function else { return .none }
        let (match, softness) = known.match(function, in: view)
        let score = 2 * sign * match
        guard score > least else { return Score(known: score, data: 0) }
        return Score(known: score, data: 2 * data.clarity(function, in: view, softness: softness))
    }

    /// The mean contrast of the modules to their surroundings, in grey levels: the scale for this code.
    func softness(_ map: ModuleMap, in view: ContrastView) -> Float {
        map.function.map { softness($0, in: view) } ?? 1
    }

    func softness(_ places: some LanePlaces, in view: ContrastView) -> Float {
        known.match(places, in: view).softness
    }

    /// What a first look at a map counts.
    private var looksAMap: Int { 2 * known.count + data.count }

    /// How clearly the code under a grid is visible.
    struct Clearness: Equatable {
        /// The luma of the quiet zone minus that of the middles of the finder patterns.
        var contrast: Float
        /// How much of that contrast is left where dark and light modules alternate: 1 if sharp, near 0 if
        /// blurred.
        var sharpness: Float
    }

    func clearness(_ map: ModuleMap, in view: ContrastView, sign: Float) -> Clearness {
        guard let function = map.function else { return Clearness(contrast: 0, sharpness: 0) }
        func mean(_ places: [Vector]) -> Float {
            places.reduce(0) { $0 + view.luminance(function($1)) } / Float(max(1, places.count))
        }
        let far = Float(patterns.side)
        let dark = mean([
            Vector(x: 3.5, y: 3.5), Vector(x: far - 3.5, y: 3.5), Vector(x: 3.5, y: far - 3.5),
        ])
        let light = mean([
            Vector(x: -0.7, y: 3.5), Vector(x: 3.5, y: -0.7), Vector(x: far + 0.7, y: 3.5),
            Vector(x: 3.5, y: far + 0.7),
        ])
        func timing(from first: Int) -> [Vector] {
            stride(from: first, to: patterns.side - 8, by: 2).flatMap {
                [Vector(x: Float($0) + 0.5, y: 6.5), Vector(x: 6.5, y: Float($0) + 0.5)]
            }
        }
        let contrast = (light - dark) * sign
        let alternating = (mean(timing(from: 9)) - mean(timing(from: 8))) * sign
        return Clearness(contrast: contrast, sharpness: alternating / max(1, contrast))
    }

    /// The first maps, best first: with the fourth anchor where an alignment pattern seems to be, and where
    /// the perspective says it should be. `looks` grows by the places looked at.
    func starts(_ triple: FinderTriple, in view: ContrastView, looks: inout Int) -> [(
        map: ModuleMap, score: Score
    )] {
        let sign: Float = triple.corner.isInverted ? -1 : 1
        var found: [(map: ModuleMap, score: Score)] = []
        for guess in triple.fourthAnchors(side: patterns.side, fourth: fourth) {
            let anchors = [triple.corner.centre, triple.right.centre, triple.down.centre, guess]
            let map = ModuleMap(side: patterns.side, fourth: fourth, anchors: anchors)
            looks += looksAMap
            // By now the finder patterns and the timing patterns between them must match.
            let promise = score(map, in: view, sign: sign, least: 0.2)
            guard promise.known > 0.2 else { continue }
            found.append((map, promise))
            let moved = alignmentsSeen(near: map, triple: triple, in: view, sign: sign, looks: &looks)
            found += moved.map { ($0, score($0, in: view, sign: sign)) }
            looks += (1 + moved.count) * looksAMap
        }
        return found.sorted { $0.score.total > $1.score.total }
    }

    /// The map with its fourth anchor moved to nearby places that look most like an alignment pattern.
    private func alignmentsSeen(
        near map: ModuleMap, triple: FinderTriple, in view: ContrastView, sign: Float, looks: inout Int
    ) -> [ModuleMap] {
        guard !alignment.isEmpty, let function = map.function else { return [] }
        let middle = function(Vector(x: fourth, y: fourth))
        let pattern = ModuleSamples(alignment.map { (function($0.place) - middle, $0.target * sign) })
        let across = function(Vector(x: fourth + 0.5, y: fourth)) - middle
        let down = function(Vector(x: fourth, y: fourth + 0.5)) - middle
        let reach = min(14, 6 + patterns.side / 10)
        looks += (2 * reach + 1) * (2 * reach + 1) * alignment.count
        var best: [(match: Float, place: Vector)] = []
        for row in -reach...reach {
            for column in -reach...reach {
                let place = middle + across * Float(column) + down * Float(row)
                let match = pattern.match(at: place, in: view)
                guard match > 0.4 else { continue }
                let radius = 1.6 * max(across.length, down.length)
                if let near = best.firstIndex(where: { ($0.place - place).length < radius }) {
                    if best[near].match < match { best[near] = (match, place) }
                } else {
                    best.append((match, place))
                }
            }
        }
        best.sort { $0.match > $1.match }
        return best.prefix(3).map { found in
            var moved = map
            moved.anchors[3] = found.place
            return moved
        }
    }

    /// The map after its anchors, and then its bulges, were moved to where they fit best, in ever smaller
    /// steps. `looks` grows by the places looked at.
    func refined(
        _ start: ModuleMap, moduleSize: Float, in view: ContrastView, sign: Float, looks: inout Int
    ) -> (map: ModuleMap, score: Score) {
        var map = start
        let softness = softness(map, in: view)
        var best = score(map, in: view, softness: softness, sign: sign)
        func climb(_ handle: ModuleMap.Handle, _ size: Float) -> Bool {
            var moved = false
            for direction in 0..<4 {
                let step = direction & 1 == 0 ? size : -size
                var next = map
                next.move(handle, by: direction < 2 ? Vector(x: step, y: 0) : Vector(x: 0, y: step))
                let reached = score(next, in: view, softness: softness, sign: sign)
                looks += known.count + data.count
                if reached.total > best.total + 1e-4 {
                    (map, best, moved) = (next, reached, true)
                }
            }
            return moved
        }
        for (index, share) in [Float(0.6), 0.3, 0.15, 0.07].enumerated() {
            for _ in 0..<3 {
                var moved = false
                for anchor in [3, 1, 2, 0] where climb(.anchor(anchor), share * moduleSize) { moved = true }
                if climb(.across, share * moduleSize) { moved = true }
                if climb(.down, share * moduleSize) { moved = true }
                if index >= 2 {
                    for edge in [ModuleMap.Handle.top, .bottom, .left, .right]
                    where climb(edge, share * moduleSize) {
                        moved = true
                    }
                }
                if !moved { break }
            }
            if index == 1, best.known < GridRegistration.leastProgress { break }
        }
        return (map, best)
    }
}
