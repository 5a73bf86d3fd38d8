import Glibc

/// Looks for how the camera shook while a symbol's rows were taken: first a wave under which the finder
/// patterns and the timing patterns between them are seen, as a hand swings; then its displacement is fitted
/// row by row to the whole symbol.
struct ShutterSearch {
    private let triple: FinderTriple
    private let view: ContrastView
    private let sign: Float

    /// A wave, and where a still camera would have seen the anchors.
    fileprivate struct Shape {
        var anchors: ModuleMap.Anchors
        let isUpright: Bool
        /// Radians a pixel.
        var pulse: Float
        var sine = Vector(x: 0, y: 0)
        var cosine = Vector(x: 0, y: 0)
    }

    /// Where the patterns are seen under a wave.
    struct Candidate {
        let match: Float
        let version: Int
        fileprivate let shape: Shape
    }

    /// How well the patterns must be seen before a shape is fitted, and how many shapes are.
    private static let leastMatch: Float = 0.35
    private static let mostShapes = 6
    /// Larger symbols have more waves than are tried.
    private static let largestVersion = 10

    /// Waves of 11 to 50 modules, and how far they go to each side, in modules.
    private static let frequencies: [Float] = (0..<10).map { 0.02 + 0.0078 * Float($0) }
    private static let heights: [Float] = [0.5, 1, 1.5, 2, 2.5, 3]

    init(_ triple: FinderTriple, in view: ContrastView) {
        (self.triple, self.view, sign) = (triple, view, triple.corner.isInverted ? -1 : 1)
    }

    /// Those to be fitted, the likeliest first.
    func candidates() -> [Candidate] {
        // A side may be seen longer or shorter by the height of the wave.
        let least = max(1, Int((0.85 * triple.side - 17) / 4))
        let most = min(ShutterSearch.largestVersion, Int((1.2 * triple.side - 17) / 4))
        guard least <= most else { return [] }
        let found = (least...most).flatMap { version in
            [false, true].flatMap { candidates(of: version, isUpright: $0) }
        }
        return Array(found.sorted { $0.match > $1.match }.prefix(ShutterSearch.mostShapes))
    }

    private var pixels: Float { triple.moduleSize }

    /// Along the rows.
    private func along(_ place: Vector, _ isUpright: Bool) -> Float { isUpright ? place.x : place.y }

    private func middle(_ isUpright: Bool) -> Float {
        along((triple.right.centre + triple.down.centre) * 0.5, isUpright)
    }

    private func path(_ shape: Shape, side: Int) -> ShutterMap.Path {
        let middle = middle(shape.isUpright)
        let reach = (0.75 * Float(side) + 4) * pixels
        var path = ShutterMap.Path(
            isUpright: shape.isUpright, from: middle - reach, length: 2 * reach, spacing: 0.75 * pixels)
        path.swing(pulse: shape.pulse, from: middle, sine: shape.sine, cosine: shape.cosine)
        return path
    }

    private func still(_ shape: Shape, _ registration: GridRegistration) -> ModuleMap {
        ModuleMap(
            side: registration.patterns.side, fourth: registration.fourth,
            anchors: (0..<4).map { shape.anchors[$0] })
    }

    /// The waves across the rows under which the patterns are seen best.
    private func candidates(of version: Int, isUpright: Bool) -> [Candidate] {
        let registration = GridRegistration.of(version)
        let side = registration.patterns.side
        let patterns = patterns(registration.patterns)
        let share = (registration.fourth - 3.5) / Float(side - 7)
        let middle = middle(isUpright)
        var best: [Candidate] = []
        for frequency in ShutterSearch.frequencies {
            for height in ShutterSearch.heights {
                let count = max(8, Int(4 * .pi * height))
                var here: Candidate?
                for phase in 0..<count {
                    let swing = Vector(cosine: 2 * .pi * Float(phase) / Float(count)) * (height * pixels)
                    let pulse = 2 * .pi * frequency / pixels
                    // Across the rows, so that it is known in which row a finder pattern is seen.
                    let places = triple.centres.map { centre in
                        let turn = pulse * (along(centre, isUpright) - middle)
                        let shift = swing.x * sinf(turn) + swing.y * cosf(turn)
                        return centre - (isUpright ? Vector(x: 0, y: shift) : Vector(x: shift, y: 0))
                    }
                    let fourth = places[0] + (places[1] - places[0] + places[2] - places[0]) * share
                    let shape = Shape(
                        anchors: ModuleMap.Anchors(places + [fourth]), isUpright: isUpright, pulse: pulse,
                        sine: isUpright ? Vector(x: 0, y: swing.x) : Vector(x: swing.x, y: 0),
                        cosine: isUpright ? Vector(x: 0, y: swing.y) : Vector(x: swing.y, y: 0))
                    guard let map = ShutterMap(still(shape, registration), path(shape, side: side)) else {
                        continue
                    }
                    let match = patterns.match(map, in: view, softness: 12)
                    if match > here?.match ?? ShutterSearch.leastMatch {
                        here = Candidate(match: match, version: version, shape: shape)
                    }
                }
                if let here { best.append(here) }
            }
        }
        return Array(best.sorted { $0.match > $1.match }.prefix(ShutterSearch.mostShapes))
    }

