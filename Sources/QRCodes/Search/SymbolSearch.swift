/// Finds QR codes by their finder patterns, lays a grid over each code, and reads it module by module.
///
/// It reads codes that libzbar's own search does not: strongly tilted, small, blurred, bent or badly lit.
/// Counts limit all work.
struct SymbolSearch {
    /// A method to distinguish light from dark, in addition to the first one (61 × 61 pixels, halfway between
    /// light and dark).
    struct Field: Equatable {
        let filter: Filter
        let radius: Int
        let isByMean: Bool

        enum Filter: Equatable {
            case none, smoothed, sharpened
        }

        /// For finder patterns of about two pixels a module whose light rings are lost in blur.
        static let sharp = Field(filter: .sharpened, radius: 2, isByMean: true)
        /// Small neighbourhoods, for a blurred code on paper that is sharp.
        static let near = Field(filter: .none, radius: 2, isByMean: true)
        /// The same for noisy pictures.
        static let nearSmooth = Field(filter: .smoothed, radius: 2, isByMean: true)
        /// For noisy pictures with modules of more than three pixels.
        static let middleSmooth = Field(filter: .smoothed, radius: 3, isByMean: false)
        static let middle = Field(filter: .none, radius: 3, isByMean: true)
    }

    /// The limits of the work.
    struct Limits: Equatable {
        var finders = FinderSearch.Limits()
        /// How many of the finder patterns that are found in the first field are used.
        var patterns = Int.max
        /// The other fields in which finder patterns are searched.
        var fields: [Field] = []
        /// Whether `fields` ends with its first one if there is no finder pattern in that and the one before.
        var needsPatterns = false
        /// How many triples of finder patterns are tried.
        var triples = 24
        /// How many pairs of finder patterns are completed with a third one.
        var pairs = 0
        /// If more finder patterns than this are sure, no pair is completed: they belong to an ornament, and
        /// pairs of them mean nothing.
        var crowd = Int.max
        /// How many grids are fitted to the picture.
        var grids = 10
        /// How many drawings of grids libzbar reads.
        var readings = 40
        /// How many grids that fit and cannot be read are bent.
        var meshes = 3
        /// How many triples of sure finder patterns, of which nothing was read, are taken for a code on a
        /// cylinder. With any, one that is likely is also taken for one whose rows a shaking hand displaced.
        var cylinders = 0
        var looks = Looks()
    }

    /// How many places of the picture each part of the search may look at, at about 7 ns each. It limits the
    /// cost of a picture that is full of what looks like codes.
    struct Looks: Equatable {
        /// For the first positions of grids: this many for the triples that were seen, and again for those
        /// that were completed.
        var starts = 20_000_000
        /// To complete pairs.
        var completion = 20_000_000
        /// To fit grids.
        var fits = 40_000_000
    }

    /// A grid that was laid over the picture.
    struct Grid {
        let triple: FinderTriple
        let version: Int
        let map: ModuleMap
        let score: GridRegistration.Score
        let clearness: GridRegistration.Clearness
        var isModel1 = false
    }

    /// The first field of a picture, and the finder patterns in it. Two searches of one picture with the same
    /// limits for finder patterns share it.
    struct FirstField {
        let limits: FinderSearch.Limits
        let noise: Float
        let field: ContrastField
        let patterns: (best: [FinderPattern], sureCount: Int)

        init(_ image: LuminanceImage, noise: Float? = nil, limits: FinderSearch.Limits) {
            self.limits = limits
            self.noise = noise ?? image.noise
            field = ContrastField(image, radius: 7)
            patterns = FinderSearch.patterns(in: field, noise: self.noise, limits: limits)
        }
    }

    /// The outcome of a search, and what it saw.
    struct Outcome {
        /// For the next search of the same picture.
        var first: FirstField?
        /// The size of the picture that was searched.
        var size = (width: 0, height: 0)
        var result = QRScanResult()
        var patterns: [FinderPattern] = []
        /// How many finder patterns are sure, including those that are not in `patterns`.
        var sureCount = 0
        var triples: [FinderTriple] = []
        /// The grids that were fitted, in the order in which they were tried.
        var grids: [Grid] = []
        /// Finder patterns of codes that were seen and not read; several for one code perhaps.
        var unread: [FinderTriple] = []
    }

    /// How well the function patterns must match to go on, before a grid is fitted (`leastPromise`) and after
    /// it (`leastFit`). None of 269 photographs that were read had less than 0.44 and 0.65. Places without a
    /// code rarely have more.
    private static let leastPromise: Float = 0.25
    private static let leastFit: Float = 0.45
    /// A grid that fits worse than this is not bent.
    private static let leastToBend: Float = 0.3
    /// A grid that fits this well at first is read at once.
    private static let perfectFit: Float = 0.85

