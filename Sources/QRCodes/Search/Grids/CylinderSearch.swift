import Glibc

/// Looks for the cylinder on which a symbol lies: first the timing patterns between the finder patterns must
/// be seen, which leaves few of many shapes, and then these are fitted to the whole symbol.
struct CylinderSearch {
    private let triple: FinderTriple
    private let view: ContrastView
    private let sign: Float

    /// How well the timing patterns must be seen before a shape is fitted, and how many shapes are.
    private static let leastTiming: Float = 0.25
    private static let mostShapes = 6

    private static let halves: [Float] = [0.4, 0.55, 0.7, 0.85, 1, 1.15]
    private static let angles: [Float] = (0..<12).map { Float($0) * .pi / 12 }
    /// Around what the slant should be, in modules.
    private static let slants: [Float] = [0, -0.08, 0.08, -0.16, 0.16]

    init(_ triple: FinderTriple, in view: ContrastView) {
        (self.triple, self.view, sign) = (triple, view, triple.corner.isInverted ? -1 : 1)
    }

    /// The best fits, at most three, best first.
    func run() -> [FittedGrid<CylinderMap>] {
        // At the sides of a cylinder finder patterns are narrow, so that too many modules seem to lie between
        // them.
        let least = max(1, Int((0.72 * triple.side - 17) / 4))
        let most = min(40, Int((1.05 * triple.side - 17) / 4) + 1)
        guard least <= most else { return [] }
        var shapes: [(match: Float, version: Int, shape: CylinderMap.Shape)] = []
        for version in least...most {
            shapes += self.shapes(of: version).map { ($0.match, version, $0.shape) }
        }
        shapes.sort { $0.match > $1.match }
        let found = shapes.prefix(CylinderSearch.mostShapes).compactMap {
            refined($0.shape, version: $0.version)
        }
        return Array(found.sorted { $0.score.total > $1.score.total }.prefix(3))
    }

    /// The shapes under which the timing patterns are seen best, one for each direction.
    private func shapes(of version: Int) -> [(match: Float, shape: CylinderMap.Shape)] {
        let registration = GridRegistration.of(version)
        let side = registration.patterns.side
        guard let guess = triple.fourthAnchors(side: side, fourth: registration.fourth).last else {
            return []
        }
        let anchors = ModuleMap.Anchors([
            triple.corner.centre, triple.right.centre, triple.down.centre, guess,
        ])
        let timing = ModuleSamples(
            (8..<side - 8).flatMap { place -> [(place: Vector, target: Float)] in
                let (along, target) = (Float(place) + 0.5, place % 2 == 0 ? -sign : sign)
                return [(Vector(x: along, y: 6.5), target), (Vector(x: 6.5, y: along), target)]
            })
        func map(_ shape: CylinderMap.Shape) -> CylinderMap? {
            CylinderMap(shape, side: side, fourth: registration.fourth)
        }
        var best: [(match: Float, shape: CylinderMap.Shape)] = []
        for angle in CylinderSearch.angles {
            var here: (match: Float, shape: CylinderMap.Shape)?
            for half in CylinderSearch.halves {
                for sign in 0...1 {
                    var shape = CylinderMap.Shape(anchors: anchors, angle: angle, half: half)
                    for _ in 0..<2 {
                        guard let map = map(shape) else { continue }
                        shape.slant = map.slants[sign]
                    }
                    let middle = shape.slant
                    for x in CylinderSearch.slants {
                        for y in CylinderSearch.slants {
                            shape.slant = middle + Vector(x: x, y: y) * triple.moduleSize
                            guard let map = map(shape) else { continue }
                            let match = timing.match(map, in: view, softness: 12)
                            if match > here?.match ?? CylinderSearch.leastTiming { here = (match, shape) }
                        }
                    }
                }
            }
            if let here { best.append(here) }
        }
        return best
    }

    /// The shape after each part of it was moved to where it fits best, in ever smaller steps.
    private func refined(_ start: CylinderMap.Shape, version: Int) -> FittedGrid<CylinderMap>? {
        let registration = GridRegistration.of(version)
        let side = registration.patterns.side
        func map(_ shape: CylinderMap.Shape) -> CylinderMap? {
            CylinderMap(shape, side: side, fourth: registration.fourth)
        }
        guard let first = map(start) else { return nil }
        let softness = registration.softness(first, in: view)
        func score(_ map: CylinderMap) -> GridRegistration.Score {
            registration.score(map, in: view, softness: softness, sign: sign)
        }
        var shape = start
        var best = (map: first, score: score(first))
        let pixels = triple.moduleSize
        for share: Float in [1, 0.5, 0.25, 0.12, 0.06] {
            let step = 0.6 * share * pixels
            var moves: [(inout CylinderMap.Shape, Float) -> Void] = []
            for index in [3, 1, 2, 0] {
                moves.append { $0.anchors[index].x += $1 * step }
                moves.append { $0.anchors[index].y += $1 * step }
            }
            moves.append { $0.slant.x += $1 * 0.13 * step }
            moves.append { $0.slant.y += $1 * 0.13 * step }
            moves.append { $0.half += $1 * 0.12 * share }
            moves.append { $0.angle += $1 * 0.2 * share }
            moves.append { $0.perspective += $1 * 0.2 * share }
            for _ in 0..<4 {
                var isBetter = false
                for move in moves {
                    for direction: Float in [1, -1] {
                        var next = shape
                        move(&next, direction)
                        guard let moved = map(next) else { continue }
                        let reached = score(moved)
                        if reached.total > best.score.total + 1e-4 {
                            (shape, best, isBetter) = (next, (moved, reached), true)
                        }
                    }
                }
                if !isBetter { break }
            }
        }
        return FittedGrid(version: version, map: best.map, score: best.score)
    }
}

extension Vector {
    /// The unit vector in this direction.
    init(cosine angle: Float) { self.init(x: cosf(angle), y: sinf(angle)) }
}
