/// The search for QR codes in one picture, step by step as a `SearchPlan` says.
///
/// It stops at the first step that reads a code, unless there are signs of more codes: then `readOthers`
/// continues. If nothing is read, a diagnosis is derived from what the steps saw.
package struct PictureSearch {
    /// The outcome of a search.
    package struct Outcome: Equatable, Sendable {
        package var result = QRScanResult()
        /// The decoder's error if it returned a picture nevertheless.
        package var damage: String?
        /// True if the budget was spent before all steps were done.
        package var isCut = false
    }

    let source: ImageSource
    let plan: SearchPlan
    let sought: [[UInt8]]
    private let budget: WorkBudget
    private let tell: (Outcome) -> Void
    /// The scales at which nothing was read and a crowd was searched for.
    private(set) var crowded: Set<Int> = []
    /// The picture at the scales that were needed so far.
    private var pictures: [Int: LuminanceImage] = [:]
    /// What the searches by finder patterns saw, with the scale of each one.
    var sightings: [(scale: Int, seen: SymbolSearch.Outcome)] = []
    var outcome = Outcome()

    /// Every QR code in a picture. If there is none, barcodes of other kinds, and the reason.
    ///
    /// - Throws: `ImageError` from the decoder, `QRScanError` from libzbar.
    /// `sought`: see `ImageScan`.
    package static func run(
        _ source: ImageSource, effort: ScanEffort = .normal, sought: [[UInt8]] = [],
        budget: WorkBudget = .unlimited
    ) throws -> Outcome {
        var search = PictureSearch(source, effort: effort, sought: sought, budget: budget)
        try search.run()
        return search.outcome
    }

    /// - Parameter tell: called with what has been found until now.
    init(
        _ source: ImageSource, effort: ScanEffort, sought: [[UInt8]] = [], budget: WorkBudget = .unlimited,
        tell: @escaping (Outcome) -> Void = { _ in }
    ) {
        self.source = source
        (self.budget, self.tell) = (budget, tell)
        self.sought = sought
        plan = SearchPlan(width: source.width, height: source.height, effort: effort)
    }

    mutating func run() throws {
        // What fills the picture leaves no room for others.
        if source.width * source.height <= DrawnCode.maximumPixels {
            outcome.result = try DrawnCode.read(try picture(1))
            if !outcome.result.codes.isEmpty { return }
        }
        if plan.isExhaustive, let first = plan.steps.first {
            // So that more effort never reads less.
            var normal = PictureSearch(source, effort: .normal, sought: sought, budget: budget, tell: tell)
            try normal.run()
            (pictures, sightings, outcome) = (normal.pictures, normal.sightings, normal.outcome)
            if !outcome.result.codes.isEmpty { return try readOthers(from: first.scale) }
        }
        for (index, step) in plan.steps.enumerated() {
            // The first step costs least.
            if index > 0, isOver() { break }
            let found = try carryOut(step, on: try picture(step.scale))
            outcome.result.incompleteStructuredAppends = max(
                outcome.result.incompleteStructuredAppends, found.incompleteStructuredAppends)
            outcome.result.emptyCodes = max(outcome.result.emptyCodes, found.emptyCodes)
            outcome.result.codes = found.codes.map { $0.scaled(by: step.scale) }.withoutContradictions
            if outcome.result.codes.isEmpty, case .symbols = step.method,
                let seen = sightings.last?.seen,
                seen.hasManySure || isForUnclearCrowd(step.scale),
                seen.suggestsCrowd(in: try picture(step.scale)), crowded.insert(step.scale).inserted
            {
                var codes: [ScannedQRCode] = []
                _ = try readCrowd(step.scale, &codes, isUnclear: !seen.hasManySure)
                outcome.result.codes = codes
            }
            if !outcome.result.codes.isEmpty { return try readOthers(from: step.scale) }
        }
        guard outcome.result.isEmpty, !isOver(), let scale = plan.scaleForOthers else { return }
        let picture = try picture(scale)
        let others = try ZBarSearch.linearSymbols(in: picture)
        outcome.result.otherSymbologies = Set(others.map(\.name)).sorted()
        outcome.result.diagnosis = ScanDiagnosis(
            picture, at: pictures, sightings: sightings, others: others)
    }

    func tellOf(_ codes: [ScannedQRCode]) {
        var found = outcome
        found.result.codes = codes.withoutContradictions.inReadingOrder
        tell(found)
    }

    /// True if no time is left, which is noted.
    mutating func isOver() -> Bool {
        if budget.isSpent { outcome.isCut = true }
        return outcome.isCut
    }

    mutating func picture(_ scale: Int) throws(ImageError) -> LuminanceImage {
        if let known = pictures[scale] { return known }
        if pictures.isEmpty, scale >= 4 {
            // For a JPEG the work is nearly the same at any scale: the next finer one, which is often needed,
            // costs a twentieth more.
            _ = try source.luminance(scale: scale / 2)
        } else if !source.isDecoded(scale: scale), let finest = plan.steps.map(\.scale).min(), finest < scale
        {
            // If that was not enough, the finest one is decoded, and the others reduced from it.
            _ = try self.picture(finest)
        }
        let picture = try source.luminance(scale: scale)
        pictures[scale] = picture
        outcome.damage = outcome.damage ?? picture.damage
        return picture
    }

    /// True if a code without its border may fill the picture: something resembles a finder pattern, or three
    /// corners of the picture have another shade than the border would have, as the squares of a code.
    private func mayBeCutOut(_ picture: LuminanceImage, from shade: UInt8) -> Bool {
        guard !sightings.contains(where: { !$0.seen.patterns.isEmpty }) else { return true }
        let (width, height) = (picture.width, picture.height)
        guard width > 8, height > 8 else { return true }
        let sample = stride(from: 0, to: picture.pixels.count, by: 97).map { Int(picture.pixels[$0]) }
        let mean = sample.reduce(0, +) / max(1, sample.count)
        var other = 0
        for (x, y) in [(3, 3), (width - 4, 3), (3, height - 4), (width - 4, height - 4)] {
            var sum = 0
            for row in y - 1...y + 1 {
                for column in x - 1...x + 1 { sum += Int(picture.pixels[row * width + column]) }
            }
            if (sum > 9 * mean) != (shade > 127) { other += 1 }
        }
        return other > 2
    }

    mutating func carryOut(_ step: SearchPlan.Step, on picture: LuminanceImage)
        throws(QRScanError) -> QRScanResult
    {
        switch step.method {
        case .plain(let finderPatterns, let density):
            let seen = sightings.filter { $0.scale == step.scale }
            let isCrowded = seen.contains { $0.seen.sureCount > finderPatterns }
            // libzbar reads by finder patterns too: where nothing resembles one, it does nothing but cost.
            let isBare = !plan.isExhaustive && !seen.isEmpty && seen.allSatisfy { $0.seen.patterns.isEmpty }
            return isCrowded || isBare ? QRScanResult() : try ZBarSearch.run(picture, density: density)
        case .framed(let frame):
            guard frame.factor > 1 || plan.isExhaustive || mayBeCutOut(picture, from: frame.shade) else {
                return QRScanResult()
            }
            let (seen, result) = try PictureSearch.symbols(
                in: frame(picture), limits: .quick(pixels: picture.pixels.count))
            var found = result
            found.codes = result.codes.map { $0.moved(frame.origin) }
            return seen.result.isEmpty ? QRScanResult() : found
        case .negative: return try ZBarSearch.run(picture.inverted)
        case .symbols(let limits):
            let first = sightings.last { $0.scale == step.scale && $0.seen.first?.limits == limits.finders }
            let (seen, result) = try PictureSearch.symbols(
                in: picture, limits: limits, first: first?.seen.first)
            sightings.append((step.scale, seen))
            return result
        case .denseRegions(let limits, let pixels):
            return try PictureSearch.regions(of: picture, limits: limits, pixels: pixels)
        case .filtered(let filter):
            var result = try ZBarSearch.run(filter(picture))
            result.codes = result.codes.map { $0.moved { filter.origin(of: $0, in: picture) } }
            return result
        }
    }
}

