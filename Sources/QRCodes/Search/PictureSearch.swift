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

    /// Codes with smaller modules, in pixels, are read by luck: others beside them may leave no sign.
    private static let clearModule: Float = 3

    /// Of a crowd of codes with smaller modules some are not seen, however clear they are.
    private static let unclearModule: Float = 1.9

    /// A search for a crowd takes some 40 ms a megapixel.
    private static let maximumUnclearPixels = 3_000_000

    let source: ImageSource
    let plan: SearchPlan
    private let sought: [UInt8]
    private let budget: WorkBudget
    private let tell: (Outcome) -> Void
    /// The scales at which nothing was read and a crowd was searched for.
    private var crowded: Set<Int> = []
    /// The picture at the scales that were needed so far.
    private var pictures: [Int: LuminanceImage] = [:]
    /// What the searches by finder patterns saw, with the scale of each one.
    private(set) var sightings: [(scale: Int, seen: SymbolSearch.Outcome)] = []
    private(set) var outcome = Outcome()

    /// Every QR code in a picture. If there is none, barcodes of other kinds, and the reason.
    ///
    /// - Throws: `ImageError` from the decoder, `QRScanError` from libzbar.
    /// `sought`: see `ImageScan`.
    package static func run(
        _ source: ImageSource, effort: ScanEffort = .normal, sought: [UInt8] = [],
        budget: WorkBudget = .unlimited
    ) throws -> Outcome {
        var search = PictureSearch(source, effort: effort, sought: sought, budget: budget)
        try search.run()
        return search.outcome
    }

    /// - Parameter tell: called with what has been found until now.
    init(
        _ source: ImageSource, effort: ScanEffort, sought: [UInt8] = [], budget: WorkBudget = .unlimited,
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

    /// Continues where there are signs of more codes: a sheet of labels, or codes of several sizes.
    ///
    /// A single code of clear modules with nothing beside it ends the search at little cost. If there are
    /// several codes, or finder patterns outside of one, here or at the next finer scale, or if it is not the
    /// one that is sought, this scale is searched for a crowd, and then the finer ones. Codes that are too
    /// small to leave any sign beside a sought one are found only with `thorough`.
    private mutating func readOthers(from first: Int) throws {
        var codes = outcome.result.codes
        tellOf(codes)
        var isPromising = codes.count > 1
        var scales = [first] + plan.finerScales.filter { $0 < first }
        if !isPromising, let before = sightings.last(where: { $0.scale == first })?.seen {
            isPromising = before.suggestsMore(besides: codes, scale: first, in: try picture(first))
            let size = before.readModuleSize ?? .infinity
            let closer = plan.finerScales.contains(first / 2) ? first / 2 : first
            // To decode the finer scale would cost most.
            if !isPromising,
                closer < first && source.isDecoded(scale: closer) || size < PictureSearch.clearModule
            {
                isPromising = try closerLookSuggestsMore(
                    besides: codes, ofModules: size * Float(first / closer), scale: closer)
                if isPromising { scales.removeAll { $0 > closer } }
            }
        }
        var looksCloser = isPromising || isSeeking(codes)
        for scale in scales
        where (isPromising || plan.isExhaustive || isSeeking(codes)) && !isOver() {
            let count = codes.count
            let left = try readCrowd(scale, &codes)
            tellOf(codes)
            if scale == 1 {
                codes.add(try tinyCodes(besides: codes))
                looksCloser = false
            }
            // libzbar's own search costs most.
            if scale < first, codes.count > count && left > 0 || left > 2 || plan.isExhaustive {
                codes.add(try ZBarSearch.run(picture(scale)).codes.map { $0.scaled(by: scale) })
            }
            isPromising = codes.count > count || left > 0 || codes.count > 1 && scale == first
        }
        if looksCloser, !isOver() { codes.add(try tinyCodes(besides: codes)) }
        if isSeeking(codes), try unread(besides: codes) > 0 { try lookHarder(&codes) }
        outcome.result.codes = codes.withoutContradictions.inReadingOrder
        outcome.result.unread = try unread(besides: outcome.result.codes)
    }

    /// True if there are finder patterns outside of these codes at this scale, which is finer than that at
    /// which they were read, or the finest of the plan. What is seen there is kept for its own search.
    ///
    /// - Parameter size: the pixels of a module of the codes at this scale; infinity if unknown.
    private mutating func closerLookSuggestsMore(
        besides codes: [ScannedQRCode], ofModules size: Float, scale: Int
    ) throws -> Bool {
        let picture = try picture(scale)
        // What is larger would have been seen before; what is smaller cannot be read here, and half of that
        // not at the next finer scale.
        let middle = min(size, PictureSearch.clearModule)
        let least = plan.finerScales.contains { $0 < scale } ? middle / 2.5 : middle / 1.8
        let sizes = least...1.5 * middle
        let limits = SymbolSearch.Limits.quick(pixels: picture.pixels.count, isFiner: true).finders
        if size >= PictureSearch.clearModule, let last = sightings.last, last.scale == 2 * scale,
            let coarse = last.seen.first, let field = ContrastField(picture, thresholdsOf: coarse.field)
        {
            // Beside a clear code there is mostly nothing: a glance is enough to see that.
            let found = FinderSearch.patterns(in: field, noise: picture.noise, limits: limits)
            return SymbolSearch.Outcome(patterns: found.best)
                .showsAnother(besides: codes, ofModules: sizes, scale: scale, in: picture)
        }
        let first = SymbolSearch.FirstField(picture, limits: limits)
        let seen = SymbolSearch.Outcome(first: first, patterns: first.patterns.best)
        sightings.append((scale, seen))
        if seen.showsAnother(besides: codes, ofModules: sizes, scale: scale, in: picture) { return true }
        guard size < PictureSearch.clearModule else { return false }
        let sharp = SymbolSearch.Field.sharp
        let field = ContrastField(picture.sharpened(), radius: sharp.radius, byMean: sharp.isByMean)
        let found = FinderSearch.patterns(in: field, noise: 2 * first.noise, limits: limits)
        return SymbolSearch.Outcome(patterns: found.best)
            .showsAnother(besides: codes, ofModules: sizes, scale: scale, in: picture)
    }

    /// True if a crowd of unclear finder patterns may be searched for at this scale. What is unclear at a
    /// coarse scale is clear at the next one; and a large picture of gravel has thousands of them.
    private func isForUnclearCrowd(_ scale: Int) -> Bool {
        source.width * source.height / (scale * scale) <= PictureSearch.maximumUnclearPixels
            && !plan.finerScales.contains { $0 < scale }
    }

    private func tellOf(_ codes: [ScannedQRCode]) {
        var found = outcome
        found.result.codes = codes.withoutContradictions.inReadingOrder
        tell(found)
    }

    /// True if no time is left, which is noted.
    private mutating func isOver() -> Bool {
        if budget.isSpent { outcome.isCut = true }
        return outcome.isCut
    }

    /// True while no code was read that begins as the sought one does.
    private func isSeeking(_ codes: [ScannedQRCode]) -> Bool {
        !sought.isEmpty && !codes.contains { $0.payload.starts(with: sought) }
    }

    /// The searches for a code that is hard to read, beside those that were read.
    private mutating func lookHarder(_ codes: inout [ScannedQRCode]) throws {
        for step in plan.steps {
            guard case .symbols(let limits) = step.method, limits.pairs > 0, !isOver() else { continue }
            let seen = try SymbolSearch.run(
                try picture(step.scale), limits: limits, besides: codes.map { $0.scaled(down: step.scale) })
            sightings.append((step.scale, seen))
            codes.add(seen.result.codes.map { $0.scaled(by: step.scale) })
        }
    }

    /// How many codes were seen besides these: three finder patterns that surely are such, with timing
    /// patterns or a grid that fit.
    private mutating func unread(besides codes: [ScannedQRCode]) throws -> Int {
        var places: [(middle: Vector, radius: Float)] = []
        for (scale, seen) in sightings {
            let picture = try picture(scale)
            let fitting = seen.grids.filter {
                $0.score.known > ScanDiagnosis.surelyCode
                    && $0.clearness.sharpness > ScanDiagnosis.leastSharpness
            }
            for triple in fitting.map(\.triple) + seen.unread {
                let (right, down) = (triple.right.centre * Float(scale), triple.down.centre * Float(scale))
                let (middle, radius) = ((right + down) * 0.5, (right - down).length / 2)
                let taken = [middle] + triple.centres.map { $0 * Float(scale) }
                guard !taken.contains(where: { place in codes.contains { $0.holds(place) } }),
                    !places.contains(where: { ($0.middle - middle).length < max($0.radius, radius) }),
                    [triple.corner, triple.right, triple.down].allSatisfy({
                        FinderLikeness($0, in: picture).isSure
                    })
                else { continue }
                places.append((middle, radius))
            }
        }
        return places.count
    }

    /// Adds the codes of a crowd at 1/`scale` of the picture. Returns how many small finder patterns are
    /// left. `isUnclear`: it is known that modules are hardly clear.
    private mutating func readCrowd(
        _ scale: Int, _ codes: inout [ScannedQRCode], isUnclear: Bool = false
    ) throws -> Int {
        let picture = try picture(scale)
        let first = sightings.last { $0.scale == scale && $0.seen.first != nil }?.seen.first
        var left = 0
        for field in [nil, SymbolSearch.Field.sharp] where field == nil || !codes.isEmpty {
            let seen = try CrowdSearch.run(
                picture, limits: .many(pixels: picture.pixels.count), field: field,
                besides: codes.map { $0.scaled(down: scale) }, first: first)
            sightings.append((scale, seen))
            codes.add(seen.result.codes.map { $0.scaled(by: scale) })
            left = seen.smallPatterns(besides: codes, scale: scale)
            let size = seen.readModuleSize ?? .infinity
            if isForUnclearCrowd(scale), isUnclear || size < PictureSearch.unclearModule {
                // Doubled, more lines cross a finder pattern, between the pixels.
                let filter = SearchPlan.Filter.doubledAndSharpened
                let doubled = filter(picture)
                let more = try CrowdSearch.run(
                    doubled, limits: .many(pixels: doubled.pixels.count),
                    besides: codes.map { $0.scaled(down: scale).scaled(by: 2) })
                codes.add(
                    more.result.codes.map { code in
                        code.moved { filter.origin(of: $0, in: picture) }.scaled(by: scale)
                    })
                return seen.smallPatterns(besides: codes, scale: scale)
            }
        }
        return left
    }

    /// The codes in the dense regions of the whole picture besides `codes`, if the plan has that step.
    private mutating func tinyCodes(besides codes: [ScannedQRCode]) throws -> [ScannedQRCode] {
        for step in plan.steps {
            guard case .denseRegions(let limits, let pixels) = step.method else { continue }
            return try PictureSearch.regions(
                of: try picture(step.scale), limits: limits, pixels: pixels, besides: codes
            ).codes
        }
        return []
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

    mutating func carryOut(_ step: SearchPlan.Step, on picture: LuminanceImage)
        throws(QRScanError) -> QRScanResult
    {
        switch step.method {
        case .plain(let finderPatterns, let density):
            let isCrowded = sightings.contains {
                $0.scale == step.scale && $0.seen.sureCount > finderPatterns
            }
            return isCrowded ? QRScanResult() : try ZBarSearch.run(picture, density: density)
        case .framed(let frame):
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
    private static func regions(
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
