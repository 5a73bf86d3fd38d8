/// A projective map of the plane with its last coefficient 1: how a camera images a flat surface.
struct Homography: Equatable {
    var a: Float, b: Float, c: Float
    var d: Float, e: Float, f: Float
    var g: Float, h: Float

    /// The map of `from`, four points in order around, to `to`. Nil if three of them are collinear.
    init?(from: [Vector], to: [Vector]) {
        guard from.count == 4, to.count == 4, let start = Homography(toSquare: from) else { return nil }
        self.init(after: start, to: to[0], to[1], to[2], to[3])
    }

    /// The map to the unit square of `from`, four points in order around. Nil if three of them are collinear.
    fileprivate init?(toSquare from: [Vector]) {
        guard from.count == 4, let map = Homography(square: from[0], from[1], from[2], from[3])?.inverse
        else { return nil }
        self = map
    }

    /// The map of `start` to the unit square, and from there to these corners, in order around.
    fileprivate init?(after start: Homography, to p0: Vector, _ p1: Vector, _ p2: Vector, _ p3: Vector) {
        guard let end = Homography(square: p0, p1, p2, p3) else { return nil }
        self = end.after(start)
        guard a.isFinite, b.isFinite, c.isFinite, d.isFinite, e.isFinite, f.isFinite, g.isFinite, h.isFinite
        else { return nil }
    }

    /// The image of the place.
    @inline(__always) func callAsFunction(_ p: Vector) -> Vector {
        let scale = 1 / (g * p.x + h * p.y + 1)
        return Vector(x: (a * p.x + b * p.y + c) * scale, y: (d * p.x + e * p.y + f) * scale)
    }

    /// The map of the unit square, (0, 0), (1, 0), (1, 1), (0, 1), to these corners: P. Heckbert,
    /// Fundamentals of Texture Mapping and Image Warping, § 2.2.3.
    private init?(square p0: Vector, _ p1: Vector, _ p2: Vector, _ p3: Vector) {
        let sum = p0 - p1 + p2 - p3
        let u = p1 - p2
        let v = p3 - p2
        let denominator = u.cross(v)
        guard abs(denominator) > 1e-6 else { return nil }
        g = sum.cross(v) / denominator
        h = u.cross(sum) / denominator
        (a, b, c) = (p1.x - p0.x + g * p1.x, p3.x - p0.x + h * p3.x, p0.x)
        (d, e, f) = (p1.y - p0.y + g * p1.y, p3.y - p0.y + h * p3.y, p0.y)
    }

    private var inverse: Homography? {
        var result = self
        let last = a * e - b * d
        guard abs(last) > 1e-12 else { return nil }
        (result.a, result.b, result.c) = ((e - f * h) / last, (c * h - b) / last, (b * f - c * e) / last)
        (result.d, result.e, result.f) = ((f * g - d) / last, (a - c * g) / last, (c * d - a * f) / last)
        (result.g, result.h) = ((d * h - e * g) / last, (b * g - a * h) / last)
        return result
    }

    /// This map after `first`.
    private func after(_ first: Homography) -> Homography {
        var result = self
        let last = g * first.c + h * first.f + 1
        (result.a, result.b, result.c) = (
            (a * first.a + b * first.d + c * first.g) / last,
            (a * first.b + b * first.e + c * first.h) / last,
            (a * first.c + b * first.f + c) / last
        )
        (result.d, result.e, result.f) = (
            (d * first.a + e * first.d + f * first.g) / last,
            (d * first.b + e * first.e + f * first.h) / last,
            (d * first.c + e * first.f + f) / last
        )
        (result.g, result.h) = (
            (g * first.a + h * first.d + first.g) / last, (g * first.b + h * first.e + first.h) / last
        )
        return result
    }
}

/// The places of a symbol's modules in a picture: a homography, and a bulge for a label on something round.
struct ModuleMap: Equatable {
    /// The places of the four anchors in the picture: the middles of the finder patterns at the top left, top
    /// right and bottom left, and the fourth anchor.
    var anchors: Anchors
    /// How far the middles of the edges are displaced, in pixels, on something round. From there to the
    /// corners the displacement is a parabola.
    var top = Vector(x: 0, y: 0)
    var bottom = Vector(x: 0, y: 0)
    var left = Vector(x: 0, y: 0)
    var right = Vector(x: 0, y: 0)

    /// The mean displacement of the top and bottom edges, and of the left and right ones.
    var across: Vector {
        get { (top + bottom) * 0.5 }
        set { (top, bottom) = (top + newValue - across, bottom + newValue - across) }
    }
    var down: Vector {
        get { (left + right) * 0.5 }
        set { (left, right) = (left + newValue - down, right + newValue - down) }
    }