    /// The timing patterns, and every second module of the finder patterns.
    private func patterns(_ patterns: FunctionPatterns) -> ModuleSamples {
        let side = patterns.side
        var samples: [(place: Vector, target: Float)] = []
        for y in 0..<side {
            for x in 0..<side {
                let isFinder = (x < 8 || x >= side - 8) && (y < 8 || y >= side - 8) && (x < 8 || y < 8)
                guard isFinder ? (x + y) % 2 == 0 : x == 6 || y == 6 else { continue }
                switch patterns[x, y] {
                case .light: samples.append((Vector(x: Float(x) + 0.5, y: Float(y) + 0.5), sign))
                case .dark: samples.append((Vector(x: Float(x) + 0.5, y: Float(y) + 0.5), -sign))
                case .data, .format: continue
                }
            }
        }
        return ModuleSamples(samples)
    }

    /// The shape after each part of it was moved to where it fits best, in ever smaller steps, and then the
    /// displacement of rows. Nil if it fits nowhere.
    func refined(_ candidate: Candidate) -> FittedGrid<ShutterMap>? {
        let (version, start) = (candidate.version, candidate.shape)
        let registration = GridRegistration.of(version)
        let side = registration.patterns.side
        func map(_ shape: Shape) -> ShutterMap? {
            ShutterMap(self.still(shape, registration), self.path(shape, side: side))
        }
        guard let first = map(start) else { return nil }
        let softness = registration.softness(first, in: view)
        func score(_ map: ShutterMap) -> GridRegistration.Score {
            registration.score(map, in: view, softness: softness, sign: sign)
        }
        var shape = start
        var best = (map: first, score: score(first))
        func attempt(_ next: Shape) -> Bool {
            guard let moved = map(next) else { return false }
            let reached = score(moved)
            guard reached.total > best.score.total + 1e-4 else { return false }
            (shape, best) = (next, (moved, reached))
            return true
        }
        // Perspective moves the fourth anchor most.
        for row in -4...4 {
            for column in -4...4 {
                var next = start
                next.anchors[3] = start.anchors[3] + Vector(x: Float(column), y: Float(row)) * (0.8 * pixels)
                _ = attempt(next)
            }
        }
        for share: Float in [1, 0.5, 0.25, 0.12] {
            let step = 0.6 * share * pixels
            var moves: [(inout Shape, Float) -> Void] = []
            for index in [3, 1, 2, 0] {
                moves.append { $0.anchors[index].x += $1 * step }
                moves.append { $0.anchors[index].y += $1 * step }
            }
            moves.append { $0.sine.x += $1 * step }
            moves.append { $0.sine.y += $1 * step }
            moves.append { $0.cosine.x += $1 * step }
            moves.append { $0.cosine.y += $1 * step }
            moves.append { $0.pulse *= 1 + $1 * 0.1 * share }
            for _ in 0..<4 {
                var isBetter = false
                for move in moves {
                    for direction: Float in [1, -1] {
                        var next = shape
                        move(&next, direction)
                        if attempt(next) { isBetter = true }
                    }
                }
                if !isBetter { break }
            }
        }
        guard best.score.known > ShutterSearch.leastMatch else { return nil }
        var path = self.path(shape, side: side)
        let still = self.still(shape, registration)
        for (width, share) in [(Float(6), Float(0.4)), (4, 0.2), (3, 0.1)] {
            for _ in 0..<3 {
                var isBetter = false
                for middle in stride(from: path.start, to: path.end, by: width / 2 * pixels) {
                    for (x, y) in [(share, Float(0)), (-share, 0), (0, share), (0, -share)] {
                        var next = path
                        next.bend(by: Vector(x: x, y: y) * pixels, at: middle, width: width * pixels)
                        guard let moved = ShutterMap(still, next) else { continue }
                        let reached = score(moved)
                        if reached.total > best.score.total + 1e-4 {
                            (path, best, isBetter) = (next, (moved, reached), true)
                        }
                    }
                }
                if !isBetter { break }
            }
        }
        return FittedGrid(version: version, map: best.map, score: best.score)
    }
}
