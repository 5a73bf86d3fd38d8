/// The luminance of a symbol at every half module, normalised: 0 is the mean of the surroundings, and 1 about
/// as light as the light modules there.
struct GridSampling {
    /// The samples around a module: a square of 5 × 5 half modules with the module in its middle.
    static let taps = 25

    /// The modules on a side.
    let side: Int
    /// Samples in a row: from half a module left of the symbol to half a module right of it.
    private let columns: Int
    private let samples: [Float]

    /// Reads the picture through the map.
    init(_ function: some ModulePlaces, side: Int, isInverted: Bool, in view: ContrastView) {
        self.side = side
        columns = 2 * side + 3
        var values = [Float](repeating: 0, count: columns * columns)
        for row in 0..<columns {
            for column in 0..<columns {
                let place = Vector(x: Float(column - 1) * 0.5, y: Float(row - 1) * 0.5)
                let value = view.luminance(function(place))
                values[row * columns + column] = isInverted ? 255 - value : value
            }
        }
        samples = GridSampling.normalised(values, columns: columns)
    }

    /// A sample of a module; `tap` counts the 5 × 5 samples row by row.
    @inline(__always) func callAsFunction(x: Int, y: Int, tap: Int) -> Float {
        samples[(2 * y + tap / 5) * columns + 2 * x + tap % 5]
    }

    /// The mean over the middle of a module: four times its centre, and the four places halfway to its
    /// neighbours.
    func middle(x: Int, y: Int) -> Float {
        let centre = (2 * y + 2) * columns + 2 * x + 2
        return
            (4 * samples[centre] + samples[centre - 1] + samples[centre + 1] + samples[centre - columns]
            + samples[centre + columns]) / 8
    }

    /// Each value minus the mean of the 9 × 9 modules around it, divided by their standard deviation.
    private static func normalised(_ values: [Float], columns: Int) -> [Float] {
        let radius = 9
        let width = columns + 1
        var sums = [Double](repeating: 0, count: width * width)
        var squares = sums
        for row in 0..<columns {
            var (sum, square) = (0.0, 0.0)
            for column in 0..<columns {
                let value = Double(values[row * columns + column])
                sum += value
                square += value * value
                let index = (row + 1) * width + column + 1
                sums[index] = sums[index - width] + sum
                squares[index] = squares[index - width] + square
            }
        }
        var result = values
        for row in 0..<columns {
            let (top, bottom) = (max(0, row - radius) * width, min(columns, row + radius + 1) * width)
            for column in 0..<columns {
                let (left, right) = (max(0, column - radius), min(columns, column + radius + 1))
                let count = Double((bottom - top) / width * (right - left))
                func total(_ table: [Double]) -> Double {
                    table[bottom + right] - table[bottom + left] - table[top + right] + table[top + left]
                }
                let mean = total(sums) / count
                let variance = max(0, total(squares) / count - mean * mean)
                let value = Double(values[row * columns + column])
                result[row * columns + column] = Float((value - mean) / (variance.squareRoot() + 2))
            }
        }
        return result
    }
}
