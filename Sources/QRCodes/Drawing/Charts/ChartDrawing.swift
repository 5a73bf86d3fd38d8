/// Lines and text on white, to be drawn as SVG or as PNG. Lengths are units of the drawing, from its upper
/// left corner.
package struct ChartDrawing: Equatable, Sendable {
    package struct Colour: Equatable, Sendable {
        let red: UInt8
        let green: UInt8
        let blue: UInt8

        package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }
    }

    package struct Point: Equatable, Sendable {
        package let x: Double
        package let y: Double

        package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }

    package struct Text: Equatable, Sendable {
        /// Without control characters; any length and any script.
        package let text: String
        /// On the line on which the letters stand.
        package let origin: Point
        package let size: Double
        /// True if it ends at the origin instead of beginning there.
        package let endsThere: Bool

        package init(_ text: String, at origin: Point, size: Double = 13, endsThere: Bool = false) {
            (self.text, self.origin, self.size, self.endsThere) = (text, origin, size, endsThere)
        }
    }

    /// Connected points; a line of its own each.
    package struct Lines: Equatable, Sendable {
        package let lines: [[Point]]
        package let width: Double
        package let colour: Colour

        package init(_ lines: [[Point]], width: Double, colour: Colour) {
            (self.lines, self.width, self.colour) = (lines.filter { $0.count > 1 }, width, colour)
        }
    }

    static let ink = Colour(0x33, 0x33, 0x33)

    package let title: String
    package let width: Double
    package let height: Double
    package private(set) var texts: [Text] = []
    package private(set) var lines: [Lines] = []

    /// An empty drawing.
    ///
    /// - Parameter title: what a viewer calls it.
    package init(title: String, width: Double, height: Double) {
        (self.title, self.width, self.height) = (title, width, height)
    }

    package mutating func add(_ text: Text) { texts.append(text) }

    /// Adds lines, if any of them is longer than a point.
    package mutating func add(_ lines: Lines) {
        if !lines.lines.isEmpty { self.lines.append(lines) }
    }
}
