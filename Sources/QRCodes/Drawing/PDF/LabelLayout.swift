/// A paragraph of the text beside a printed code.
package struct LabelText: Codable, Equatable, Sendable {
    /// How it is set.
    package enum Role: String, Codable, Equatable, Sendable {
        /// Large and bold; the hub's name.
        case title
        /// A monospaced font, so that letters are not confused; broken at most once, at the hyphen in the
        /// middle.
        case code
        /// Running text.
        case body
    }

    package let text: String
    package let role: Role

    package init(_ text: String, _ role: Role) {
        self.text = text
        self.role = role
    }
}

/// Where the code and its text are on a label. Lengths are millimetres from the label's upper left corner.
struct LabelLayout {
    /// The smallest module that is printed, in millimetres. GS1 General Specifications § 5.12.3.1 asks for at
    /// least 0.396 where cameras of all kinds read, and our own reader reads every code of that size at 150
    /// dpi.
    static let smallestModule = 0.4
    /// Between the code's quiet zone and the text.
    private static let gap = 1.0

    /// The upper left corner and the side of the code, quiet zone included.
    let code: (x: Double, y: Double, side: Double)
    /// The upper left corner and the width of the text.
    let text: (x: Double, y: Double, width: Double)
    /// In points of 1/72 inch.
    let fontSize: Double
    /// True: the text is below the code and centred. False: it is to the right of the code.
    let isBelow: Bool

    /// What a label may look like.
    struct Rules {
        /// In points, in any order.
        var fontSizes: [Double]
        /// The largest code, with its quiet zone.
        var largestCode: Double
        /// The white border around the text.
        var margin: Double
        /// The white border around the code's quiet zone.
        var codeMargin: Double
        /// A module is a multiple of this, unless no layout has room for that; nil for any size.
        var moduleStep: Double? = nil
    }

    /// The best layout of a label, or nil if no layout has room for the text and large enough modules. Text
    /// and code are balanced: a layout is rated by the smaller of two ratios, font size to 8 points and
    /// module size to 0.75 mm, and the best layout has the highest rating.
    ///
    /// - Parameters:
    ///   - modules: The code's side with its quiet zone.
    ///   - textHeight: The height of all text at a font size and in a width; nil if it does not fit that
    ///     width.
    init?(
        of label: LabelSize, modules: Int, rules: Rules,
        textHeight: (_ fontSize: Double, _ width: Double) -> Double?
    ) {
        let least = LabelLayout.smallestModule * Double(modules)
        /// The largest side up to `high` that fits, of whole steps a module if there are steps. What is
        /// larger than a side that does not fit does not fit either.
        func largestSide(upTo high: Double, where fits: (Double) -> Bool) -> Double? {
            guard high >= least, fits(least) else { return nil }
            if let step = rules.moduleStep {
                // A hair of room: a side of whole steps may be `high` but for rounding.
                let first = (high / Double(modules) / step + 1e-6).rounded(.down)
                for steps in stride(from: first, to: 0, by: -1) {
                    let side = steps * step * Double(modules)
                    guard side >= least else { break }
                    if fits(side) { return side }
                }
                return nil
            }
            if fits(high) { return high }
            // Bisect to 0.1 mm.
            var (low, high) = (least, high)
            while high - low > 0.1 {
                let middle = (low + high) / 2
                if fits(middle) { low = middle } else { high = middle }
            }
            return low
        }
        var best: (score: Double, layout: LabelLayout)?
        func consider(_ side: Double, _ fontSize: Double, _ makeLayout: () -> LabelLayout) {
            let score = min(fontSize / 8, side / Double(modules) / 0.75)
            if score > best?.score ?? 0 { best = (score, makeLayout()) }
        }
        let widest = min(label.width - 2 * rules.codeMargin, rules.largestCode)
        for size in rules.fontSizes.sorted(by: >) {
            let width = label.width - 2 * rules.margin
            if let text = textHeight(size, width) {
                let free = label.height - rules.codeMargin - LabelLayout.gap - text - rules.margin
                if let side = largestSide(upTo: min(widest, free), where: { _ in true }) {
                    consider(side, size) {
                        let top = rules.codeMargin + (free - side) / 2
                        return LabelLayout(
                            code: ((label.width - side) / 2, top, side),
                            text: (rules.margin, top + side + LabelLayout.gap, width),
                            fontSize: size, isBelow: true)
                    }
                }
            }
            // The wider the code, the narrower and higher the text.
            func text(beside side: Double) -> (x: Double, width: Double, height: Double)? {
                let x = rules.codeMargin + side + LabelLayout.gap
                let width = label.width - rules.margin - x
                guard width > 0, let height = textHeight(size, width),
                    height <= label.height - 2 * rules.margin
                else { return nil }
                return (x, width, height)
            }
            let highest = min(widest, label.height - 2 * rules.codeMargin)
            guard let side = largestSide(upTo: highest, where: { text(beside: $0) != nil }),
                let text = text(beside: side)
            else { continue }
            consider(side, size) {
                LabelLayout(
                    code: (rules.codeMargin, (label.height - side) / 2, side),
                    text: (text.x, (label.height - text.height) / 2, text.width),
                    fontSize: size, isBelow: false)
            }
        }
        if let best {
            self = best.layout
        } else if rules.moduleStep != nil {
            var anySize = rules
            anySize.moduleStep = nil
            self.init(of: label, modules: modules, rules: anySize, textHeight: textHeight)
        } else {
            return nil
        }
    }

    private init(
        code: (x: Double, y: Double, side: Double), text: (x: Double, y: Double, width: Double),
        fontSize: Double, isBelow: Bool
    ) {
        self.code = code
        self.text = text
        self.fontSize = fontSize
        self.isBelow = isBelow
    }
}
