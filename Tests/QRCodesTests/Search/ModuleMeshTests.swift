import Testing

@testable import QRCodes

/// Codes on paper that is bent in more than one way.
@Suite struct ModuleMeshTests {
    private func flat() throws -> ModuleFunction {
        let corners = [(0, 0), (10, 0), (0, 10), (10, 10)].map { Vector(x: $0.0, y: $0.1) }
        let map = ModuleMap(side: 21, fourth: 17.5, anchors: corners)
        return try #require(map.function)
    }

    @Test func `between nodes the displacement is bilinear, and beyond them it goes on`() throws {
        var mesh = ModuleMesh(base: try flat(), lines: [6, 10, 16])
        #expect(mesh(Vector(x: 8, y: 9)) == mesh.base(Vector(x: 8, y: 9)))
        for (index, _) in mesh.shifts.enumerated() {
            mesh.shifts[index] = Vector(x: mesh.lines[index % 3], y: 2 * mesh.lines[index / 3])
        }
        // A displacement that is linear is kept everywhere, by the finer mesh too.
        for mesh in [mesh, mesh.subdivided, mesh.subdivided.subdivided] {
            for (x, y) in [(6, 6), (7, 13), (0, 0), (21, 3), (10, 16), (20.5, 20.5)] as [(Float, Float)] {
                let shift = mesh(Vector(x: x, y: y)) - mesh.base(Vector(x: x, y: y))
                #expect((shift - Vector(x: x, y: 2 * y)).length < 1e-3, "\(x) \(y) \(shift)")
            }
        }
        #expect(mesh.subdivided.lines == [6, 8, 10, 13, 16])
    }

    /// The picture as it is wound around an upright cylinder, half of it over `angle` in radians.
    private func wound(_ image: LuminanceImage, angle: Float) throws -> LuminanceImage {
        let radius = Double(image.width) / 2 / Double(angle)
        var canvas = Canvas(width: image.width, height: image.height)
        for x in 0..<image.width {
            let share = (Double(x) + 0.5 - Double(image.width) / 2) / radius
            let from = Double(image.width) / 2 + radius * arcsine(share) - 0.5
            let left = Int(from.rounded(.down))
            guard left >= 0, left + 1 < image.width else { continue }
            let part = from - Double(left)
            for y in 0..<image.height {
                let row = y * image.width
                let value =
                    (1 - part) * Double(image.pixels[row + left])
                    + part * Double(image.pixels[row + left + 1])
                canvas.pixels[row + x] = UInt8(value)
            }
        }
        return try canvas.image()
    }

    /// By Newton's method on a polynomial of the sine: Glibc is not needed for a test.
    private func arcsine(_ value: Double) -> Double {
        (0..<60).reduce(0.0) { angle, _ in
            var (term, sine, cosine) = (1.0, 0.0, 1.0)
            for power in 1..<20 {
                term *= angle / Double(power)
                if power % 2 == 1 { sine += power % 4 == 1 ? term : -term }
                if power % 2 == 0 { cosine += power % 4 == 0 ? term : -term }
            }
            return angle - 0.5 * (sine - max(-1, min(1, value))) / max(0.05, cosine)
        }
    }

    @Test func `more dense codes on something round are read with a mesh, and none less`() throws {
        var (bent, stiff) = (0, 0)
        for count in [300, 400, 500] {
            let payload = (0..<count).map { UInt8(0x61 + $0 * 7 % 26) }
            let code = try picture(of: payload, pixelsPerModule: 5)
            for angle: Float in [0.6, 0.7, 0.75, 0.8] {
                let image = try wound(code, angle: angle)
                var limits = SymbolSearch.Limits.normal(pixels: image.pixels.count)
                limits.cylinders = 0
                let found = try SymbolSearch.run(image, limits: limits).result.codes.map(\.payload)
                limits.meshes = 0
                let without = try SymbolSearch.run(image, limits: limits).result.codes.map(\.payload)
                #expect(found == [payload] || found.isEmpty && without.isEmpty, "\(count) \(angle)")
                (bent, stiff) = (bent + found.count, stiff + without.count)
            }
        }
        #expect(bent > stiff, "\(bent) of 12 with a mesh, \(stiff) without")
    }

    @Test func `a label that goes around a hundred degrees and more is read as a cylinder`() throws {
        let code = try picture(of: Photograph.payload, pixelsPerModule: 5)
        var without = 0
        for angle: Float in [0.95, 1.05, 1.15] {
            let image = try wound(code, angle: angle)
            var limits = SymbolSearch.Limits.normal(pixels: image.pixels.count)
            let found = try SymbolSearch.run(image, limits: limits).result.codes.map(\.payload)
            #expect(found == [Photograph.payload], "\(angle)")
            limits.cylinders = 0
            without += try SymbolSearch.run(image, limits: limits).result.codes.count
        }
        #expect(without < 3)
    }

    /// The picture with each row moved sideways by a wave of `height` pixels that is `length` pixels long,
    /// and the paper around it; with `isUpright` each column up and down.
    private func shaken(
        _ image: LuminanceImage, height: Double, length: Double, isUpright: Bool
    ) throws -> LuminanceImage {
        let frame = Int(height) + 20
        let side = image.width + 2 * frame
        var canvas = Canvas(width: side, height: side)
        for row in 0..<side {
            // Two parabolas: no wave that is searched for.
            let phase = (Double(row) / length + 0.3).truncatingRemainder(dividingBy: 1)
            let half = (2 * phase).truncatingRemainder(dividingBy: 1)
            let shift = height * (phase < 0.5 ? 4 : -4) * half * (1 - half)
            for column in 0..<side {
                let from = Double(column - frame) + shift
                let (left, line) = (Int(from.rounded(.down)), row - frame)
                var value = 255.0
                if left >= 0, left + 1 < image.width, line >= 0, line < image.height {
                    func luma(_ place: Int) -> Double {
                        let (x, y) = isUpright ? (line, place) : (place, line)
                        return Double(image.pixels[y * image.width + x])
                    }
                    let part = from - Double(left)
                    value = (1 - part) * luma(left) + part * luma(left + 1)
                }
                canvas.pixels[isUpright ? column * side + row : row * side + column] = UInt8(value)
            }
        }
        return try canvas.image()
    }

    @Test(arguments: [false, true])
    func `a code is read whose rows a shaking hand displaced`(isUpright: Bool) throws {
        let code = try picture(of: Photograph.payload, pixelsPerModule: 5)
        for (height, length) in [(5.0, 90.0), (8, 120), (10, 160)] {
            let image = try shaken(code, height: height, length: length, isUpright: isUpright)
            var limits = SymbolSearch.Limits.normal(pixels: image.pixels.count)
            let found = try SymbolSearch.run(image, limits: limits).result.codes.map(\.payload)
            #expect(found == [Photograph.payload], "\(height) \(length)")
            limits.cylinders = 0
            #expect(try SymbolSearch.run(image, limits: limits).result.codes.isEmpty, "\(height) \(length)")
        }
    }
}