extension PictureSearch {
    /// Our own search, and libzbar's if there is a part of a structured append: it joins the parts. `noise`:
    /// that of the whole picture, if `image` is a part.
    private static func symbols(
        in image: LuminanceImage, limits: SymbolSearch.Limits, noise: Float? = nil,
        first: SymbolSearch.FirstField? = nil
    ) throws(QRScanError) -> (seen: SymbolSearch.Outcome, result: QRScanResult) {
        let seen = try SymbolSearch.run(image, limits: limits, noise: noise, first: first)
        guard seen.result.incompleteStructuredAppends > 0 else { return (seen, seen.result) }
        var result = try ZBarSearch.run(image)
        guard !result.isEmpty else { return (seen, seen.result) }
        result.codes.add(seen.result.codes)
        result.codes = result.codes.inReadingOrder
        return (seen, result)
    }

    /// The codes in the dense regions of a picture, `pixels` pixels of them in all. Regions with their middle
    /// in one of the `known` codes are skipped.
    static func regions(
        of image: LuminanceImage, limits: SymbolSearch.Limits, pixels: Int,
        besides known: [ScannedQRCode] = []
    ) throws(QRScanError) -> QRScanResult {
        var result = QRScanResult()
        let noise = image.noise
        var left = pixels
        for region in DenseRegion.among(image, limit: 16 + known.count)
        where !known.contains(where: { $0.holds(region.middle) }) {
            left -= region.width * region.height
            guard left >= 0 else { break }
            let part = region.cut(from: image)
            var (seen, found) = try symbols(in: part, limits: limits, noise: noise)
            // libzbar tries all triples of finder patterns, so it is not used if there are too many.
            if found.isEmpty, seen.sureCount <= limits.crowd { found = try ZBarSearch.run(part) }
            result.codes.add(
                found.codes.map { $0.moved { PixelPoint(x: $0.x + region.x, y: $0.y + region.y) } })
            result.emptyCodes += found.emptyCodes
            result.incompleteStructuredAppends = max(
                result.incompleteStructuredAppends, found.incompleteStructuredAppends)
        }
        result.codes = result.codes.inReadingOrder
        return result
    }
}