    private let limits: Limits
    private var decoder: GridDecoder
    /// How many grids were bent.
    private var bent = 0
    /// The middles of the finder patterns of codes that were read.
    private var used: [Vector] = []

    /// `besides`: known codes; finder patterns in them are ignored. `noise`: that of the whole picture, if
    /// `image` is a part of one. `first`: what an earlier search of the same whole picture has found.
    static func run(
        _ image: LuminanceImage, limits: Limits, besides known: [ScannedQRCode] = [], noise: Float? = nil,
        first earlier: FirstField? = nil
    ) throws(QRScanError) -> Outcome {
        let first: FirstField =
            if let earlier, earlier.limits == limits.finders {
                earlier
            } else {
                FirstField(image, noise: noise, limits: limits.finders)
            }
        let (field, noise, sureCount) = (first.field, first.noise, first.patterns.sureCount)
        var search = SymbolSearch(limits: limits)
        var patterns = Array(first.patterns.best.prefix(limits.patterns))
        if !limits.fields.isEmpty {
            lazy var smooth = image.smoothed()
            for (index, kind) in limits.fields.enumerated()
            where index == 0 || !patterns.isEmpty || !limits.needsPatterns {
                let filtered =
                    switch kind.filter {
                    case .none: image
                    case .smoothed: smooth
                    case .sharpened: image.sharpened(smooth: smooth)
                    }
                let more = FinderSearch.patterns(
                    in: ContrastField(filtered, radius: kind.radius, byMean: kind.isByMean),
                    noise: kind.filter == .sharpened ? noise * 2 : noise / 2,
                    limits: limits.finders
                ).best
                patterns = FinderPattern.merged(patterns, more, limit: limits.finders.maximumPatterns)
            }
        }
        patterns.removeAll { pattern in known.contains { $0.holds(pattern.centre) } }
        let outcome: Result<Outcome, QRScanError> = field.withView { view in
            do throws(QRScanError) {
                return .success(
                    try search.read(
                        patterns, sureCount: sureCount, of: image, in: view,
                        hysteresis: limits.finders.hysteresis(noise: noise)))
            } catch {
                return .failure(error)
            }
        }
        var found = try outcome.get()
        found.sureCount = sureCount
        found.first = first
        return found
    }

    private init(limits: Limits) {
        self.limits = limits
        decoder = GridDecoder(limit: limits.readings)
    }

    /// A grid before it is fitted.
    private struct Start {
        let triple: FinderTriple
        let version: Int
        let map: ModuleMap
        let score: GridRegistration.Score
        var promise: Float { score.total - 0.1 * triple.misfit }
        var isInverted: Bool { triple.corner.isInverted }
    }

    private mutating func read(
        _ patterns: [FinderPattern], sureCount: Int, of image: LuminanceImage, in view: ContrastView,
        hysteresis: Float
    ) throws(QRScanError) -> Outcome {
        var outcome = Outcome()
        outcome.size = (view.width, view.height)
        outcome.patterns = patterns
        outcome.triples = FinderTriple.among(
            patterns, limit: limits.triples, in: view, hysteresis: hysteresis)
        let seenCount = outcome.triples.count
        if limits.pairs > 0, sureCount <= limits.crowd {
            outcome.triples += FinderCompletion(in: view).triples(
                patterns, limit: limits.pairs, looks: limits.looks.completion)
        }
        // A grid that fits at first is read at once, so that its finder patterns are not tried for other
        // codes.
        var starts: [Start] = []
        var looks = 0
        for (index, triple) in outcome.triples.enumerated() {
            if index == seenCount { looks = 0 }
            for version in triple.versions
            where looks < limits.looks.starts && !triple.centres.contains(where: { used.contains($0) }) {
                for found in GridRegistration.of(version).starts(triple, in: view, looks: &looks).prefix(2)
                where found.score.known > SymbolSearch.leastPromise
                    && !triple.centres.contains(where: { used.contains($0) })
                {
                    let start = Start(triple: triple, version: version, map: found.map, score: found.score)
                    if found.score.known > SymbolSearch.perfectFit {
                        try read(start, map: found.map, score: found.score, rounds: 0, in: view, &outcome)
                    }
                    starts.append(start)
                }
            }
        }
        starts.sort { $0.promise > $1.promise }
        looks = 0
        for start in starts
        where outcome.grids.count < limits.grids && !decoder.isExhausted && looks < limits.looks.fits {
            guard !start.triple.centres.contains(where: { used.contains($0) }) else { continue }
            let (map, score) = GridRegistration.of(start.version).refined(
                start.map, moduleSize: start.triple.moduleSize, in: view, sign: start.isInverted ? -1 : 1,
                looks: &looks)
            let isKnown = outcome.grids.contains {
                $0.version == start.version && $0.map.isNear(map, within: 0.2 * start.triple.moduleSize)
            }
            if !isKnown { try read(start, map: map, score: score, rounds: 3, in: view, &outcome) }
        }
        if outcome.result.isEmpty {
            let sure = outcome.triples.prefix(seenCount).lazy.filter {
                $0.corner.isSure && $0.right.isSure && $0.down.isSure
            }
            for triple in sure.prefix(limits.cylinders)
            where outcome.result.isEmpty && triple.isLikely(in: image) {
                outcome.result = try SymbolSearch.readCylinder(triple, in: view)
            }
            if outcome.result.isEmpty, limits.cylinders > 0,
                let triple = outcome.triples.prefix(min(seenCount, 4)).first(where: {
                    $0.isLikely(in: image)
                })
            {
                outcome.result = try SymbolSearch.readShaken(triple, in: view)
            }
        }
        outcome.result.codes = outcome.result.codes.inReadingOrder
        return outcome
    }

