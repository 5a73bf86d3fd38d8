/// Removes blur, shake and small errors of the grid, as the equalizer of a modem removes the distortion of a
/// line.
///
/// A linear filter over the samples around a module is fitted (least squares with a ridge) so that the known
/// modules, the function patterns, come out right: light as 1 and dark as −1. Then it is fitted again to all
/// modules as it has just read them: most of them are right, and they are many more.
struct GridEqualizer {
    private static let size = GridSampling.taps + 1

    private let sampling: GridSampling
    private let patterns: FunctionPatterns

    init(sampling: GridSampling, patterns: FunctionPatterns) {
        self.sampling = sampling
        self.patterns = patterns
    }

    /// Calls `use` with estimates of all modules, row by row and above 0 for light, until it returns a
    /// result: plain samples first, then the fit to the known modules, then `rounds` fits, each to the
    /// estimates before it.
    func estimates<Result>(
        rounds: Int, ridge: Double = 0.02, _ use: ([Float]) throws(QRScanError) -> Result?
    ) throws(QRScanError) -> Result? {
        let side = patterns.side
        let plain = (0..<side * side).map { sampling.middle(x: $0 % side, y: $0 / side) }
        if let result = try use(plain) { return result }
        var features = [Float](repeating: 1, count: side * side * GridEqualizer.size)
        for y in 0..<side {
            for x in 0..<side {
                let start = (y * side + x) * GridEqualizer.size
                for tap in 0..<GridSampling.taps { features[start + tap] = sampling(x: x, y: y, tap: tap) }
            }
        }
        let known = patterns.modules.map { module -> Float in
            switch module {
            case .light: 1
            case .dark: -1
            case .data, .format: 0
            }
        }
        let taught = known.indices.filter { known[$0] != 0 }
        guard let first = NormalEquations(features, size: GridEqualizer.size, rows: taught, ridge: ridge)
        else { return nil }
        var estimate = first.predictions(fittedTo: known)
        if let result = try use(estimate) { return result }
        guard rounds > 0,
            let all = NormalEquations(
                features, size: GridEqualizer.size, rows: Array(known.indices), ridge: ridge / 4)
        else { return nil }
        for _ in 0..<rounds {
            let targets = known.indices.map { index -> Float in
                known[index] != 0 ? known[index] : max(-1, min(1, estimate[index] * 2))
            }
            estimate = all.predictions(fittedTo: targets)
            if let result = try use(estimate) { return result }
        }
        return nil
    }
}

/// The normal equations of a linear fit, decomposed once (Cholesky) for any number of right-hand sides.
private struct NormalEquations {
    private let features: [Float]
    private let size: Int
    private let rows: [Int]
    /// The lower triangle, row by row.
    private var factor: [Double]

    /// Nil if the matrix is not positive definite. For finite features the ridge prevents that.
    init?(_ features: [Float], size: Int, rows: [Int], ridge: Double) {
        self.features = features
        self.size = size
        self.rows = rows
        factor = [Double](repeating: 0, count: size * size)
        features.withUnsafeBufferPointer { features in
            factor.withUnsafeMutableBufferPointer { matrix in
                for row in rows {
                    let base = row * size
                    for i in 0..<size {
                        let value = features[base + i]
                        for j in 0...i { matrix[i * size + j] += Double(value * features[base + j]) }
                    }
                }
            }
        }
        let penalty = ridge * Double(max(1, rows.count))
        for i in 0..<size { factor[i * size + i] += penalty }
        for i in 0..<size {
            for j in 0...i {
                var sum = factor[i * size + j]
                for k in 0..<j { sum -= factor[i * size + k] * factor[j * size + k] }
                if i == j {
                    guard sum > 0 else { return nil }
                    factor[i * size + i] = sum.squareRoot()
                } else {
                    factor[i * size + j] = sum / factor[j * size + j]
                }
            }
        }
    }

    /// The fit's estimate for every row. `targets` has a value for each row; only those of the equations'
    /// rows count.
    func predictions(fittedTo targets: [Float]) -> [Float] {
        var weights = [Double](repeating: 0, count: size)
        for row in rows {
            for i in 0..<size { weights[i] += Double(features[row * size + i] * targets[row]) }
        }
        for i in 0..<size {
            for k in 0..<i { weights[i] -= factor[i * size + k] * weights[k] }
            weights[i] /= factor[i * size + i]
        }
        for i in stride(from: size - 1, through: 0, by: -1) {
            for k in i + 1..<size { weights[i] -= factor[k * size + i] * weights[k] }
            weights[i] /= factor[i * size + i]
        }
        let short = weights.map { Float($0) }
        return targets.indices.map { row in
            var sum: Float = 0
            for i in 0..<size { sum += short[i] * features[row * size + i] }
            return sum
        }
    }
}
