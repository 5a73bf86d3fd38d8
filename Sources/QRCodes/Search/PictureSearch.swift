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
    }

    let source: ImageSource
    let plan: SearchPlan
    /// The picture at the scales that were needed so far.
    private var pictures: [Int: LuminanceImage] = [:]
    /// What the searches by finder patterns saw, with the scale of each one.
    private(set) var sightings: [(scale: Int, seen: SymbolSearch.Outcome)] = []
    private(set) var outcome = Outcome()

    /// Every QR code in a picture. If there is none, barcodes of other kinds, and the reason.
    ///
    /// - Throws: `ImageError` from the decoder, `QRScanError` from libzbar.
    package static func run(_ source: ImageSource, effort: ScanEffort = .normal) throws -> Outcome {
        var search = PictureSearch(source, effort: effort)
        try search.run()
        return search.outcome
    }

    init(_ source: ImageSource, effort: ScanEffort) {
        self.source = source
        plan = SearchPlan(width: source.width, height: source.height, effort: effort)
    }

    mutating func run() throws {
        for step in plan.steps {
            let found = try carryOut(step, on: try picture(step.scale))
            outcome.result.incompleteStructuredAppends = max(
                outcome.result.incompleteStructuredAppends, found.incompleteStructuredAppends)
            outcome.result.emptyCodes = max(outcome.result.emptyCodes, found.emptyCodes)
            outcome.result.codes = found.codes.map { $0.scaled(by: step.scale) }.withoutContradictions
            if !outcome.result.codes.isEmpty { return try readOthers(from: step.scale) }
        }
        guard outcome.result.isEmpty, let scale = plan.scaleForOthers else { return }
        let picture = try picture(scale)
        let others = try ZBarSearch.linearSymbols(in: picture)
        outcome.result.otherSymbologies = Set(others.map(\.name)).sorted()
        outcome.result.diagnosis = ScanDiagnosis(
            picture, at: pictures, sightings: sightings, others: others)
    }

    /// Continues where there are signs of more codes: a sheet of labels, or codes of several sizes.
    ///
    /// A single code with nothing beside it ends the search at no further cost. If there are several codes,
    /// or small finder patterns outside of them, the next finer scale is searched, and so on as long as that
    /// brings more codes. Codes that are too small to leave any sign are found only with `thorough`.
    private mutating func readOthers(from first: Int) throws {
        var codes = outcome.result.codes
        let before = sightings.last { $0.scale == first }?.seen
        var isPromising = codes.count > 1 || before?.smallPatterns(besides: codes, scale: first) ?? 0 > 0
        let finer = plan.finerScales.filter { $0 < first }
        // The quick search keeps the patterns of four codes only; libzbar's own may have read more codes.
        let again = finer.isEmpty && codes.count > 4 ? [first] : []
        var looksCloser = isPromising
        for scale in again + finer where isPromising || plan.isExhaustive {
            let picture = try picture(scale)
            let count = codes.count
            let seen = try SymbolSearch.run(
                picture, limits: .many(isFiner: scale < first), besides: codes.map { $0.scaled(down: scale) })
            sightings.append((scale, seen))
            codes.add(seen.result.codes.map { $0.scaled(by: scale) })
            if scale == 1 {
                codes.add(try tinyCodes(besides: codes))
                looksCloser = false
            }
            let left = seen.smallPatterns(besides: codes, scale: scale)
            // libzbar's own search costs most, and was done already at the scale where the first codes were
            // read.
            if scale < first, codes.count > count && left > 0 || left > 2 || plan.isExhaustive {
                codes.add(try ZBarSearch.run(picture).codes.map { $0.scaled(by: scale) })
            }
            isPromising = codes.count > count
        }
        if looksCloser { codes.add(try tinyCodes(besides: codes)) }
        outcome.result.codes = codes.withoutContradictions.inReadingOrder
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
        // If the coarse scale was not enough, the finest one is decoded, and the others reduced from it: for
        // a JPEG the work is nearly the same at any scale.
        if !pictures.isEmpty, let finest = plan.steps.map(\.scale).min(), finest < scale {
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
        case .plain(let finderPatterns):
            let isCrowded = sightings.contains {
                $0.scale == step.scale && $0.seen.sureCount > finderPatterns
            }
            return isCrowded ? QRScanResult() : try ZBarSearch.run(picture)
        case .negative: return try ZBarSearch.run(picture.inverted)
        case .symbols(let limits):
            let (seen, result) = try PictureSearch.symbols(in: picture, limits: limits)
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
    /// Our own search, and libzbar's if it left something out. `noise`: that of the whole picture, if `image`
    /// is a part.
    private static func symbols(in image: LuminanceImage, limits: SymbolSearch.Limits, noise: Float? = nil)
        throws(QRScanError) -> (seen: SymbolSearch.Outcome, result: QRScanResult)
    {
        let seen = try SymbolSearch.run(image, limits: limits, noise: noise)
        let isAll = !seen.result.codes.isEmpty && seen.patterns(besides: seen.result.codes) == 0
        guard !seen.result.isEmpty, !isAll else { return (seen, seen.result) }
        // There are more codes, or a part of a structured append: libzbar reads any number, and joins the
        // parts.
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

extension SymbolSearch.Outcome {
    /// How many sure finder patterns are outside of these codes. The codes' corners are in a picture `scale`
    /// times as large.
    fileprivate func patterns(
        besides codes: [ScannedQRCode], scale: Int = 1, ofModulesBelow size: Float = .infinity
    ) -> Int {
        patterns.count { pattern in
            pattern.isSure && pattern.moduleSize < size
                && !codes.contains { $0.holds(pattern.centre * Float(scale)) }
        }
    }

    /// The patterns with modules so small that a finer scale would show them better.
    fileprivate func smallPatterns(besides codes: [ScannedQRCode], scale: Int) -> Int {
        patterns(besides: codes, scale: scale, ofModulesBelow: 3)
    }
}
