/// What a PDF is printed on.
package enum PrintMedium: Codable, Equatable, Sendable {
    /// One code on a sheet of paper.
    case page(PaperSize)
    /// A page that is one label: for label printers, or to be cut out.
    case label(LabelSize)
    /// Labels side by side. Without a size they divide the paper without gaps; with one they are centred on
    /// it.
    case sheet(SheetGrid, PaperSize, LabelSize?)

    /// How many labels there are.
    package var labelCount: Int {
        if case .sheet(let grid, _, _) = self { grid.columns * grid.rows } else { 1 }
    }
}

/// A sheet of paper, upright.
package enum PaperSize: String, CaseIterable, Codable, Sendable, CustomStringConvertible {
    /// ISO 216: 210 × 297 mm.
    case a4
    /// ANSI/ASME Y14.1: 8.5 × 11 in.
    case letter

    package var description: String { self == .a4 ? "A4" : "Letter" }

    /// In millimetres.
    package var size: LabelSize {
        switch self {
        case .a4: LabelSize(width: 210, height: 297)
        case .letter: LabelSize(width: 215.9, height: 279.4)
        }
    }
}

/// A label's width and height in millimetres.
///
///     size   = number [ "x" number ] [ "mm" ]     ; one number: a square
///     number = 1*4DIGIT [ "." 1*2DIGIT ]          ; 10 to 500
///
/// Accepted: `40mm`, `62x29mm`, `63.5x38.1`. Rejected: `4cm`, `62x`, `-40mm`, `9mm`, `501mm`, `nan`.
package struct LabelSize: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The range of a side in millimetres.
    package static let range = 10.0...500.0

    package let width: Double
    package let height: Double

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Nil unless `text` is of the form above.
    package init?(_ text: some StringProtocol) {
        let numbers = (text.hasSuffix("mm") ? text.dropLast(2) : text[...])
            .split(separator: "x", omittingEmptySubsequences: false).map { decimal($0) }
        guard numbers.count <= 2, let width = numbers[0], let height = numbers[numbers.count - 1],
            LabelSize.range.contains(width), LabelSize.range.contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// `62x29mm`; to a tenth of a millimetre.
    package var description: String { "\(tenths(width))x\(tenths(height))mm" }
}

/// How many labels a sheet has.
///
///     grid   = number ( "x" / "X" / "×" ) number  ; columns x rows
///     number = 1*2DIGIT                           ; 1 to 99
///
/// Accepted: `3x8`, `3X8`, `3×8`, `1x1`. Rejected: `0x3`, `100x100`, `3x`, `+3x8`.
package struct SheetGrid: Codable, Equatable, Sendable, CustomStringConvertible {
    package let columns: Int
    package let rows: Int

    /// Nil unless `text` is of the form above.
    package init?(_ text: some StringProtocol) {
        let numbers = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }.map { whole($0) }
        guard numbers.count == 2, let columns = numbers[0], let rows = numbers[1],
            (1...99).contains(columns), (1...99).contains(rows)
        else { return nil }
        self.columns = columns
        self.rows = rows
    }

    package var description: String { "\(columns)x\(rows)" }
}

/// One to four ASCII digits. `Int` alone would take "+3" too.
private func whole(_ text: some StringProtocol) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
    }
    return Int(text)
}

/// Digits with up to two decimals. `Double` alone would take "nan" and "0x1p3" too.
private func decimal(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let units = whole(parts[0]) else { return nil }
    guard parts.count == 2 else { return Double(units) }
    guard parts[1].utf8.count <= 2, let fraction = whole(parts[1]) else { return nil }
    return Double(units) + Double(fraction) / (parts[1].utf8.count == 1 ? 10 : 100)
}

private func tenths(_ length: Double) -> String {
    let count = Int((length * 10).rounded())
    return count % 10 == 0 ? "\(count / 10)" : "\(count / 10).\(count % 10)"
}
