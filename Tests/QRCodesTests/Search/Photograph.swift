@testable import QRCodes

/// A computed photograph of a code. It has only the defects that a test sets.
struct Photograph {
    var width = 320
    var height = 240
    /// The corners of the symbol in the picture: top left, top right, bottom right, bottom left.
    var corners: [Vector] = [
        Vector(x: 90, y: 50), Vector(x: 230, y: 50), Vector(x: 230, y: 190), Vector(x: 90, y: 190),
    ]
    /// The luma of dark and of light modules.
    var dark: Float = 30
    var light: Float = 220
    /// How many times it is smoothed by 1 2 1; the deviation of the blur is √(times / 2) pixels.
    var blur = 0
    /// How much darker the right edge is than the left one, as a share.
    var slope: Float = 0
    /// How far the middle of each row is moved down, in modules: a label on a pipe.
    var bulge: Float = 0
    /// Uniform noise of plus or minus this many grey levels.
    var noise: Float = 0
    /// Squares of modules, as column, row and side, that are painted grey.
    var blots: [(x: Float, y: Float, side: Float)] = []

    static let payload = Array(
        "HUBPAIR:0123456789ABCDEFGHJKMNPQRSTVWXYZ0123456789ABCDEFGHJKMNPQRSTVWXYZ0123456789".utf8)

    /// Corners of a square of `side` pixels around the middle, turned clockwise by `degrees`.
    static func corners(side: Float, turned degrees: Float, around middle: Vector = Vector(x: 160, y: 120))
        -> [Vector]
    {
        let angle = degrees / 180 * Float.pi
        let (c, s) = (cosine(angle) * side / 2, cosine(angle - .pi / 2) * side / 2)
        return [(-1, -1), (1, -1), (1, 1), (-1, 1)].map { (x: Float, y: Float) in
            middle + Vector(x: x * c - y * s, y: x * s + y * c)
        }
    }

    func image() throws -> LuminanceImage {
        let symbol = try QRSymbol.encode(Photograph.payload)
        let side = Float(symbol.modulesPerSide)
        let square = [(0, 0), (side, 0), (side, side), (0, side)].map { Vector(x: $0, y: $1) }
        guard let toModules = Homography(from: corners, to: square) else {
            return try Canvas(width: width, height: height).image()
        }
        var random = UInt64(0x9E37_79B9_7F4A_7C15)
        func grain() -> Float {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Float(random >> 40) / Float(1 << 23) - 1) * noise
        }
        func luma(_ place: Vector) -> Float {
            var module = toModules(place)
            let s = module.x / side
            module.y -= bulge * 4 * s * (1 - s)
            for blot in blots
            where module.x >= blot.x && module.y >= blot.y && module.x < blot.x + blot.side
                && module.y < blot.y + blot.side
            {
                return (dark + light) / 2
            }
            let isNear = abs(module.x) < 1000 && abs(module.y) < 1000
            let isDark = isNear && symbol.isDark(x: Int(module.x + 100) - 100, y: Int(module.y + 100) - 100)
            return isDark ? dark : light
        }
        var canvas = Canvas(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width {
                var sum: Float = 0
                for sub in 0..<9 {
                    sum += luma(
                        Vector(
                            x: Float(x) + (Float(sub % 3) + 0.5) / 3, y: Float(y) + (Float(sub / 3) + 0.5) / 3
                        ))
                }
                let lit = sum / 9 * (1 - slope * Float(x) / Float(width))
                canvas.pixels[y * width + x] = UInt8(max(0, min(255, lit)))
            }
        }
        let smooth = try canvas.image().smoothed(times: blur)
        return LuminanceImage(width: width, height: height) { result in
            for index in smooth.pixels.indices {
                result[index] = UInt8(max(0, min(255, Float(smooth.pixels[index]) + grain())))
            }
        }
    }

    /// The cosine by its series, to 1e-5 between −2π and 2π.
    private static func cosine(_ angle: Float) -> Float {
        var (sum, term): (Double, Double) = (1, 1)
        for index in 1...14 {
            term *= -Double(angle) * Double(angle) / Double((2 * index - 1) * 2 * index)
            sum += term
        }
        return Float(sum)
    }
}