    /// Reads a code on something round.
    private static func readCylinder(
        _ triple: FinderTriple, in view: ContrastView
    ) throws(QRScanError) -> QRScanResult {
        var decoder = GridDecoder(limit: 24)
        for fit in CylinderSearch(triple, in: view).run() {
            let found = try read(fit, triple, in: view, &decoder)
            if !found.isEmpty { return found }
        }
        return QRScanResult()
    }

    /// Reads a code whose picture was taken row by row by a hand that shook.
    private static func readShaken(
        _ triple: FinderTriple, in view: ContrastView
    ) throws(QRScanError) -> QRScanResult {
        var decoder = GridDecoder(limit: 24)
        let search = ShutterSearch(triple, in: view)
        for candidate in search.candidates() {
            guard let fit = search.refined(candidate) else { continue }
            let found = try read(fit, triple, in: view, &decoder)
            if !found.isEmpty { return found }
        }
        return QRScanResult()
    }

    private static func read(
        _ fit: FittedGrid<some ModulePlaces & LanePlaces>, _ triple: FinderTriple, in view: ContrastView,
        _ decoder: inout GridDecoder
    ) throws(QRScanError) -> QRScanResult {
        guard fit.score.known > leastToBend else { return QRScanResult() }
        let registration = GridRegistration.of(fit.version)
        let isInverted = triple.corner.isInverted
        let found = try decoder.decode(
            fit.map, registration.patterns, isInverted: isInverted, rounds: 3, in: view)
        guard found.isEmpty else { return found }
        return try decoder.decodeBent(fit.map, registration, isInverted: isInverted, rounds: 3, in: view)
    }

    /// Reads one grid, and records it. A grid that fitted at first and was not read is not recorded: it is
    /// fitted and tried again.
    private mutating func read(
        _ start: Start, map: ModuleMap, score: GridRegistration.Score, rounds: Int, in view: ContrastView,
        _ outcome: inout Outcome
    ) throws(QRScanError) {
        let registration = GridRegistration.of(start.version)
        var found = QRScanResult()
        let function = score.known > SymbolSearch.leastFit ? map.function : nil
        if let function {
            found = try decoder.decode(
                function, registration.patterns, isInverted: start.isInverted, rounds: rounds, in: view)
        }
        if rounds > 0, found.isEmpty, score.known > SymbolSearch.leastToBend,
            bent < limits.meshes
        {
            bent += 1
            found = try decoder.decodeBent(
                map, registration, isInverted: start.isInverted, rounds: rounds, in: view)
        }
        guard rounds > 0 || !found.isEmpty else { return }
        outcome.grids.append(
            Grid(
                triple: start.triple, version: start.version, map: map, score: score,
                clearness: registration.clearness(map, in: view, sign: start.isInverted ? -1 : 1),
                isModel1: function != nil && decoder.model1))
        // Which parts belong together is unknown here, so they are counted as one.
        outcome.result.incompleteStructuredAppends = max(
            outcome.result.incompleteStructuredAppends, found.incompleteStructuredAppends)
        outcome.result.emptyCodes += found.emptyCodes
        outcome.result.codes.add(found.codes)
        if !found.isEmpty { used += start.triple.centres }
    }
}

extension FinderTriple {
    /// False where stripes and letters have the widths of finder patterns: a cylinder costs more to look for
    /// than a resemblance.
    fileprivate func isLikely(in image: LuminanceImage) -> Bool {
        [corner, right, down].allSatisfy { FinderLikeness($0, in: image).isLikely }
    }
}
