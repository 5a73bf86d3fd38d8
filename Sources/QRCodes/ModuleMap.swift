/// A place in a picture in pixels, or one on a symbol in modules; also a step between two such places.
struct Vector: Equatable {
    var x: Float
    var y: Float

    static func + (a: Vector, b: Vector) -> Vector { Vector(x: a.x + b.x, y: a.y + b.y) }
    static func - (a: Vector, b: Vector) -> Vector { Vector(x: a.x - b.x, y: a.y - b.y) }
    static func * (a: Vector, factor: Float) -> Vector { Vector(x: a.x * factor, y: a.y * factor) }

    var length: Float { (x * x + y * y).squareRoot() }
    func dot(_ other: Vector) -> Float { x * other.x + y * other.y }
    /// Above 0 if `other` lies clockwise from here on a picture, where y grows downwards.
    func cross(_ other: Vector) -> Float { x * other.y - y * other.x }
}

/// A projective map of the plane, its last coefficient 1: a flat thing, seen by a camera.
struct Homography: Equatable {
    var a: Float, b: Float, c: Float
    var d: Float, e: Float, f: Float
    var g: Float, h: Float

    /// The map that takes `from`, four points in order around, to `to`. Nil if three of them are in line.
    init?(from: [Vector], to: [Vector]) {
        guard from.count == 4, to.count == 4, let start = Homography(square: from)?.inverse,
            let end = Homography(square: to)
        else { return nil }
        self = end.after(start)
        guard [a, b, c, d, e, f, g, h].allSatisfy(\.isFinite) else { return nil }
    }

    /// Where (x, y) goes.
    @inline(__always) func callAsFunction(_ p: Vector) -> Vector {
        let scale = 1 / (g * p.x + h * p.y + 1)
        return Vector(x: (a * p.x + b * p.y + c) * scale, y: (d * p.x + e * p.y + f) * scale)
    }

    /// The map of the unit square, (0, 0), (1, 0), (1, 1), (0, 1), to these corners: P. Heckbert,
    /// Fundamentals of Texture Mapping and Image Warping, § 2.2.3.
    private init?(square p: [Vector]) {
        let sum = p[0] - p[1] + p[2] - p[3]
        let u = p[1] - p[2]
        let v = p[3] - p[2]
        let denominator = u.cross(v)
        guard abs(denominator) > 1e-6 else { return nil }
        g = sum.cross(v) / denominator
        h = u.cross(sum) / denominator
        (a, b, c) = (p[1].x - p[0].x + g * p[1].x, p[3].x - p[0].x + h * p[3].x, p[0].x)
        (d, e, f) = (p[1].y - p[0].y + g * p[1].y, p[3].y - p[0].y + h * p[3].y, p[0].y)
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
            (a * first.a + b * first.d + c * first.g) / last, (a * first.b + b * first.e + c * first.h) / last,
            (a * first.c + b * first.f + c) / last
        )
        (result.d, result.e, result.f) = (
            (d * first.a + e * first.d + f * first.g) / last, (d * first.b + e * first.e + f * first.h) / last,
            (d * first.c + e * first.f + f) / last
        )
        (result.g, result.h) = (
            (g * first.a + h * first.d + first.g) / last, (g * first.b + h * first.e + first.h) / last
        )
        return result
    }
}

/// Where the modules of a symbol stand in a picture: a homography, and a bulge for a label on something round.
struct ModuleMap: Equatable {
    /// The places of the four anchors in the picture: the middles of the finder patterns at the top left, top
    /// right and bottom left, and the fourth anchor.
    var anchors: [Vector]
    /// How far the middle of the symbol is pushed aside, in pixels, by bulges along its columns and rows.
    var bulgeAcross = Vector(x: 0, y: 0)
    var bulgeDown = Vector(x: 0, y: 0)

    private let side: Float
    private let places: [Vector]

    /// - Parameters:
    ///   - side: The modules on a side of the symbol.
    ///   - fourth: Where the fourth anchor stands on the diagonal, in modules from the top left corner.
    init(side: Int, fourth: Float, anchors: [Vector]) {
        self.side = Float(side)
        self.anchors = anchors
        let near: Float = 3.5
        let far = Float(side) - 3.5
        // Around, as `Homography` takes them.
        places = [
            Vector(x: near, y: near), Vector(x: far, y: near), Vector(x: fourth, y: fourth), Vector(x: near, y: far),
        ]
    }

    /// The function from modules to pixels, or nil if the anchors make none.
    var function: ModuleFunction? {
        let around = [anchors[0], anchors[1], anchors[3], anchors[2]]
        return Homography(from: places, to: around).map {
            ModuleFunction(homography: $0, across: bulgeAcross * 4, down: bulgeDown * 4, inverseSide: 1 / side)
        }
    }
}

/// From modules, counted from the top left corner of the symbol, to pixels.
struct ModuleFunction {
    let homography: Homography
    fileprivate let across: Vector
    fileprivate let down: Vector
    fileprivate let inverseSide: Float

    @inline(__always) func callAsFunction(_ module: Vector) -> Vector {
        let s = module.x * inverseSide
        let t = module.y * inverseSide
        let p = homography(module)
        let m = s * (1 - s)
        let n = t * (1 - t)
        return Vector(x: p.x + across.x * m + down.x * n, y: p.y + across.y * m + down.y * n)
    }
}
