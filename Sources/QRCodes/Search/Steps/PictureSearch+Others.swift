// What looks for more codes once one has been read: a label beside another code, a sheet, codes of any size.
extension PictureSearch {
    /// Codes with smaller modules, in pixels, are read by luck: others beside them may leave no sign.
    private static let clearModule: Float = 3

    /// Of a crowd of codes with smaller modules some are not seen, however clear they are.
    private static let unclearModule: Float = 1.9

    /// A search for a crowd takes some 40 ms a megapixel.
    private static let maximumUnclearPixels = 3_000_000

    /// Continues where there are signs of more codes: a sheet of labels, or codes of several sizes.
    ///
    /// A single code of clear modules with nothing beside it ends the search at little cost. If there are
    /// several codes, or finder patterns outside of one, here or at the next finer scale, or if it is not the
    /// one that is sought, this scale is searched for a crowd, and then the finer ones. Codes that are too
    /// small to leave any sign beside a sought one are found only with `thorough`.
    mutating func readOthers(from first: Int) throws {
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
        let noise = picture.noise
        if size >= PictureSearch.clearModule, noise > 0, let last = sightings.last,
            last.scale == 2 * scale, let coarse = last.seen.first,
            let field = ContrastField(picture, thresholdsOf: coarse.field)
        {
            // Beside a clear code in a photograph there is mostly nothing: a glance is enough to see that. In
            // a drawing there may be codes of two pixels a module, which have no thresholds at half the size.
            let found = FinderSearch.patterns(in: field, noise: noise, limits: limits)
            return SymbolSearch.Outcome(patterns: found.best)
                .showsAnother(besides: codes, ofModules: sizes, scale: scale, in: picture)
        }
        let first = SymbolSearch.FirstField(picture, noise: noise, limits: limits)
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
    func isForUnclearCrowd(_ scale: Int) -> Bool {
        source.width * source.height / (scale * scale) <= PictureSearch.maximumUnclearPixels
            && !plan.finerScales.contains { $0 < scale }
    }

    /// True while no code was read that begins as the sought one does.
    private func isSeeking(_ codes: [ScannedQRCode]) -> Bool {
        !sought.isEmpty
            && !codes.contains { code in sought.contains { code.payload.starts(with: $0) } }
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
    mutating func readCrowd(
        _ scale: Int, _ codes: inout [ScannedQRCode], isUnclear: Bool = false
    ) throws -> Int {
        let picture = try picture(scale)
        let first = sightings.last { $0.scale == scale && $0.seen.first != nil }?.seen.first
        var limits = CrowdSearch.Limits.many(pixels: picture.pixels.count)
        // A crowd of which nothing was read at a coarser scale is mostly gravel, or an ornament.
        if codes.isEmpty, crowded.count > 1 { limits.candidates.looks = 2_000_000 }
        var left = 0
        for field in [nil, SymbolSearch.Field.sharp] where field == nil || !codes.isEmpty {
            let seen = try CrowdSearch.run(
                picture, limits: limits, field: field,
                besides: codes.map { $0.scaled(down: scale) }, first: first)
            sightings.append((scale, seen))
            codes.add(seen.result.codes.map { $0.scaled(by: scale) })
            left = seen.smallPatterns(besides: codes, scale: scale)
            let size = seen.readModuleSize ?? .infinity
            if isForUnclearCrowd(scale), isUnclear || size < PictureSearch.unclearModule {
                codes.add(try unclearCrowd(scale, besides: codes))
                return seen.smallPatterns(besides: codes, scale: scale)
            }
        }
        return left
    }

    /// The codes of a crowd at 1/`scale` of the picture, doubled: more lines cross a finder pattern, between
    /// the pixels.
    private mutating func unclearCrowd(
        _ scale: Int, besides codes: [ScannedQRCode]
    ) throws -> [ScannedQRCode] {
        let picture = try picture(scale)
        let filter = SearchPlan.Filter.doubledAndSharpened
        let doubled = filter(picture)
        let seen = try CrowdSearch.run(
            doubled, limits: .many(pixels: doubled.pixels.count),
            besides: codes.map { $0.scaled(down: scale).scaled(by: 2) })
        return seen.result.codes.map { code in
            code.moved { filter.origin(of: $0, in: picture) }.scaled(by: scale)
        }
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
}
