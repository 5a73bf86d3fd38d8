/// Which finder patterns are near a place, without a look at all of them: the picture is divided into cells,
/// and each cell knows the patterns that reach into it. A picture full of patterns would take a million steps
/// for each row otherwise.
struct PatternPlaces {
    /// The side of a cell in pixels, as a power of two.
    private static let shift = 5

    private let columns: Int
    private let rows: Int
    /// For each cell the index of its last entry, or −1.
    private var heads: [Int32]
    /// The number of a pattern, and the entry before this one in its cell.
    private var entries: [(pattern: Int32, next: Int32)] = []

    /// For a picture of this size.
    init(width: Int, height: Int) {
        columns = width >> PatternPlaces.shift + 1
        rows = height >> PatternPlaces.shift + 1
        heads = [Int32](repeating: -1, count: columns * rows)
    }

    /// Adds a pattern. One that is moved is added once more; what its old cells say of it is checked by
    /// `first`.
    mutating func add(_ pattern: Int, at centre: Vector, radius: Float) {
        guard let cells = cells(around: centre, radius) else { return }
        for row in cells.rows {
            for column in cells.columns {
                entries.append((Int32(truncatingIfNeeded: pattern), heads[row * columns + column]))
                heads[row * columns + column] = Int32(truncatingIfNeeded: entries.count - 1)
            }
        }
    }

    /// The lowest number of the patterns near a place that fulfil a condition.
    func first(near place: Vector, within radius: Float, where fits: (Int) -> Bool) -> Int? {
        guard let cells = cells(around: place, radius) else { return nil }
        var found: Int?
        for row in cells.rows {
            for column in cells.columns {
                var next = heads[row * columns + column]
                while next >= 0 {
                    let (pattern, before) = entries[Int(next)]
                    if Int(pattern) < found ?? .max, fits(Int(pattern)) { found = Int(pattern) }
                    next = before
                }
            }
        }
        return found
    }

    /// The cells within a distance of a place; nil if it is outside of the picture.
    private func cells(around place: Vector, _ radius: Float) -> (
        columns: ClosedRange<Int>, rows: ClosedRange<Int>
    )? {
        func range(_ middle: Float, _ count: Int) -> ClosedRange<Int>? {
            let side = Float(1 << PatternPlaces.shift)
            let (low, high) = ((middle - radius) / side, (middle + radius) / side)
            // False for NaN too.
            guard high >= 0, low < Float(count) else { return nil }
            return Int(max(0, low))...Int(min(high, Float(count - 1)))
        }
        guard let across = range(place.x, columns), let down = range(place.y, rows) else { return nil }
        return (across, down)
    }
}
