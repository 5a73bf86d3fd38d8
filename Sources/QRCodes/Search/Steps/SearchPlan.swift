/// The steps that are tried on a picture until one of them reads a code.
///
/// They are ordered by gain per time, measured with `Tests/Benchmarks/photos`. A lower effort shortens the
/// list. The limits of each step count work, not time, so that a result does not depend on the machine.
struct SearchPlan: Equatable {
    /// A way to look for codes.
    enum Method: Equatable {
        /// libzbar's own search, but not if more than this many finder patterns are sure and none belongs to
        /// a code that was read: libzbar tries all triples of them. `density`: the distance of its scan lines
        /// in pixels.
        case plain(finderPatterns: Int, density: Int32)
        /// libzbar's own search in the inverted picture.
        case negative
        /// Our own search by finder patterns.
        case symbols(SymbolSearch.Limits)
        /// Our own search and libzbar's in the dense regions of the picture, at most this many pixels in all.
        case denseRegions(SymbolSearch.Limits, pixels: Int)
        /// Our own search in the picture with an edge around it.
        case framed(Frame)
        /// libzbar's own search in the picture after a filter.
        case filtered(Filter)
    }

    /// A filter over the luminance.
    enum Filter: String, Equatable {
        case threshold, doubledAndSharpened, tripledAndThresholded, turned, wider, taller
    }

    /// An edge around a picture, for a code that was cut out without its quiet zone, and a magnification, for
    /// modules of one or two pixels.
    struct Frame: Equatable {
        /// The luminance of the edge: light for a dark code.
        let shade: UInt8
        let factor: Int
        /// The width of the edge in pixels of the magnified picture.
        static let width = 24

        func callAsFunction(_ image: LuminanceImage) -> LuminanceImage {
            image.framed(width: Frame.width, shade: shade, factor: factor)
        }

        /// Maps a place in the framed picture to its place in the picture.
        func origin(of place: PixelPoint) -> PixelPoint {
            PixelPoint(x: (place.x - Frame.width) / factor, y: (place.y - Frame.width) / factor)
        }
    }

    struct Step: Equatable {
        let method: Method
        /// At 1/`scale` of the picture's width and height.
        let scale: Int
        /// What the step is for.
        let reason: String
    }

    let steps: [Step]
    /// The scale at which barcodes of other kinds are searched after all steps have failed; nil to skip that
    /// search.
    let scaleForOthers: Int?

    /// The scales at which more codes are searched if there are signs of them.
    let finerScales: [Int]
    /// Whether those scales are searched in any case.
    let isExhaustive: Bool

