/// The places of a symbol's modules on paper that is bent in more than one way: a map, and nodes of a lattice
/// that are displaced from where the map has them. Between the nodes the displacement is bilinear, and beyond
/// the outer ones it goes on as between the last two.
struct ModuleMesh<Base: ModulePlaces>: ModulePlaces {
    let base: Base
    /// The columns and rows of the nodes, in modules, ascending, two at least.
    let lines: [Float]
    /// The displacement of each node in pixels, row by row.
    var shifts: [Vector]

    init(base: Base, lines: [Float]) {
        (self.base, self.lines) = (base, lines)
        shifts = [Vector](repeating: Vector(x: 0, y: 0), count: lines.count * lines.count)
    }

    /// The same mesh with a node more between every two.
    var subdivided: ModuleMesh {
        let middles = zip(lines, lines.dropFirst()).map { ($0 + $1) / 2 }
        var finer = ModuleMesh(base: base, lines: (lines + middles).sorted())
        for row in finer.lines.indices {
            for column in finer.lines.indices {
                finer.shifts[row * finer.lines.count + column] = shift(
                    at: Vector(x: finer.lines[column], y: finer.lines[row]))
            }
        }
        return finer
    }

    func callAsFunction(_ module: Vector) -> Vector { base(module) + shift(at: module) }

    private func shift(at module: Vector) -> Vector {
        let (column, x) = cell(module.x)
        let (row, y) = cell(module.y)
        let first = row * lines.count + column
        let second = first + lines.count
        let upper = shifts[first] * (1 - x) + shifts[first + 1] * x
        let lower = shifts[second] * (1 - x) + shifts[second + 1] * x
        return upper * (1 - y) + lower * y
    }

    /// The line before a place, and how far it is from there to the next one: below 0 and above 1 beyond the
    /// outer lines.
    private func cell(_ place: Float) -> (line: Int, share: Float) {
        var line = 0
        while line < lines.count - 2, lines[line + 1] <= place { line += 1 }
        return (line, (place - lines[line]) / (lines[line + 1] - lines[line]))
    }
}

/// Fits a mesh to a picture: first where alignment patterns are seen, then so that all modules around each
/// node are as clearly light or dark as possible.
struct MeshRegistration {
    private let patterns: FunctionPatterns
    private let view: ContrastView
    private let sign: Float
    private let softness: Float
    /// The places that were looked at.
    private(set) var looks = 0

    /// How well an alignment pattern must match.
    private static let leastMatch: Float = 0.55
    /// How far one is looked for around where its neighbours say that it is, in modules, and in which steps.
    private static let reach: Float = 2.25
    private static let step: Float = 0.375

    /// - Parameter softness: as in `GridRegistration.score`.
    init(_ patterns: FunctionPatterns, in view: ContrastView, sign: Float, softness: Float) {
        (self.patterns, self.view, self.sign, self.softness) = (patterns, view, sign, softness)
    }

    /// The mesh of nodes at the alignment patterns.
    mutating func coarse<Base>(_ base: Base) -> ModuleMesh<Base> {
        let side = Float(patterns.side)
        let columns = Set(patterns.alignments.map { Float($0.x) + 0.5 } + [6.5, side - 6.5])
        var mesh = ModuleMesh(base: base, lines: columns.sorted())
        place(&mesh)
        for share: Float in [0.3, 0.15] { climb(&mesh, share: share) }
        return mesh
    }

    /// A mesh twice as fine.
    mutating func finer<Base>(_ coarse: ModuleMesh<Base>) -> ModuleMesh<Base> {
        var mesh = coarse.subdivided
        for share: Float in [0.3, 0.15] { climb(&mesh, share: share) }
        return mesh
    }

    /// The share of function patterns that match the picture under a mesh, as `GridRegistration.Score.known`.
    mutating func match<Base>(_ mesh: ModuleMesh<Base>) -> Float {
        var (sum, count): (Float, Float) = (0, 0)
        for y in 0..<patterns.side {
            for x in 0..<patterns.side {
                guard let target = target(x, y) else { continue }
                let value = view.contrast(mesh(Vector(x: Float(x) + 0.5, y: Float(y) + 0.5))) * sign
                sum += target * value / (abs(value) + softness)
                count += 1
            }
        }
        looks += Int(count)
        return 2 * sum / max(1, count)
    }

    private func target(_ x: Int, _ y: Int) -> Float? {
        switch patterns[x, y] {
        case .light: 1
        case .dark: -1
        case .data, .format: nil
        }
    }

