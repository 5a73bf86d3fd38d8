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

    /// The sum of what `term` makes of the contrasts at eight places each, and of the number of the eight.
    @inline(__always) private func sum(
        _ function: some LanePlaces, in view: ContrastView,
        _ term: (Int, SIMD8<Float>) -> SIMD8<Float>
    ) -> Float {
        places.withUnsafeBufferPointer { places in
            var sum = SIMD8<Float>()
            for index in places.indices {
                let place = function(x: places[index].x, y: places[index].y)
                sum += term(index, view.contrasts(x: place.x, y: place.y))
            }
            return sum.sum()
        }
    }

    /// How well the picture matches, from −1 to 1. `softness`: this contrast, in grey levels, counts half.
    func match(_ function: some LanePlaces, in view: ContrastView, softness: Float) -> Float {
        sum(function, in: view) { targets[$0] * $1 / ($1.magnitudes + softness) } / size
    }

    /// The same with the mean contrast of these places as the softness, which comes with it; at least 1.
    func match(_ function: some LanePlaces, in view: ContrastView) -> (match: Float, softness: Float) {
        withUnsafeTemporaryAllocation(of: SIMD8<Float>.self, capacity: max(1, places.count)) { values in
            let sum = self.sum(function, in: view) { index, value in
                values[index] = value
                return value.magnitudes * weights[index]
            }
            let softness = max(1, sum / size)
            var match = SIMD8<Float>()
            for index in places.indices {
                match += targets[index] * values[index] / (values[index].magnitudes + softness)
            }
            return (match.sum() / size, softness)
        }
    }

    /// How far the places are from grey, from 0 to 1. If every contrast equals the softness, it is a half.
    func clarity(_ function: some LanePlaces, in view: ContrastView, softness: Float) -> Float {
        sum(function, in: view) { weights[$0] * $1.magnitudes / ($1.magnitudes + softness) } / size
    }

    /// How well a small pattern matches when it is moved to `centre`, from −1 to 1. The places here are in
    /// pixels from there.
    func match(at centre: Vector, in view: ContrastView) -> Float {
        places.withUnsafeBufferPointer { places in
            var (match, power) = (SIMD8<Float>(), SIMD8<Float>())
            for index in places.indices {
                let value = view.contrasts(x: places[index].x + centre.x, y: places[index].y + centre.y)
                match += targets[index] * value
                power += weights[index] * value * value
            }
            return match.sum() / ((1 + power.sum()) * size).squareRoot()
        }
    }
}

extension SIMD8<Float> {
    /// Without the signs.
    @inline(__always) var magnitudes: SIMD8<Float> {
        unsafeBitCast(unsafeBitCast(self, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: SIMD8<Float>.self)
    }
}
