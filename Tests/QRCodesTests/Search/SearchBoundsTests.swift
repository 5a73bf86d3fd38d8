import Testing

@testable import QRCodes

/// The limits of the work for a picture without a code, and the vectorised sums that it uses.
@Suite struct SearchBoundsTests {
    /// `count` finder patterns of 3 pixels a module that belong to no code.
    private func crowd(_ count: Int, width: Int = 480, height: Int = 360) throws -> LuminanceImage {
        var canvas = Canvas(width: width, height: height)
        let columns = width / 40
        for index in 0..<count {
            let (left, top) = (index % columns * 40 + 6, index / columns * 40 + 6)
            for row in 0..<21 {
                for column in 0..<21 {
                    let ring = max(abs(column / 3 - 3), abs(row / 3 - 3))
                    canvas.pixels[(top + row) * width + left + column] = ring == 2 ? 255 : 0
                }
            }
        }
        return try canvas.image()
    }

    @Test func `libzbar is spared a crowd of finder patterns that are of no code`() throws {
        let code = try picture(of: Array("CODE".utf8), pixelsPerModule: 4)
        func read(after crowd: LuminanceImage, effort: ScanEffort) throws -> Bool {
            var search = PictureSearch(ImageSource(crowd), effort: effort)
            let steps = search.plan.steps
            #expect(try search.carryOut(steps[0], on: crowd).isEmpty)
            return try !search.carryOut(steps[1], on: code).isEmpty
        }
        #expect(try read(after: try crowd(9), effort: .normal))
        #expect(try !read(after: try crowd(40), effort: .normal))
        #expect(try !read(after: try crowd(40), effort: .quick))
        #expect(try read(after: try crowd(40), effort: .thorough))
    }

    @Test func `all sure finder patterns are counted, also those that are not looked at further`() throws {
        let image = try crowd(40)
        var limits = FinderSearch.Limits()
        limits.maximumPatterns = 5
        let found = FinderSearch.patterns(
            in: ContrastField(image, radius: 7), noise: image.noise, limits: limits)
        #expect(found.best.count == 5)
        #expect(found.sureCount == 40)
    }

    @Test func `a search ends when it has looked at as many places as it may`() throws {
        let image = try crowd(40)
        let field = ContrastField(image, radius: 7)
        var limits = FinderSearch.Limits()
        limits.maximumLooks = 1
        let found = FinderSearch.patterns(in: field, noise: image.noise, limits: limits)
        #expect(found.best.count <= 1)

        var none = SymbolSearch.Limits()
        none.looks = SymbolSearch.Looks(starts: 0, completion: 0, fits: 0)
        let photograph = try Photograph().image()
        #expect(try SymbolSearch.run(photograph, limits: none).result.isEmpty)
        #expect(try SymbolSearch.run(photograph, limits: .quick(pixels: 76_800)).result.codes.count == 1)
    }

    @Test(arguments: [Float(0), 6, 12, 18])
    func `what the quick search found is what the next one would find again`(noise: Float) throws {
        var photograph = Photograph()
        photograph.noise = noise
        let image = try photograph.image()
        let quick = try SymbolSearch.run(image, limits: .quick(pixels: image.pixels.count))
        let limits = SymbolSearch.Limits.normal(pixels: image.pixels.count)
        let first = try #require(quick.first)
        #expect(first.limits == limits.finders)
        let (again, shared) = (
            try SymbolSearch.run(image, limits: limits),
            try SymbolSearch.run(image, limits: limits, first: first)
        )
        #expect(shared.patterns == again.patterns && !again.patterns.isEmpty)
        #expect(shared.sureCount == again.sureCount)
        #expect(shared.result == again.result)
        // With other limits it is looked for again.
        let thorough = try SymbolSearch.run(image, limits: .thorough, first: first)
        #expect(thorough.first?.limits == SymbolSearch.Limits.thorough.finders)
    }

