/// Looks for finder patterns along the rows of a picture.
///
/// The work is bounded by counts, not by time, so that the same picture always gives the same answer: a picture
/// full of stripes costs no more than `Limits` says. Rows are taken in an order that spreads over the whole
/// picture, so that a bound that is met leaves no part of it out.
struct FinderSearch {
    struct Limits: Equatable {
        /// Every how manieth row is looked at.
        var rowStep = 1
        /// How many places that look right along a row are looked at in the other directions.
        var maximumChecks = 20_000
        /// How many patterns are kept while searching, and how many of them are given back.
        var maximumKept = 256
        var maximumPatterns = 40
    }

    private let view: ContrastView
    private let limits: Limits
    private let hysteresis: Float
    private var checks = 0
    private(set) var patterns: [FinderPattern] = []

    /// The best patterns in the field, best first, dark ones and light ones.
    static func patterns(in field: ContrastField, noise: Float, limits: Limits) -> [FinderPattern] {
        field.withView { view in
            var search = FinderSearch(view: view, limits: limits, hysteresis: max(2, min(14, noise)))
            search.run()
            let sorted = search.patterns.enumerated().sorted {
                ($0.element.rank, $1.offset) > ($1.element.rank, $0.offset)
            }
            return sorted.prefix(limits.maximumPatterns).map(\.element)
        }
    }

    private init(view: ContrastView, limits: Limits, hysteresis: Float) {
        self.view = view
        self.limits = limits
        self.hysteresis = hysteresis
    }

    private mutating func run() {
        guard view.width >= 8, view.height >= 8 else { return }
        let step = max(1, limits.rowStep)
        for phase in [0, 4, 2, 6, 1, 5, 3, 7] {
            for y in stride(from: phase * step, to: view.height, by: 8 * step) {
                guard checks < limits.maximumChecks else { return }
                scan(row: y)
            }
        }
    }

    /// Follows a row from edge to edge; each run of the row that ends may be the last of five.
    private mutating func scan(row y: Int) {
        let threshold = Int32(hysteresis * 16)
        // The last six edges, and the greatest difference within each of the five runs between them.
        var (e0, e1, e2, e3, e4): (Float, Float, Float, Float, Float) = (-1e6, -1e6, -1e6, -1e6, -1e6)
        var (p1, p2, p3, p4, p5): (Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0)
        var isDark = false
        var last = view.difference(x: 0, y: y)
        var crossing: Float = 0
        var peak: Int32 = 0
        for x in 0..<view.width {
            let value = view.difference(x: x, y: y)
            if (value < 0) != (last < 0) {
                // Between the middles of two pixels.
                crossing = Float(x) - 0.5 + Float(last) / Float(last - value)
            }
            last = value
            if isDark ? value > threshold : value < -threshold {
                let e5 = crossing
                (p1, p2, p3, p4, p5) = (p2, p3, p4, p5, peak)
                if let module = FinderProfile.moduleSize(e0, e1, e2, e3, e4, e5), module < 60 {
                    // No stripe may be a mere ripple beside the others.
                    let weakest = min(p1, p2, p3, p4, p5)
                    let strongest = max(p1, p2, p3, p4, p5)
                    if weakest * 5 >= strongest {
                        check(
                            Vector(x: (e2 + e3) / 2, y: Float(y) + 0.5), module: module,
                            isInverted: !isDark)
                    }
                }
                (e0, e1, e2, e3, e4) = (e1, e2, e3, e4, e5)
                isDark.toggle()
                peak = 0
            }
            peak = max(peak, isDark ? -value : value)
        }
    }

    private mutating func check(_ place: Vector, module: Float, isInverted: Bool) {
        for index in patterns.indices
        where patterns[index].isInverted == isInverted
            && (patterns[index].centre - place).length < 1.6 * patterns[index].moduleSize
        {
            patterns[index].hits += 1
            return
        }
        guard checks < limits.maximumChecks else { return }
        checks += 1
        guard let found = crossChecked(place, module: module, isInverted: isInverted) else { return }
        for index in patterns.indices
        where patterns[index].isInverted == isInverted
            && (patterns[index].centre - found.centre).length < 1.6 * found.moduleSize
        {
            if found.directions > patterns[index].directions {
                let hits = patterns[index].hits
                patterns[index] = found
                patterns[index].hits = hits
            }
            patterns[index].hits += 1
            return
        }
        if patterns.count < limits.maximumKept {
            patterns.append(found)
        } else if let worst = patterns.indices.min(by: { patterns[$0].rank < patterns[$1].rank }),
            patterns[worst].rank < found.rank
        {
            patterns[worst] = found
        }
    }

    /// The pattern around a place where a row has shown one, if the other directions show it too.
    private func crossChecked(_ place: Vector, module: Float, isInverted: Bool) -> FinderPattern? {
        // A tilt of 60° makes one direction twice as long as another, a turn by 45° adds half.
        let reach = Int(min(400, 3.5 * module * 3 + 4))
        func profile(_ place: Vector, _ step: Vector) -> FinderProfile? {
            view.profile(
                at: place, along: step, reach: reach, isInverted: isInverted, hysteresis: hysteresis)
        }
        guard let down = profile(place, Vector(x: 0, y: 1)) else { return nil }
        var centre = Vector(x: place.x, y: place.y + down.shift)
        guard let across = profile(centre, Vector(x: 1, y: 0)) else { return nil }
        centre.x += across.shift
        let ratio = across.length / down.length
        guard ratio > 0.3, ratio < 3.4 else { return nil }
        var directions = 2
        var product = across.length * down.length
        var shifts = Vector(x: 0, y: 0)
        for step in [Vector(x: 1, y: 1), Vector(x: 1, y: -1)] {
            guard let diagonal = profile(centre, step) else { continue }
            directions += 1
            product *= diagonal.length
            shifts = shifts + step * (diagonal.shift * (0.5 / step.length))
        }
        guard directions > 2 else { return nil }
        if directions == 4 { centre = centre + shifts * 0.5 }
        // Of a square one pair of directions has 7 modules and the other 7 · √2, or all something between.
        let length =
            directions == 4
            ? product.squareRoot().squareRoot() / 1.19 : (across.length * down.length).squareRoot() / 1.1
        return FinderPattern(
            centre: centre, moduleSize: length / 7, isInverted: isInverted, directions: directions)
    }
}
