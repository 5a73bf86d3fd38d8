/// A place in a picture in pixels, or on a symbol in modules; also the difference of two places.
struct Vector: Equatable {
    var x: Float
    var y: Float

    static func + (a: Vector, b: Vector) -> Vector { Vector(x: a.x + b.x, y: a.y + b.y) }
    static func - (a: Vector, b: Vector) -> Vector { Vector(x: a.x - b.x, y: a.y - b.y) }
    static func * (a: Vector, factor: Float) -> Vector { Vector(x: a.x * factor, y: a.y * factor) }

    var length: Float { (x * x + y * y).squareRoot() }
    func dot(_ other: Vector) -> Float { x * other.x + y * other.y }
    /// Above 0 if `other` is clockwise of this one in a picture, where y grows downwards.
    func cross(_ other: Vector) -> Float { x * other.y - y * other.x }
}
