import Testing

@testable import QRCodes

/// The parts of the search: function patterns, maps, filters, finder patterns, the plan.
@Suite struct DetectionPartsTests {
    /// One symbol of each version, drawn by libqrencode.
    private static let symbols: [QRSymbol] = {
        var found: [Int: QRSymbol] = [:]
        for count in stride(from: 1, to: 2332, by: 12) {
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
            guard let symbol = try? QRSymbol.encode(payload) else { continue }
            if found[symbol.version] == nil { found[symbol.version] = symbol }
        }
        return found.keys.sorted().compactMap { found[$0] }
    }()

    @Test func `the function patterns of all versions are those that libqrencode draws`() throws {
        #expect(DetectionPartsTests.symbols.map(\.version) == Array(1...40))
        for symbol in DetectionPartsTests.symbols {
            let patterns = FunctionPatterns(version: symbol.version)
            #expect(patterns.side == symbol.modulesPerSide)
            var wrong = 0
            for y in 0..<patterns.side {
                for x in 0..<patterns.side {
                    switch patterns[x, y] {
                    case .dark where !symbol.isDark(x: x, y: y): wrong += 1
                    case .light where symbol.isDark(x: x, y: y): wrong += 1
                    default: break
                    }
                }
            }
            #expect(wrong == 0, "version \(symbol.version)")
            let copies = (0..<2).map { copy in
                (0..<15).reduce(0) { bits, bit in
                    let place = patterns.formatPlaces(bit)[copy]
                    return bits | (symbol.isDark(x: place.x, y: place.y) ? 1 << bit : 0)
                }
            }
            #expect(copies[0] == copies[1] && FunctionPatterns.formats.contains(copies[0]))
        }
    }