    /// Moves the nodes to where alignment patterns are seen, outwards from the finder patterns: each is
    /// looked for where its neighbours say.
    private mutating func place<Base>(_ mesh: inout ModuleMesh<Base>) {
        let count = mesh.lines.count
        let last = count - 1
        // The map is sure of the finder patterns.
        var known: Set<Int> = [0, last, last * count]
        let order = (0..<count * count).filter { !known.contains($0) }.sorted {
            let (a, b) = (($0 / count, $0 % count), ($1 / count, $1 % count))
            func distance(_ node: (Int, Int)) -> Int {
                min(node.0 + node.1, node.0 + last - node.1, last - node.0 + node.1)
            }
            return (distance(a), $0) < (distance(b), $1)
        }
        for node in order {
            let (row, column) = (node / count, node % count)
            var guesses: [Vector] = []
            for (dy, dx) in [(0, -1), (0, 1), (-1, 0), (1, 0)] {
                let (y, x) = (row + dy, column + dx)
                guard (0...last).contains(y), (0...last).contains(x), known.contains(y * count + x) else {
                    continue
                }
                let near = mesh.shifts[y * count + x]
                let (farY, farX) = (row + 2 * dy, column + 2 * dx)
                if (0...last).contains(farY), (0...last).contains(farX), known.contains(farY * count + farX) {
                    guesses.append(near * 1.5 - mesh.shifts[farY * count + farX] * 0.5)
                } else {
                    guesses.append(near)
                }
            }
            let sum = guesses.reduce(Vector(x: 0, y: 0), +)
            let guess = sum * (1 / Float(max(1, guesses.count)))
            let middle = Vector(x: mesh.lines[column], y: mesh.lines[row])
            if let seen = alignment(near: guess, at: middle, mesh) {
                mesh.shifts[node] = seen
            } else {
                mesh.shifts[node] = guess
            }
            known.insert(node)
        }
    }

    /// The displacement of the alignment pattern at `middle`, if one is seen near a guess.
    private mutating func alignment<Base>(
        near guess: Vector, at middle: Vector, _ mesh: ModuleMesh<Base>
    ) -> Vector? {
        let base = mesh.base(middle)
        let across = mesh.base(middle + Vector(x: 1, y: 0)) - base
        let down = mesh.base(middle + Vector(x: 0, y: 1)) - base
        let samples = (-2...2).flatMap { y in
            (-2...2).map { x -> (Vector, Float) in
                (across * Float(x) + down * Float(y), max(abs(x), abs(y)) == 1 ? sign : -sign)
            }
        }
        let steps = Int(MeshRegistration.reach / MeshRegistration.step)
        var best: (score: Float, shift: Vector)?
        for row in -steps...steps {
            for column in -steps...steps {
                let (x, y) = (Float(column) * MeshRegistration.step, Float(row) * MeshRegistration.step)
                let shift = guess + across * x + down * y
                var (match, power): (Float, Float) = (0, 1)
                for (offset, target) in samples {
                    let value = view.contrast(base + shift + offset)
                    match += target * value
                    power += value * value
                }
                match /= (power * Float(samples.count)).squareRoot()
                guard match > MeshRegistration.leastMatch else { continue }
                // Data look like it now and then: the nearer one is likelier.
                let score = match - 0.04 * (x * x + y * y).squareRoot()
                if score > best?.score ?? 0 { best = (score, shift) }
            }
        }
        looks += (2 * steps + 1) * (2 * steps + 1) * samples.count
        return best?.shift
    }

    /// Moves each node where the modules around it are clearer, in steps of `share` of a module.
    private mutating func climb<Base>(_ mesh: inout ModuleMesh<Base>, share: Float) {
        let count = mesh.lines.count
        for row in 0..<count {
            for column in 0..<count {
                let node = row * count + column
                let middle = Vector(x: mesh.lines[column], y: mesh.lines[row])
                let places = surroundings(mesh, row: row, column: column)
                let base = mesh.base(middle)
                let across = (mesh.base(middle + Vector(x: 1, y: 0)) - base) * share
                let down = (mesh.base(middle + Vector(x: 0, y: 1)) - base) * share
                var best = clarity(places, by: Vector(x: 0, y: 0))
                var moved = Vector(x: 0, y: 0)
                for _ in 0..<3 {
                    var isBetter = false
                    for step in [across, across * -1, down, down * -1] {
                        let next = clarity(places, by: moved + step)
                        if next > best + 1e-3 { (best, moved, isBetter) = (next, moved + step, true) }
                    }
                    if !isBetter { break }
                }
                mesh.shifts[node] = mesh.shifts[node] + moved
            }
        }
    }

    /// The modules nearer to a node than to any other, where the mesh has them, with what they should be; 0
    /// for data.
    private func surroundings<Base>(
        _ mesh: ModuleMesh<Base>, row: Int, column: Int
    ) -> [(place: Vector, target: Float)] {
        func range(_ line: Int) -> Range<Int> {
            let lines = mesh.lines
            let start = line == 0 ? 0 : (lines[line - 1] + lines[line]) / 2
            let end = line == lines.count - 1 ? Float(patterns.side) : (lines[line] + lines[line + 1]) / 2
            return max(0, Int(start))..<min(patterns.side, max(Int(start) + 1, Int(end)))
        }
        let (rows, columns) = (range(row), range(column))
        let isDense = rows.count * columns.count > 200
        return rows.flatMap { y in
            columns.compactMap { x in
                let target = target(x, y)
                guard target != nil || !isDense || (x + y) % 2 == 0 else { return nil }
                return (mesh(Vector(x: Float(x) + 0.5, y: Float(y) + 0.5)), target ?? 0)
            }
        }
    }

    private mutating func clarity(_ places: [(place: Vector, target: Float)], by shift: Vector) -> Float {
        var sum: Float = 0
        for (place, target) in places {
            let value = view.contrast(place + shift) * sign
            let size = abs(value) + softness
            sum += target == 0 ? abs(value) / size : 1.5 * target * value / size
        }
        looks += places.count
        return sum / Float(max(1, places.count))
    }
}
