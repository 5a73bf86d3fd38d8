import Identity
import Testing

@testable import QRCodes

@Suite struct ScanDiagnosisTests {
    private func diagnosis(_ change: (inout Photograph) -> Void) throws -> ScanDiagnosis? {
        var photograph = Photograph()
        change(&photograph)
        let result = try PictureSearch.run(ImageSource(try photograph.image())).result
        #expect(result.isEmpty, "it was read; the test shows nothing")
        return result.diagnosis
    }

    @Test func `a code of one pixel and a half a module is too small`() throws {
        let found = try diagnosis {
            ($0.corners, $0.blur, $0.noise) = (Photograph.corners(side: 54, turned: 5), 1, 30)
        }
        guard case .tooSmall(let hundredths) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect((110...199).contains(hundredths))
    }

    @Test func `a code without edges is blurred`() throws {
        #expect(try diagnosis { $0.blur = 100 } == .blurred)
        #expect(try diagnosis { $0.blur = 400 } == .blurred)
    }

    @Test func `a dark picture, and a pale one`() throws {
        #expect(try diagnosis { ($0.dark, $0.light, $0.noise) = (10, 13, 12) } == .tooDark(brightest: 24))
        let pale = try diagnosis { ($0.dark, $0.light, $0.noise) = (200, 203, 8) }
        guard case .lowContrast(let steps) = pale else {
            Issue.record("\(String(describing: pale))")
            return
        }
        #expect(steps < 30)
    }

    @Test(arguments: [(Float(-30), Float(0)), (0, -40), (150, 0), (0, 80)])
    func `a code that reaches over the edge is cut off`(x: Float, y: Float) throws {
        let found = try diagnosis { photograph in
            photograph.corners = Photograph.corners(side: 140, turned: 0)
                .map { $0 + Vector(x: x < 0 ? x - 80 : x, y: y < 0 ? y - 40 : y) }
        }
        #expect(found == .cutOff)
    }

    @Test func `a code under a blot is damaged`() throws {
        #expect(try diagnosis { $0.blots = [(10, 10, 16)] } == .damaged)
    }

    @Test func `a glare over all between the finder patterns is damage, and no blur`() throws {
        #expect(try diagnosis { $0.blots = [(8, 4, 17), (4, 8, 17)] } == .damaged)
    }

    /// Clouds have the stripes of finder patterns by chance, in all directions.
    @Test(arguments: 1...6) func `clouds are no code that is cut off`(seed: UInt64) throws {
        var (state, luma) = (seed, [Float](repeating: 40, count: 640 * 480))
        func random() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 40) / Float(1 << 24)
        }
        var (cell, height) = (160, Float(60))
        while cell >= 4 {
            let grid = (0..<480 / cell + 2).map { _ in (0..<640 / cell + 2).map { _ in random() } }
            for index in luma.indices {
                let (x, y) = (index % 640, index / 640)
                let (column, row) = (x / cell, y / cell)
                let (fx, fy) = (Float(x % cell) / Float(cell), Float(y % cell) / Float(cell))
                let upper = grid[row][column] * (1 - fx) + grid[row][column + 1] * fx
                let lower = grid[row + 1][column] * (1 - fx) + grid[row + 1][column + 1] * fx
                luma[index] += height * (upper * (1 - fy) + lower * fy)
            }
            (cell, height) = (cell / 2, height * 0.6)
        }
        let image = LuminanceImage(width: 640, height: 480) { pixels in
            for index in pixels.indices {
                pixels[index] = UInt8(max(0, min(255, luma[index] + random() * 6)))
            }
        }
        let found = try PictureSearch.run(ImageSource(image)).result.diagnosis
        #expect(found == .noFinderPattern || found == .blurred)
    }

    /// It has one finder pattern, a border of two modules, and no room for the rest of a QR code.
    @Test(arguments: [4, 9]) func `a Micro QR code is not cut off`(scale: Int) throws {
        // qrencode -M -v 4 -l L -8 -m 0 12345
        let rows = [
            "#######.#.#.#.#.#",
            "#.....#..........",
            "#.###.#....####.#",
            "#.###.#.#.#.....#",
            "#.###.#.#...###..",
            "#.....#..#...####",
            "#######.####.#..#",
            "........######...",
            "#..##....##..#..#",
            "....#.##..#..#...",
            "#.#...###.#.###..",
            "..##.#.#..##.##.#",
            "#....#.##.#.#.#.#",
            ".#..#.##.###....#",
            "###..#.#.##....##",
            ".##..#.#.#.###.#.",
            "#####...##.#.###.",
        ].map { Array($0.utf8) }
        let side = (rows.count + 4) * scale
        let image = LuminanceImage(width: side, height: side) { pixels in
            for index in pixels.indices {
                let (x, y) = (index % side / scale - 2, index / side / scale - 2)
                let isInside = rows.indices ~= x && rows.indices ~= y
                pixels[index] = isInside && rows[y][x] == UInt8(ascii: "#") ? 0 : 255
            }
        }
        #expect(try PictureSearch.run(ImageSource(image)).result.diagnosis == .microQR)
        // In the middle of a grey ground, near enough to its edges for a QR code to be cut off there.
        var canvas = Canvas(width: side * 2, height: side * 2, filledWith: 90)
        canvas.paste(image, x: side / 2, y: side / 2)
        let onGrey = try PictureSearch.run(ImageSource(try canvas.image())).result.diagnosis
        #expect(onGrey == .microQR)
    }

    @Test func `two finder patterns in the middle of a picture are two`() throws {
        let found = try diagnosis { photograph in
            (photograph.width, photograph.height) = (640, 480)
            photograph.corners = Photograph.corners(side: 140, turned: 0, around: Vector(x: 320, y: 240))
            // Only the left edge is visible.
            photograph.blots = [(8, -1, 60), (-1, 8, 17)]
        }
        #expect(found == .fewFinderPatterns(2))
    }

    @Test func `nothing at all, and a barcode`() throws {
        var canvas = Canvas(width: 300, height: 200)
        for y in 50..<150 { for x in 0..<300 { canvas.pixels[y * 300 + x] = UInt8(x / 3 + y) } }
        #expect(try scanned(try canvas.image()).diagnosis == .noFinderPattern)
        let product = try barcode(ean13([4, 0, 0, 6, 3, 8, 1, 3, 3, 3, 9, 3, 1]))
        let expected = ScanDiagnosis.otherSymbology(name: "EAN-13", payload: Array("4006381333931".utf8))
        #expect(try scanned(product).diagnosis == expected)
    }

    @Test func `what people read`() {
        #expect(
            ScanDiagnosis.tooSmall(hundredthsOfPixelsPerModule: 149).description
                == "the QR code is too small: 1.4 pixels a module")
        #expect(ScanDiagnosis.fewFinderPatterns(1).description.hasPrefix("only one of the three"))
        let all: [ScanDiagnosis] = [
            .noFinderPattern, .fewFinderPatterns(2), .tooSmall(hundredthsOfPixelsPerModule: -1), .blurred,
            .tooDark(brightest: 3), .lowContrast(steps: 9), .cutOff, .damaged, .microQR,
            .model1, .otherSymbology(name: "EAN-8", payload: []),
        ]
        for diagnosis in all {
            #expect(diagnosis.errorDescription == diagnosis.description)
            #expect(!diagnosis.description.hasSuffix(".") && diagnosis.recoverySuggestion?.isEmpty == false)
        }
    }
}
