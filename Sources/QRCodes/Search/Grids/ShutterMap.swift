import Glibc

/// The places of a symbol's modules in a picture whose rows were taken one after the other, while the camera
/// shook: those that a still camera would have seen, and a displacement that depends on the row.
///
/// With the camera upright its rows are the columns of the picture that is made of them.
struct ShutterMap: ModulePlaces, LanePlaces {
    /// How far the camera had moved when each row was taken.
    struct Path {
        /// True if columns are meant instead of rows.
        let isUpright: Bool
        /// The place of the first knot along the rows, and the distance of the knots, in pixels.
        let start: Float
        let spacing: Float
        /// The displacement at each knot, in pixels, two at least; linear between them, and the same beyond
        /// the outer ones.
        private(set) var shifts: [Vector]

        /// A path over `length` pixels from `start`.
        init(isUpright: Bool, from start: Float, length: Float, spacing: Float) {
            (self.isUpright, self.start, self.spacing) = (isUpright, start, spacing)
            shifts = [Vector](
                repeating: Vector(x: 0, y: 0), count: 2 + Int(min(1000, max(0, length / spacing))))
        }

        var end: Float { start + Float(shifts.count - 1) * spacing }

        /// Makes it a wave: `sine` and `cosine` of `pulse` radians a pixel from `middle`.
        mutating func swing(pulse: Float, from middle: Float, sine: Vector, cosine: Vector) {
            for index in shifts.indices {
                let turn = pulse * (start + Float(index) * spacing - middle)
                shifts[index] = sine * sinf(turn) + cosine * cosf(turn)
            }
        }

        /// Adds a bump of `height` at `middle`, which ends `width` pixels from there.
        mutating func bend(by height: Vector, at middle: Float, width: Float) {
            for index in shifts.indices {
                let away = abs(start + Float(index) * spacing - middle) / width
                if away < 1 { shifts[index] = shifts[index] + height * (0.5 + 0.5 * cosf(.pi * away)) }
            }
        }

        /// The displacement of a place that a still camera would have seen.
        func shift(of place: Vector) -> Vector {
            let last = Float(shifts.count) - 1.001
            let knot = max(0, min(last, ((isUpright ? place.x : place.y) - start) / spacing))
            guard knot == knot else { return Vector(x: 0, y: 0) }
            let first = Int(knot)
            return shifts[first] + (shifts[first + 1] - shifts[first]) * (knot - Float(first))
        }
    }

    private let still: ModuleFunction
    private let path: Path
    private let inverse: Float

    /// Nil if the map has no function.
    init?(_ map: ModuleMap, _ path: Path) {
        guard let still = map.function else { return nil }
        (self.still, self.path, inverse) = (still, path, 1 / path.spacing)
    }

    @inline(__always) func callAsFunction(x: SIMD8<Float>, y: SIMD8<Float>) -> (
        x: SIMD8<Float>, y: SIMD8<Float>
    ) {
        var (x, y) = still(x: x, y: y)
        let knots = (((path.isUpright ? x : y) - path.start) * inverse).clamped(
            lowerBound: SIMD8(repeating: 0),
            upperBound: SIMD8(repeating: Float(path.shifts.count) - 1.001))
        path.shifts.withUnsafeBufferPointer { shifts in
            for lane in 0..<8 {
                // A place without a number stays one.
                guard knots[lane] >= 0 else { continue }
                let first = Int(knots[lane])
                let share = knots[lane] - Float(first)
                x[lane] += shifts[first].x + (shifts[first &+ 1].x - shifts[first].x) * share
                y[lane] += shifts[first].y + (shifts[first &+ 1].y - shifts[first].y) * share
            }
        }
        return (x, y)
    }

    func callAsFunction(_ module: Vector) -> Vector {
        let place = still(module)
        return place + path.shift(of: place)
    }
}
