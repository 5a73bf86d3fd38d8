import Testing

@testable import QRCodes

/// A chart as SVG and as PNG: the same picture twice.
@Suite struct ChartDrawingTests {
    private static let blue = ChartDrawing.Colour(0x0A, 0x58, 0xCA)

    private static var chart: ChartDrawing {
        var chart = ChartDrawing(title: "Lamp & <b>", width: 200, height: 100)
        let steps: [ChartDrawing.Point] = [.init(20, 80), .init(100, 80), .init(100, 30), .init(180, 30)]
        chart.add(
            ChartDrawing.Lines([steps, [.init(20, 90), .init(60, 90)]], width: 4, colour: blue))
        // A line of one point is not drawn.
        chart.add(ChartDrawing.Lines([[.init(10, 10)]], width: 20, colour: blue))
        chart.add(.init("Lampe 漢字 <b>", at: .init(20, 20)))
        chart.add(.init("100%", at: .init(190, 20), size: 16, endsThere: true))
        return chart
    }

    /// The luminance at a point of the drawing.
    private static func luminance(_ image: LuminanceImage, _ x: Double, _ y: Double) -> UInt8 {
        image.pixels[Int(y * 2) * image.width + Int(x * 2)]
    }

    @Test func thePixelsAreWhereTheLinesAre() throws {
        let image = try LuminanceImage.decode(try Self.chart.png())
        #expect((image.width, image.height) == (400, 200))
        let line: ClosedRange<UInt8> = 60...110
        for (x, y) in [(30.0, 80.0), (99, 79), (100, 60), (150, 30), (40, 90)] {
            #expect(line.contains(Self.luminance(image, x, y)), "\(x) \(y)")
        }
        for (x, y) in [(30.0, 70.0), (90, 60), (110, 60), (150, 80), (70, 90), (10, 10), (0, 0), (199, 99)] {
            #expect(Self.luminance(image, x, y) == 255, "\(x) \(y)")
        }
    }

    /// Ink of letters above the line on which they stand, from the left or up to the right.
    @Test func textStandsOnItsLine() throws {
        let image = try LuminanceImage.decode(try Self.chart.png())
        func ink(_ columns: Range<Int>, _ rows: Range<Int>) -> Int {
            rows.reduce(0) { count, y in
                count + columns.count { image.pixels[y * image.width + $0] < 200 }
            }
        }
        #expect(ink(40..<80, 18..<41) > 60)
        #expect(ink(30..<40, 0..<60) == 0)
        #expect(ink(300..<380, 14..<41) > 60)
        #expect(ink(381..<400, 0..<60) == 0)
        #expect(ink(0..<400, 50..<56) == 0)
    }

    @Test func svgHasTheSameAsText() {
        let svg = Self.chart.svg
        #expect(svg.contains("viewBox=\"0 0 200 100\""))
        #expect(svg.contains("<title>Lamp &amp; &lt;b&gt;</title>"))
        #expect(svg.contains("d=\"M20 80L100 80L100 30L180 30M20 90L60 90\""))
        #expect(svg.contains("stroke=\"#0a58ca\" stroke-width=\"4\""))
        #expect(svg.contains("text-anchor=\"end\">100%</text>"))
        #expect(svg.contains(">Lampe 漢字 &lt;b&gt;</text>"))
        #expect(svg.components(of: "<path") == 1)
    }

    @Test func aPictureThatIsTooLargeIsRefused() {
        let chart = ChartDrawing(title: "", width: 10_000, height: 10_000)
        #expect(throws: ChartError.self) { try chart.png() }
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
