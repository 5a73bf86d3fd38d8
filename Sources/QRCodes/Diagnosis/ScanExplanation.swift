/// A drawing of what a search saw: the photograph in grey; over it in colour the finder patterns (orange),
/// the grids that were tried (blue, the best one with a dot on each module) and the codes that were read
/// (green).
///
/// The colours also differ in lightness, and each mark has its own shape, for colour-blind readers.
struct ScanExplanation {
    /// The palette has this many greys, then the three colours.
    private static let greys = 128
    private static let orange = UInt8(greys)
    private static let blue = UInt8(greys + 1)
    private static let green = UInt8(greys + 2)
    /// Red, green and blue of each entry; the colours are Okabe and Ito's, which most people can tell apart.
    static let palette: [UInt8] =
        (0..<greys).flatMap { [UInt8](repeating: UInt8($0 * 255 / (greys - 1)), count: 3) }
        + [230, 159, 0, 30, 100, 220, 0, 190, 120]

    let width: Int
    let height: Int
    /// The index into the palette of each pixel, row by row.
    private(set) var pixels: [UInt8]
    private let stroke: Float

    /// Pixels of the drawing for one pixel of the whole photograph.
    private let size: Float

    /// `picture` is the photograph at 1/`scale`. A small one is magnified, so that the marks do not hide it.
    init(_ picture: LuminanceImage, scale: Int) {
        let magnification = max(1, 900 / max(picture.width, picture.height))
        size = Float(magnification) / Float(scale)
        let picture =
            magnification == 1
            ? picture : picture.stretched(across: Float(magnification), down: Float(magnification))
        width = picture.width
        height = picture.height
        pixels = picture.pixels.map { $0 / 2 }
        stroke = max(1, Float(max(picture.width, picture.height)) / 500)
    }

    /// Draws what a search at 1/`scale` of the whole photograph saw.
    mutating func draw(_ seen: SymbolSearch.Outcome, scale: Int) {
        let factor = Float(scale) * size
        for pattern in seen.patterns {
            let (centre, half) = (pattern.centre * factor, 3.5 * pattern.moduleSize * factor)
            outline(
                [(-1, -1), (1, -1), (1, 1), (-1, 1)].map { x, y in centre + Vector(x: x * half, y: y * half)
                },
                ScanExplanation.orange)
            line(
                centre - Vector(x: half / 3, y: 0), centre + Vector(x: half / 3, y: 0), ScanExplanation.orange
            )
            line(
                centre - Vector(x: 0, y: half / 3), centre + Vector(x: 0, y: half / 3), ScanExplanation.orange
            )
        }
        let best = seen.grids.map(\.score.known).max()
        for grid in seen.grids {
            guard let function = grid.map.function else { continue }
            let side = 17 + 4 * grid.version
            let far = Float(side)
            // In 16 pieces, so that the edge of a bent code is drawn bent.
            let edges = stride(from: Float(0), to: 1, by: 1 / 16).map { $0 * far }
            let around =
                edges.map { Vector(x: $0, y: 0) } + edges.map { Vector(x: far, y: $0) }
                + edges.map { Vector(x: far - $0, y: far) } + edges.map { Vector(x: 0, y: far - $0) }
            outline(around.map { function($0) * factor }, ScanExplanation.blue)
            guard grid.score.known == best else { continue }
            for y in 0..<side {
                for x in 0..<side {
                    dot(function(Vector(x: Float(x) + 0.5, y: Float(y) + 0.5)) * factor, ScanExplanation.blue)
                }
            }
        }
    }

    /// Outlines codes; their corners are places in the whole photograph.
    mutating func draw(_ codes: [ScannedQRCode]) {
        for code in codes {
            let corners = code.corners.map { Vector(x: Float($0.x) * size, y: Float($0.y) * size) }
            for offset in [Float(0), 1, 2, 3] {
                outline(corners.map { $0 + Vector(x: offset, y: offset) }, ScanExplanation.green)
            }
        }
    }

    private mutating func outline(_ corners: [Vector], _ colour: UInt8) {
        for (index, corner) in corners.enumerated() {
            line(corner, corners[(index + 1) % corners.count], colour)
        }
    }

    /// Draws a line. A line with an end far outside the picture is omitted, because it would take too long.
    private mutating func line(_ start: Vector, _ end: Vector, _ colour: UInt8) {
        let steps = max(abs(end.x - start.x), abs(end.y - start.y))
        guard steps.isFinite, steps < 4 * Float(max(width, height)) else { return }
        let count = Int(steps) + 1
        for step in 0...count {
            dot(start + (end - start) * (Float(step) / Float(count)), colour)
        }
    }

    private mutating func dot(_ place: Vector, _ colour: UInt8) {
        let reach = stroke / 2
        guard place.x > -reach, place.y > -reach, place.x < Float(width) + reach,
            place.y < Float(height) + reach
        else { return }
        for y in Int(max(0, place.y - reach))...Int(max(0, place.y + reach)) where y < height {
            for x in Int(max(0, place.x - reach))...Int(max(0, place.x + reach)) where x < width {
                pixels[y * width + x] = colour
            }
        }
    }

    /// The picture as a PNG file.
    func png() throws(RenderError) -> [UInt8] {
        try PNGCodec.encode(indexed: pixels, palette: ScanExplanation.palette, width: width, height: height)
    }
}

extension PictureSearch {
    /// A PNG picture of what the search saw, at the scale of its first step.
    mutating func explanation() throws -> [UInt8] {
        let scale = plan.steps.first?.scale ?? 1
        var drawing = ScanExplanation(try picture(scale), scale: scale)
        for sighting in sightings { drawing.draw(sighting.seen, scale: sighting.scale) }
        drawing.draw(outcome.result.codes)
        return try drawing.png()
    }

    /// Runs the same search as `run`, and returns a picture of what it saw too.
    package static func explained(
        _ source: ImageSource, effort: ScanEffort = .normal
    ) throws -> (outcome: Outcome, png: [UInt8]) {
        var search = PictureSearch(source, effort: effort)
        try search.run()
        return (search.outcome, try search.explanation())
    }
}