    @Test
    func `a grid of every version is read, with errors in its patterns and mirrored, as libzbar reads it`()
        throws
    {
        for symbol in DetectionPartsTests.symbols {
            let patterns = FunctionPatterns(version: symbol.version)
            let side = patterns.side
            let estimates = (0..<side * side).map { index -> Float in
                let isDark = symbol.isDark(x: index % side, y: index / side)
                // One finder pattern is all grey, and some bits are wrong.
                if index % side < 7, index / side < 7 { return 0.1 }
                return (index % 97 == 5) == isDark ? 1 : -1
            }
            let mirrored = estimates.indices.map { estimates[$0 % side * side + $0 / side] }
            for estimates in [estimates, mirrored] {
                let readings = GridReading.among(estimates, patterns: patterns)
                #expect(
                    readings.compactMap { $0.message(patterns) } == [.bytes(symbol.payload)],
                    "version \(symbol.version)")
                let reading = try #require(readings.first)
                let picture = try #require(reading.picture(patterns))
                #expect(
                    try ZBarSearch.run(picture).codes.map(\.payload) == [symbol.payload],
                    "version \(symbol.version)")
            }
        }
        let patterns = FunctionPatterns(version: 3)
        let grey = [Float](repeating: 0, count: patterns.modules.count)
        #expect(GridReading.among(grey, patterns: patterns).isEmpty)
    }

    @Test func `a homography takes four points to four points, and refuses three in line`() throws {
        let from = [(0, 0), (10, 0), (10, 10), (0, 10)].map { Vector(x: $0, y: $1) }
        let to = [(100, 100), (180, 110), (170, 190), (90, 160)].map { Vector(x: $0, y: $1) }
        let map = try #require(Homography(from: from, to: to))
        let back = try #require(Homography(from: to, to: from))
        for (a, b) in zip(from, to) {
            #expect((map(a) - b).length < 1e-3)
            #expect((back(map(Vector(x: 3, y: 4))) - Vector(x: 3, y: 4)).length < 1e-3)
        }
        let line = [(0, 0), (1, 1), (2, 2), (0, 5)].map { Vector(x: $0, y: $1) }
        #expect(Homography(from: line, to: to) == nil)
        #expect(Homography(from: from, to: line + line) == nil)
        let nowhere = [Vector](repeating: Vector(x: .nan, y: .infinity), count: 4)
        #expect(Homography(from: from, to: nowhere) == nil)
        #expect(Vector(x: .nan, y: 0).pixel == PixelPoint(x: -1_000_000, y: -1_000_000))
        #expect(Vector(x: 1e30, y: -1e30).pixel == PixelPoint(x: 1_000_000, y: -1_000_000))
    }

    @Test func `filters do what their names say`() throws {
        let (width, height) = (23, 17)
        let pixels = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 73 ^ $0 >> 2) }
        let image = try #require(LuminanceImage(width: width, height: height, pixels: pixels))
        let thresholded = image.thresholded(window: 7, offset: 5)
        for y in 0..<height {
            for x in 0..<width {
                var (sum, count) = (0, 0)
                for row in max(0, y - 3)...min(height - 1, y + 3) {
                    for column in max(0, x - 3)...min(width - 1, x + 3) {
                        sum += Int(pixels[row * width + column])
                        count += 1
                    }
                }
                let isDark = (Int(pixels[y * width + x]) + 5) * count < sum
                #expect(thresholded.pixels[y * width + x] == (isDark ? 0 : 255))
            }
        }
        let point = try Canvas(width: 5, height: 5, filledWith: 0).image()
        var lit = Canvas(width: 5, height: 5, filledWith: 0)
        lit.pixels[12] = 160
        #expect(try lit.image().smoothed().pixels[6...8] == [10, 20, 10])
        #expect(try lit.image().smoothed().pixels[12] == 40)
        #expect(point.sharpened().pixels == point.pixels)
        #expect(image.sharpened(smooth: image.smoothed()) == image.sharpened())
        let smooth = image.smoothed()
        for y in 0..<height {
            for x in 0..<width {
                var sum = 8
                for (row, weight) in [(y - 1, 1), (y, 2), (y + 1, 1)] {
                    for (column, factor) in [(x - 1, 1), (x, 2), (x + 1, 1)] {
                        let place =
                            max(0, min(height - 1, row)) * width + max(0, min(width - 1, column))
                        sum += weight * factor * Int(pixels[place])
                    }
                }
                #expect(Int(smooth.pixels[y * width + x]) == sum / 16)
            }
        }
        #expect(image.stretched(across: 2, down: 3).width == 46)
        #expect(image.stretched(across: 2, down: 3).height == 51)
        #expect(image.stretched(across: 1, down: 1).pixels == pixels)
        #expect(image.noise > 20 && point.noise == 0)
        // A place that is turned and turned back is the same place.
        let turned = try lit.image().turned45()
        let brightest = try #require(
            turned.pixels.indices.filter { turned.pixels[$0] < 255 }.max {
                turned.pixels[$0] < turned.pixels[$1]
            })
        let place = Vector(x: Float(brightest % turned.width) + 0.5, y: Float(brightest / turned.width) + 0.5)
        #expect((try lit.image().beforeTurning(place) - Vector(x: 2.5, y: 2.5)).length < 0.8)
        for size in [(1, 1), (1, 9), (9, 1), (2, 2)] {
            let tiny = try Canvas(width: size.0, height: size.1, filledWith: 9).image()
            for filter in [
                SearchPlan.Filter.threshold, .doubledAndSharpened, .tripledAndThresholded, .turned, .wider,
            ] {
                #expect(filter(tiny).pixels.count >= 1)
            }
            #expect(
                FinderSearch.patterns(in: ContrastField(tiny, radius: 3), noise: 0, limits: .init()).best
                    .isEmpty)
        }
    }

    @Test(arguments: [(1, 1), (1, 40), (40, 1), (2, 2), (5, 3), (37, 64), (1 << 22 + 9, 3)])
    func `eight places at once are the same as one after the other`(size: (Int, Int)) throws {
        var generator = SystemRandomNumberGenerator()
        let pixels = (0..<size.0 * size.1).map { UInt8(truncatingIfNeeded: $0 &* 151 ^ $0 >> 3) }
        let image = try #require(LuminanceImage(width: size.0, height: size.1, pixels: pixels))
        ContrastField(image, radius: 3).withView { view in
            func coordinate(_ size: Int) -> Float {
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: [.nan, .infinity, -.infinity, -0.0, 1e30, -1e30][Int.random(in: 0..<6)]
                case 1: Float(size)
                case 2: 0.5
                case 3: Float(size) - 0.5
                case 4: (Float(size) - 0.5).nextDown
                case 5: Float(Int.random(in: 0...size, using: &generator))
                case 6: Float(Int.random(in: 0..<size, using: &generator)) + 0.5
                default: .random(in: -2...Float(size) + 2, using: &generator)
                }
            }
            for _ in 0..<2_000 {
                let x = SIMD8<Float>((0..<8).map { _ in coordinate(size.0) })
                let y = SIMD8<Float>((0..<8).map { _ in coordinate(size.1) })
                let all = view.contrasts(x: x, y: y)
                let four = view.contrasts(x: x.lowHalf, y: y.lowHalf)
                for lane in 0..<8 {
                    let one = view.contrast(Vector(x: x[lane], y: y[lane]))
                    #expect(abs(all[lane] - one) < 1e-3, "at \(x[lane]), \(y[lane])")
                    if lane < 4 { #expect(four[lane] == one, "at \(x[lane]), \(y[lane])") }
                }
            }
        }
    }

    @Test(arguments: [1, 2, 7, 24], [false, true])
    func `a grid is scored as its definition says`(version: Int, isInverted: Bool) throws {
        var photograph = Photograph()
        photograph.noise = 9
        let image = try photograph.image()
        let side = 17 + 4 * version
        var map = ModuleMap(
            side: side, fourth: Float(side) - (version < 2 ? 3.5 : 6.5),
            anchors: [(90, 50), (231, 54), (95, 190), (220, 186)].map { Vector(x: $0.0, y: $0.1) })
        map.top = Vector(x: 2, y: -3)
        map.right = Vector(x: -1, y: 2)
        let function = try #require(map.function)
        let patterns = FunctionPatterns(version: version)
        var samples: [(place: Vector, target: Float)] = []
        for y in 0..<side {
            for x in 0..<side where patterns[x, y] == .light || patterns[x, y] == .dark {
                let place = Vector(x: Float(x) + 0.5, y: Float(y) + 0.5)
                samples.append((place, patterns[x, y] == .light ? 1 : -1))
            }
        }
        ContrastField(isInverted ? image.inverted : image, radius: 7).withView { view in
            let values = samples.map { view.contrast(function($0.place)) }
            let softness = max(1, values.map(abs).reduce(0, +) / Float(values.count))
            let match = zip(values, samples).map { $0 * $1.target / (abs($0) + softness) }
            let clarity = values.map { abs($0) / (abs($0) + softness) }
            func mean(_ numbers: [Float]) -> Float { numbers.reduce(0, +) / Float(values.count) }
            let all = ModuleSamples(samples)
            #expect(abs(all.match(function, in: view).softness - softness) < 1e-2)
            #expect(abs(all.match(function, in: view).match - mean(match)) < 1e-3)
            #expect(abs(all.match(function, in: view, softness: softness) - mean(match)) < 1e-3)
            #expect(abs(all.clarity(function, in: view, softness: softness) - mean(clarity)) < 1e-3)

            let centre = Vector(x: 130, y: 98)
            let moved = samples.map { view.contrast($0.place + centre) }
            let power = 1 + moved.reduce(0) { $0 + $1 * $1 }
            let product = zip(moved, samples).reduce(0) { $0 + $1.0 * $1.1.target }
            let norm = (power * Float(samples.count)).squareRoot()
            #expect(abs(all.match(at: centre, in: view) - product / norm) < 1e-3)
        }
    }

    @Test(arguments: [(Float(0), 0), (17, 0), (45, 0), (45, 1), (80, 2)], [false, true])
    func `finder patterns are found to a part of a pixel`(turn: (Float, Int), isInverted: Bool) throws {
        var photograph = Photograph()
        photograph.corners = Photograph.corners(side: 140, turned: turn.0)
        photograph.blur = turn.1
        var image = try photograph.image()
        if isInverted { image = image.inverted }
        let found = FinderSearch.patterns(
            in: ContrastField(image, radius: 7), noise: image.noise, limits: .init()
        ).best
        let side = Float(try QRSymbol.encode(Photograph.payload).modulesPerSide)
        let square = [(0, 0), (side, 0), (side, side), (0, side)].map { Vector(x: $0, y: $1) }
        let map = try #require(Homography(from: square, to: photograph.corners))
        for (x, y) in [(3.5, 3.5), (side - 3.5, 3.5), (3.5, side - 3.5)] as [(Float, Float)] {
            let expected = map(Vector(x: x, y: y))
            let nearest = try #require(
                found.min { ($0.centre - expected).length < ($1.centre - expected).length })
            #expect((nearest.centre - expected).length < 0.5, "\(nearest) is not at \(expected)")
            #expect(nearest.isInverted == isInverted && abs(nearest.moduleSize - 140 / side) < 0.8)
        }
    }

    @Test(arguments: [(1, 1), (320, 240), (4000, 3000), (8000, 8000), (3, 100_000_000), (.max, .max)])
    func `more effort is more steps, and none of them too large`(width: Int, height: Int) {
        let plans = [ScanEffort.quick, .normal, .thorough].map {
            SearchPlan(width: width, height: height, effort: $0)
        }
        #expect(plans[0].steps.count < plans[1].steps.count)
        #expect(plans[1].steps.count < plans[2].steps.count)
        #expect(Array(plans[1].steps.prefix(plans[0].steps.count)).count == plans[0].steps.count)
        for plan in plans {
            #expect(plan.steps.allSatisfy { !$0.reason.isEmpty && $0.scale >= 1 })
            let first = plan.steps[0]
            let pixels = width.multipliedFullWidth(by: height)
            if pixels.high == 0 { #expect(pixels.low / UInt(first.scale * first.scale) <= 1_500_000) }
        }
        #expect(plans[0].scaleForOthers == nil && plans[1].scaleForOthers != nil)
    }
}
