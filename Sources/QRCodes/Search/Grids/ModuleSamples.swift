/// Places on a symbol, and what is expected there: looked up in a picture eight at a time, since a search
/// spends a quarter of its time here.
struct ModuleSamples {
    /// The number of places.
    let count: Int
    /// In modules from the top left corner. The last eight are filled up, with weight and target 0.
    private let places: [(x: SIMD8<Float>, y: SIMD8<Float>)]
    /// 1 for light, −1 for dark.
    private let targets: [SIMD8<Float>]
    /// 1 for a place.
    private let weights: [SIMD8<Float>]

    init(_ samples: [(place: Vector, target: Float)]) {
        count = samples.count
        var places: [(x: SIMD8<Float>, y: SIMD8<Float>)] = []
        var (targets, weights): ([SIMD8<Float>], [SIMD8<Float>]) = ([], [])
        for start in stride(from: 0, to: samples.count, by: 8) {
            var place = (x: SIMD8<Float>(), y: SIMD8<Float>())
            var (target, weight) = (SIMD8<Float>(), SIMD8<Float>())
            for (lane, sample) in samples[start...].prefix(8).enumerated() {
                (place.x[lane], place.y[lane]) = (sample.place.x, sample.place.y)
                (target[lane], weight[lane]) = (sample.target, 1)
            }
            places.append(place)
            targets.append(target)
            weights.append(weight)
        }
        (self.places, self.targets, self.weights) = (places, targets, weights)
    }

    private var size: Float { Float(max(1, count)) }

    /// How well the picture matches, from −1 to 1. `softness`: this contrast, in grey levels, counts half.
    func match(_ function: ModuleFunction, in view: ContrastView, softness: Float) -> Float {
        var sum = SIMD8<Float>()
        places.withUnsafeBufferPointer { places in
            targets.withUnsafeBufferPointer { targets in
                for index in places.indices {
                    let place = function(x: places[index].x, y: places[index].y)
                    let value = view.contrasts(x: place.x, y: place.y)
                    sum += targets[index] * value / (value.magnitudes + softness)
                }
            }
        }
        return sum.sum() / size
    }

    /// The same with the softness of these places, which comes with it.
    func match(_ function: ModuleFunction, in view: ContrastView) -> (match: Float, softness: Float) {
        withUnsafeTemporaryAllocation(of: SIMD8<Float>.self, capacity: max(1, places.count)) { values in
            var sum = SIMD8<Float>()
            for index in places.indices {
                let place = function(x: places[index].x, y: places[index].y)
                values[index] = view.contrasts(x: place.x, y: place.y)
                sum += values[index].magnitudes * weights[index]
            }
            let softness = max(1, sum.sum() / size)
            var match = SIMD8<Float>()
            for index in places.indices {
                match += targets[index] * values[index] / (values[index].magnitudes + softness)
            }
            return (match.sum() / size, softness)
        }
    }

    /// How far the places are from grey, from 0 to 1. If every contrast equals the softness, it is a half.
    func clarity(_ function: ModuleFunction, in view: ContrastView, softness: Float) -> Float {
        var sum = SIMD8<Float>()
        places.withUnsafeBufferPointer { places in
            weights.withUnsafeBufferPointer { weights in
                for index in places.indices {
                    let place = function(x: places[index].x, y: places[index].y)
                    let size = view.contrasts(x: place.x, y: place.y).magnitudes
                    sum += weights[index] * size / (size + softness)
                }
            }
        }
        return sum.sum() / size
    }

    /// How well a small pattern matches when it is moved to `centre`, from −1 to 1. The places here are in
    /// pixels from there.
    func match(at centre: Vector, in view: ContrastView) -> Float {
        var (match, power) = (SIMD8<Float>(), SIMD8<Float>())
        places.withUnsafeBufferPointer { places in
            for index in places.indices {
                let value = view.contrasts(x: places[index].x + centre.x, y: places[index].y + centre.y)
                match += targets[index] * value
                power += weights[index] * value * value
            }
        }
        return match.sum() / ((1 + power.sum()) * size).squareRoot()
    }

    /// The mean contrast in grey levels; at least 1.
    func softness(_ function: ModuleFunction, in view: ContrastView) -> Float {
        var sum = SIMD8<Float>()
        for index in places.indices {
            let place = function(x: places[index].x, y: places[index].y)
            sum += view.contrasts(x: place.x, y: place.y).magnitudes * weights[index]
        }
        return max(1, sum.sum() / size)
    }
}

extension SIMD8<Float> {
    /// Without the signs.
    @inline(__always) var magnitudes: SIMD8<Float> {
        SIMD8(bitPattern: unsafeBitCast(self, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF)
    }

    @inline(__always) private init(bitPattern: SIMD8<UInt32>) {
        self = unsafeBitCast(bitPattern, to: SIMD8<Float>.self)
    }
}