    /// What a fit moves.
    enum Handle {
        case anchor(Int)
        case across, down, top, bottom, left, right
    }

    mutating func move(_ handle: Handle, by step: Vector) {
        switch handle {
        case .anchor(let index): anchors[index] = anchors[index] + step
        // One after the other: both round the other part of the place too.
        case .across:
            across.x += step.x
            across.y += step.y
        case .down:
            down.x += step.x
            down.y += step.y
        case .top: top = top + step
        case .bottom: bottom = bottom + step
        case .left: left = left + step
        case .right: right = right + step
        }
    }

    private let side: Float
    /// From modules to the unit square of the anchors; nil if three of them are collinear.
    private let toAnchors: Homography?

    /// - Parameters:
    ///   - side: The modules on a side of the symbol.
    ///   - fourth: The place of the fourth anchor on the diagonal, in modules from the top left corner.
    init(side: Int, fourth: Float, anchors: [Vector]) {
        self.side = Float(side)
        self.anchors = Anchors(anchors)
        let near: Float = 3.5
        let far = Float(side) - 3.5
        // In order around, for `Homography`.
        toAnchors = Homography(toSquare: [
            Vector(x: near, y: near), Vector(x: far, y: near), Vector(x: fourth, y: fourth),
            Vector(x: near, y: far),
        ])
    }

    /// True if all anchors are within `distance` pixels of the other map's.
    func isNear(_ other: ModuleMap, within distance: Float) -> Bool {
        (0..<4).allSatisfy { (anchors[$0] - other.anchors[$0]).length < distance }
    }

    /// The function from modules to pixels; nil if three anchors are collinear.
    var function: ModuleFunction? {
        guard let toAnchors,
            let plane = Homography(after: toAnchors, to: anchors[0], anchors[1], anchors[3], anchors[2])
        else { return nil }
        return ModuleFunction(
            homography: plane, top: top * 4, bottom: bottom * 4, left: left * 4, right: right * 4,
            inverseSide: 1 / side)
    }

    /// Four places. A grid is moved thousands of times, and an array would be copied each time.
    struct Anchors: Equatable {
        private var first: Vector
        private var second: Vector
        private var third: Vector
        private var fourth: Vector

        /// `places` has four.
        init(_ places: [Vector]) {
            (first, second, third, fourth) = (places[0], places[1], places[2], places[3])
        }

        /// 0 to 3.
        subscript(index: Int) -> Vector {
            get {
                switch index {
                case 0: first
                case 1: second
                case 2: third
                default: fourth
                }
            }
            set {
                switch index {
                case 0: first = newValue
                case 1: second = newValue
                case 2: third = newValue
                default: fourth = newValue
                }
            }
        }
    }
}

/// Maps places in modules from the top left corner of the symbol to pixels.
protocol ModulePlaces {
    func callAsFunction(_ module: Vector) -> Vector
}

/// The same for eight places at once.
protocol LanePlaces {
    func callAsFunction(x: SIMD8<Float>, y: SIMD8<Float>) -> (x: SIMD8<Float>, y: SIMD8<Float>)
}

/// A homography and a bulge.
struct ModuleFunction: ModulePlaces, LanePlaces {
    let homography: Homography
    fileprivate let top: Vector
    fileprivate let bottom: Vector
    fileprivate let left: Vector
    fileprivate let right: Vector
    fileprivate let inverseSide: Float

    @inline(__always) func callAsFunction(x: SIMD8<Float>, y: SIMD8<Float>) -> (
        x: SIMD8<Float>, y: SIMD8<Float>
    ) {
        let h = homography
        let scale = 1 / (h.g * x + h.h * y + 1)
        let (s, t) = (x * inverseSide, y * inverseSide)
        let (m, n) = (s * (1 - s), t * (1 - t))
        let (mt, mb, nl, nr) = (m * (1 - t), m * t, n * (1 - s), n * s)
        let (atX, atY) = ((h.a * x + h.b * y + h.c) * scale, (h.d * x + h.e * y + h.f) * scale)
        return (
            atX + top.x * mt + bottom.x * mb + left.x * nl + right.x * nr,
            atY + top.y * mt + bottom.y * mb + left.y * nl + right.y * nr
        )
    }

    @inline(__always) func callAsFunction(_ module: Vector) -> Vector {
        let s = module.x * inverseSide
        let t = module.y * inverseSide
        let p = homography(module)
        let m = s * (1 - s)
        let n = t * (1 - t)
        let (mt, mb, nl, nr) = (m * (1 - t), m * t, n * (1 - s), n * s)
        return Vector(
            x: p.x + top.x * mt + bottom.x * mb + left.x * nl + right.x * nr,
            y: p.y + top.y * mt + bottom.y * mb + left.y * nl + right.y * nr)
    }
}
