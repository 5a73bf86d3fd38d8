/// The places of a symbol's modules on something round, like a bottle or a pipe: paper that is bent one way,
/// about an axis at any angle to it, seen in perspective.
///
/// The bulge of a `ModuleMap` follows a little of that. Where paper goes around some 80 degrees and more, the
/// modules at its sides are so much narrower than those in its middle that no parabola does.
struct CylinderMap: ModulePlaces, LanePlaces {
    /// What a fit changes.
    struct Shape: Equatable {
        /// The places of the anchors, as in `ModuleMap`.
        var anchors: ModuleMap.Anchors
        /// The direction in which the paper is bent, from the top side, in radians.
        var angle: Float
        /// Half of the angle that the symbol's width goes around, in radians.
        var half: Float
        /// By how many pixels a place is moved for each module that it lies deeper.
        var slant = Vector(x: 0, y: 0)
        /// By which share a place is smaller that lies a symbol's width deeper.
        var perspective: Float = 0.33
    }

    private let middle: Float
    private let across: Vector
    private let radius: Float
    private let origin: Vector
    private let depth: (x: Float, y: Float, scale: Float)
    /// a to h of a projective map of the bent paper without its depth, relative to `origin`.
    private let plane: SIMD8<Float>

    /// Nil if the anchors fit no plane. `side` and `fourth`: as in `ModuleMap`.
    init?(_ shape: Shape, side: Int, fourth: Float) {
        let modules = Float(side)
        middle = modules / 2
        across = Vector(cosine: shape.angle)
        radius = middle / max(0.05, shape.half)
        let anchors = shape.anchors
        origin = (anchors[1] + anchors[2]) * 0.5
        depth = (shape.slant.x, shape.slant.y, shape.perspective / modules)
        let (near, far) = (Float(3.5), modules - 3.5)
        let places = [(near, near), (far, near), (near, far), (fourth, fourth)]
        var rows: [SIMD8<Float>] = []
        var values: [Float] = []
        for (index, (x, y)) in places.enumerated() {
            let bent = CylinderMap.bent(
                SIMD8(repeating: x - middle), SIMD8(repeating: y - middle), across: across, radius: radius)
            let (u, v, z) = (bent.x[0], bent.y[0], bent.depth[0])
            let seen = anchors[index] - origin
            rows.append(SIMD8(u, v, 1, 0, 0, 0, -seen.x * u, -seen.x * v))
            values.append(seen.x * (1 + z * depth.scale) - z * depth.x)
            rows.append(SIMD8(0, 0, 0, u, v, 1, -seen.y * u, -seen.y * v))
            values.append(seen.y * (1 + z * depth.scale) - z * depth.y)
        }
        guard let plane = CylinderMap.solution(&rows, &values) else { return nil }
        self.plane = plane
    }

    /// Where places of flat paper are in space, from its middle: x and y, and how deep.
    @inline(__always) private static func bent(
        _ x: SIMD8<Float>, _ y: SIMD8<Float>, across: Vector, radius: Float
    ) -> (x: SIMD8<Float>, y: SIMD8<Float>, depth: SIMD8<Float>) {
        let along = x * across.x + y * across.y
        let turn = (along / radius).clamped(
            lowerBound: SIMD8(repeating: -1.5), upperBound: SIMD8(repeating: 1.5))
        let square = turn * turn
        var sine = 1 - square * (1 / 42)
        sine = 1 - square * sine * (1 / 20)
        sine = turn * (1 - square * sine * (1 / 6))
        var versine = 1 - square * (1 / 56)
        versine = 1 - square * versine * (1 / 30)
        versine = square * (1 - square * versine * (1 / 12)) * 0.5
        let lift = sine * radius - along
        return (x + lift * across.x, y + lift * across.y, versine * radius)
    }

    /// The solution of eight linear equations.
    private static func solution(_ rows: inout [SIMD8<Float>], _ values: inout [Float]) -> SIMD8<Float>? {
        for column in 0..<8 {
            guard let pivot = (column..<8).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
                abs(rows[pivot][column]) > 1e-6
            else { return nil }
            rows.swapAt(column, pivot)
            values.swapAt(column, pivot)
            for row in 0..<8 where row != column {
                let factor = rows[row][column] / rows[column][column]
                rows[row] -= factor * rows[column]
                values[row] -= factor * values[column]
            }
        }
        var result = SIMD8<Float>()
        for index in 0..<8 { result[index] = values[index] / rows[index][index] }
        return result
    }

    /// What the slant should be, if the camera is far: how a unit at right angles to the paper's middle
    /// looks, by how one along its top and one along its left side look. Seen from far, two slopes look the
    /// same.
    var slants: [Vector] {
        let right = Vector(x: plane[0] - plane[2] * plane[6], y: plane[3] - plane[5] * plane[6])
        let down = Vector(x: plane[1] - plane[2] * plane[7], y: plane[4] - plane[5] * plane[7])
        let (a, b, mixed) = (right.dot(right), down.dot(down), right.dot(down))
        let square = (a + b + ((a - b) * (a - b) + 4 * mixed * mixed).squareRoot()) / 2
        let deepRight = max(0, square - a).squareRoot()
        let deepDown = (mixed > 0 ? -1 : 1) * max(0, square - b).squareRoot()
        let normal = (down * -deepRight + right * deepDown) * (1 / max(1e-6, square.squareRoot()))
        let slant = Vector(x: normal.y, y: -normal.x)
        return [slant, slant * -1]
    }

    @inline(__always) func callAsFunction(x: SIMD8<Float>, y: SIMD8<Float>) -> (
        x: SIMD8<Float>, y: SIMD8<Float>
    ) {
        let (u, v, z) = CylinderMap.bent(x - middle, y - middle, across: across, radius: radius)
        var scale = plane[6] * u + plane[7] * v
        scale = 1 / (scale + z * depth.scale + 1)
        let right = plane[0] * u + plane[1] * v + z * depth.x
        let down = plane[3] * u + plane[4] * v + z * depth.y
        return (origin.x + (right + plane[2]) * scale, origin.y + (down + plane[5]) * scale)
    }

    func callAsFunction(_ module: Vector) -> Vector {
        let place = self(x: SIMD8(repeating: module.x), y: SIMD8(repeating: module.y))
        return Vector(x: place.x[0], y: place.y[0])
    }
}
