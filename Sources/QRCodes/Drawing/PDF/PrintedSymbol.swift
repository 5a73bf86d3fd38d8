import CCairo

/// A code as filled rectangles. Lengths are points.
struct PrintedSymbol {
    /// A dot of `PDFRendering.dotsPerInch`.
    static let dot = 72 / PDFRendering.dotsPerInch
    /// How far the edges of the square in the middle of a finder pattern are drawn inside of it. Poppler
    /// also tints dots that a rectangle only touches, and zbar took the faint row beside some squares for
    /// another row of them.
    private static let inset = dot / 16

    let symbol: QRSymbol
    /// The upper left corner of the first module.
    let left: Double
    let top: Double
    /// The side of a module.
    let module: Double

    /// Adds the dark modules to the path. One path and one fill for all of them: no seams where rectangles
    /// meet.
    func addPath(to context: OpaquePointer, with cairo: hubpair_cairo) {
        for run in symbol.darkRuns where !isInMiddleOfFinder(x: run.x, y: run.y) {
            cairo.cairo_rectangle(
                context, left + module * Double(run.x), top + module * Double(run.y),
                module * Double(run.length), module)
        }
        for (x, y) in finderMiddles {
            let side = 3 * module - 2 * PrintedSymbol.inset
            cairo.cairo_rectangle(
                context, left + module * Double(x) + PrintedSymbol.inset,
                top + module * Double(y) + PrintedSymbol.inset, side, side)
        }
    }

    /// The upper left modules of the squares of 3 × 3 modules in the finder patterns; ISO 18004 § 6.3.3.
    private var finderMiddles: [(x: Int, y: Int)] {
        let far = symbol.modulesPerSide - 5
        return [(2, 2), (far, 2), (2, far)]
    }

    private func isInMiddleOfFinder(x: Int, y: Int) -> Bool {
        finderMiddles.contains { (0..<3).contains(x - $0.x) && (0..<3).contains(y - $0.y) }
    }
}