    @Test func `fields end where none before shows a finder pattern, if that is asked for`() throws {
        func patterns(_ fields: [SymbolSearch.Field], in image: LuminanceImage, needsPatterns: Bool) throws
            -> [FinderPattern]
        {
            var limits = SymbolSearch.Limits()
            (limits.fields, limits.needsPatterns) = (fields, needsPatterns)
            return try SymbolSearch.run(image, limits: limits).patterns
        }
        var (ended, whole) = (0, 0)
        for blur in 0...9 {
            var photograph = Photograph()
            photograph.corners = Photograph.corners(side: 68, turned: 33)
            photograph.blur = blur
            let image = try photograph.image()
            let before = try patterns([.middleSmooth], in: image, needsPatterns: false)
            let all = try patterns([.middleSmooth, .sharp], in: image, needsPatterns: false)
            let found = try patterns([.middleSmooth, .sharp], in: image, needsPatterns: true)
            #expect(found == (before.isEmpty ? [] : all), "blur \(blur)")
            if before.isEmpty, !all.isEmpty { ended += 1 }
            if !before.isEmpty, before != all { whole += 1 }
        }
        #expect(ended > 0 && whole > 0, "the test shows nothing")
    }

    @Test func `modules that are large at a finer scale are left to the coarser one`() throws {
        var photograph = Photograph()
        (photograph.width, photograph.height) = (900, 900)
        photograph.corners = Photograph.corners(side: 640, turned: 4, around: Vector(x: 450, y: 450))
        let image = try photograph.image()
        #expect(try SymbolSearch.run(image, limits: .quick(pixels: 810_000)).result.codes.count == 1)
        let finer = try SymbolSearch.run(image, limits: .quick(pixels: 810_000, isFiner: true))
        #expect(finer.result.isEmpty && finer.patterns.isEmpty)
    }

    @Test func `a large picture without a code is decoded twice, not at every scale`() throws {
        final class Decodings {
            var scales: [Int] = []
        }
        struct Blank: ImageCodec {
            let width = 4000
            let height = 3000
            let scales = [1, 2, 4, 8]
            let decodings: Decodings
            func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage {
                decodings.scales.append(scale)
                let (columns, rows) = (width / scale, height / scale)
                let pixels = [UInt8](repeating: 200, count: columns * rows)
                guard let image = LuminanceImage(width: columns, height: rows, pixels: pixels) else {
                    throw .outOfMemory
                }
                return image
            }
        }
        let blank = Blank(decodings: Decodings())
        let outcome = try PictureSearch.run(ImageSource(blank, format: .jpeg))
        #expect(outcome.result.isEmpty)
        #expect(blank.decodings.scales == [2, 1])
    }

    @Test(arguments: [(1, 1), (3, 5), (16, 4), (37, 29), (64, 64), (100, 7)], [1, 2, 7])
    func `the means of blocks and boxes are means`(size: (Int, Int), radius: Int) throws {
        let (width, height) = size
        let pixels = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 151 ^ $0 >> 3) }
        let image = try #require(LuminanceImage(width: width, height: height, pixels: pixels))
        let half = image.halved
        for y in 0..<half.height {
            for x in 0..<half.width {
                let (right, below) = (min(2 * x + 1, width - 1), min(2 * y + 1, height - 1))
                let sum = [(2 * x, 2 * y), (right, 2 * y), (2 * x, below), (right, below)]
                    .reduce(2) { $0 + Int(pixels[$1.1 * width + $1.0]) }
                #expect(Int(half.pixels[y * half.width + x]) == sum / 4)
            }
        }
        let grid = BlockGrid(image, radius: radius)
        func block(_ column: Int, _ row: Int) -> [Int] {
            (row * 4..<min(row * 4 + 4, height)).flatMap { y in
                (column * 4..<min(column * 4 + 4, width)).map { x in Int(pixels[y * width + x]) }
            }
        }
        let means = grid.means()
        let boxes = grid.boxMeans(of: means)
        let (sums, shares) = grid.lightParts(above: means)
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let index = row * grid.columns + column
                let values = block(column, row)
                #expect(Int(means[index]) == values.reduce(0, +) * 16 / values.count)
                let light = values.filter { $0 > Int(means[index] >> 4) }
                #expect(Int(sums[index]) == light.reduce(0, +) * 16 / values.count)
                #expect(Int(shares[index]) == light.count * 256 / values.count)
                var (sum, count) = (0, 0)
                for y in max(0, row - radius)...min(grid.rows - 1, row + radius) {
                    for x in max(0, column - radius)...min(grid.columns - 1, column + radius) {
                        sum += Int(means[y * grid.columns + x])
                        count += 1
                    }
                }
                #expect(abs(Float(boxes[index]) - Float(sum) / Float(count)) < 0.6)
            }
        }
    }
}