    /// The plan for a picture of this size.
    init(width: Int, height: Int, effort: ScanEffort) {
        let size = width.multipliedReportingOverflow(by: height)
        let whole = size.overflow ? Int.max : size.partialValue
        func pixels(at scale: Int) -> Int { whole / (scale * scale) }
        // Coarse enough for a search of about 20 ms.
        var coarse = 1
        while pixels(at: coarse) > 1_500_000 { coarse *= 2 }
        let scales = sequence(first: coarse) { $0 > 1 ? $0 / 2 : nil }.filter {
            pixels(at: $0) <= ZBarSearch.maximumPixels
        }
        // If the quick search finds all codes, it is faster than libzbar's own.
        var steps = [
            Step(
                method: .symbols(.quick(pixels: pixels(at: coarse))), scale: coarse,
                reason: "most codes are large enough; tilted, badly lit, light on dark")
        ]
        let plain = Step(
            // libzbar wants three lines through the middle of a finder pattern, which has three modules: four
            // pixels apart, they see modules of four pixels and more.
            method: effort == .thorough
                ? .plain(finderPatterns: .max, density: 2)
                : .plain(finderPatterns: 9, density: pixels(at: coarse) > 400_000 ? 4 : 2), scale: coarse,
            reason: "what is damaged where finder patterns are looked for")
        // From here on the next finer scale is decoded together with the coarse one.
        if coarse < 4 { steps.append(plain) }
        scaleForOthers = effort == .quick ? nil : coarse
        let finer = scales.dropFirst()
        isExhaustive = effort == .thorough
        finerScales = Array(effort == .thorough ? finer[...] : finer.prefix(effort == .quick ? 1 : 2))
        for scale in finer.prefix(effort == .quick ? 1 : 2) {
            steps.append(
                Step(
                    method: .symbols(.quick(pixels: pixels(at: scale), isFiner: true)), scale: scale,
                    reason: "codes that are small in the picture"))
            if coarse >= 4, scale == coarse / 2 { steps.append(plain) }
            // The most expensive step: about 35 ms a megapixel.
            if effort == .thorough {
                steps.append(
                    Step(
                        method: .plain(finderPatterns: .max, density: 2), scale: scale,
                        reason: "several small codes, or large versions"))
            }
        }
        if coarse >= 4, !steps.contains(plain) { steps.append(plain) }
        guard effort != .quick else {
            self.steps = steps
            return
        }
        if coarse > 1 {
            steps.append(
                Step(
                    method: .denseRegions(.region, pixels: 400_000), scale: 1,
                    reason: "codes of two or three pixels a module in a large picture"))
        }
        if whole <= 600_000 {
            // Magnified, a code that was cut out is found as well.
            for factor in whole <= 90_000 ? [3] : [1] {
                for shade: UInt8 in [255, 0] {
                    steps.append(
                        Step(
                            method: .framed(Frame(shade: shade, factor: factor)), scale: 1,
                            reason: factor == 1
                                ? "a code that was cut out to its edge" : "modules of one or two pixels"
                        ))
                }
            }
        }
        // In a smaller picture a code fills the picture, or is too small anyway. Twice: the finder patterns
        // of one that fills it are wider than a neighbourhood of the coarsest scale.
        for scale in [2 * coarse, 4 * coarse] where pixels(at: scale) > 50_000 {
            steps.append(
                Step(
                    method: .symbols(.quick(pixels: pixels(at: scale))), scale: scale,
                    reason: "large and noisy: averaging sees through noise, texture, moiré and dust"))
        }
        steps.append(
            Step(
                method: .symbols(effort == .thorough ? .thorough : .normal(pixels: pixels(at: coarse))),
                scale: coarse,
                reason: "blurred, low in contrast, or with a finder pattern that is covered"))
        guard effort == .thorough else {
            self.steps = steps
            return
        }
        for scale in finer {
            steps.append(
                Step(
                    method: .symbols(.thorough), scale: scale,
                    reason: "the same for what is small in the picture"))
        }
        for filter in [
            Filter.threshold, .tripledAndThresholded, .turned, .wider, .taller,
        ] where pixels(at: coarse) * filter.growth <= ZBarSearch.maximumPixels {
            steps.append(Step(method: .filtered(filter), scale: coarse, reason: filter.reason))
        }
        steps.append(
            Step(method: .negative, scale: coarse, reason: "several codes, light on dark"))
        self.steps = steps
    }
}

extension SearchPlan.Filter {
    /// By how much the filter multiplies the number of pixels.
    var growth: Int {
        switch self {
        case .threshold: 1
        case .turned, .wider, .taller: 2
        case .doubledAndSharpened: 4
        case .tripledAndThresholded: 9
        }
    }

    fileprivate var reason: String {
        switch self {
        case .threshold: "shadows and slopes of the light"
        case .doubledAndSharpened: "modules of one or two pixels"
        case .tripledAndThresholded: "tiny and badly lit"
        case .turned: "libzbar follows rows and columns, and a code on its tip crosses them aslant"
        case .wider, .taller: "a code that is foreshortened one way"
        }
    }

    /// The picture after the filter.
    func callAsFunction(_ image: LuminanceImage) -> LuminanceImage {
        switch self {
        case .threshold: image.thresholded(window: 51, offset: 5)
        case .doubledAndSharpened: image.stretched(across: 2, down: 2).sharpened()
        case .tripledAndThresholded:
            image.stretched(across: 3, down: 3).thresholded(window: 101, offset: 5)
        case .turned: image.turned45()
        case .wider: image.stretched(across: 1.7, down: 1)
        case .taller: image.stretched(across: 1, down: 1.7)
        }
    }

    /// Maps a place in the filtered picture to its place in `image`.
    func origin(of place: PixelPoint, in image: LuminanceImage) -> PixelPoint {
        let (x, y) = (Float(place.x), Float(place.y))
        switch self {
        case .threshold: return place
        case .doubledAndSharpened: return Vector(x: x / 2, y: y / 2).pixel
        case .tripledAndThresholded: return Vector(x: x / 3, y: y / 3).pixel
        case .wider: return Vector(x: x / 1.7, y: y).pixel
        case .taller: return Vector(x: x, y: y / 1.7).pixel
        case .turned: return image.beforeTurning(Vector(x: x, y: y)).pixel
        }
    }
}
