/// A paragraph of the text beside a printed code.
package struct LabelText: Equatable, Sendable {
    /// How it is set.
    package enum Role: Equatable, Sendable {
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
        /// The white border all around.
        var margin: Double
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
        let width = label.width - 2 * rules.margin
        let height = label.height - 2 * rules.margin
        let least = LabelLayout.smallestModule * Double(modules)
        var best: (score: Double, layout: LabelLayout)?
        func consider(_ side: Double, _ fontSize: Double, _ makeLayout: () -> LabelLayout) {
            guard side >= least else { return }
            let score = min(fontSize / 8, side / Double(modules) / 0.75)
            if score > best?.score ?? 0 { best = (score, makeLayout()) }
        }
        for size in rules.fontSizes.sorted(by: >) {
            if let text = textHeight(size, width) {
                let side = min(width, height - LabelLayout.gap - text, rules.largestCode)
                consider(side, size) {
                    let top = (label.height - side - LabelLayout.gap - text) / 2
                    return LabelLayout(
                        code: ((label.width - side) / 2, top, side),
                        text: (rules.margin, top + side + LabelLayout.gap, width),
                        fontSize: size, isBelow: true)
                }
            }
            func fits(_ side: Double) -> Double? {
                let room = width - side - LabelLayout.gap
                guard room > 0, let text = textHeight(size, room), text <= height else { return nil }
                return text
            }
            // The wider the code, the narrower and higher the text. Bisect to 0.1 mm.
            var low = least
            var high = min(height, width, rules.largestCode)
            guard high >= low, var text = fits(low) else { continue }
            if let atHighest = fits(high) { (low, text) = (high, atHighest) }
            while high - low > 0.1 {
                let middle = (low + high) / 2
                if let height = fits(middle) { (low, text) = (middle, height) } else { high = middle }
            }
            let side = low
            consider(side, size) {
                let x = rules.margin + side + LabelLayout.gap
                return LabelLayout(
                    code: (rules.margin, (label.height - side) / 2, side),
                    text: (x, (label.height - text) / 2, label.width - rules.margin - x),
                    fontSize: size, isBelow: false)
            }
        }
        guard let best else { return nil }
        self = best.layout
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
