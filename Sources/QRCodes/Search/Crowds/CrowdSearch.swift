/// Finds the codes of a picture that has many: a sheet of labels, or a photograph of one.
///
/// `SymbolSearch` compares every finder pattern with every other one, and has its limits for one code or a
/// few. Here a pattern is combined with its neighbours only, each combination is judged by its timing
/// patterns, and the best go first. What is read takes its patterns out of the search, so that every code
/// gets its turn. Counts limit all work.
struct CrowdSearch {
    /// The limits of the work.
    struct Limits: Equatable {
        var finders = FinderSearch.Limits()
        var candidates = CrowdCandidate.Limits()
        /// How many grids are fitted, and how many drawings of grids libzbar reads.
        var grids = 96
        var readings = 600
        var looks = Looks()
    }

    /// How many places of the picture each part of the search may look at, at about 7 ns each.
    struct Looks: Equatable {
        /// For the first positions of grids.
        var starts = 8_000_000
        /// To fit grids.
        var fits = 12_000_000
        /// The same until a code has been read: the best go first, and gravel or an ornament, with a thousand
        /// finder patterns of no code, is to end soon. Of 505 crowds that were read, none needed more than
        /// 60,000 for its first code, or 240,000.
        static let fruitless = Looks(starts: 500_000, fits: 1_000_000)
    }

    /// A grid that fits at first better than this is read at once.
    private static let perfectFit: Float = 0.8
    /// A grid that fits worse than these is not fitted, and not read: see `SymbolSearch`.
    private static let leastPromise: Float = 0.25
    private static let leastFit: Float = 0.45

    /// Patterns with better timing patterns between them are of one code, whether it is read or not; at most
    /// so many such codes are counted.
    private static let surelyCode: Float = 0.6
    private static let mostUnread = 400

    private let limits: Limits
    private let view: ContrastView
    private let hysteresis: Float
    private var decoder: GridDecoder
    private var outcome = SymbolSearch.Outcome()
    /// The middles of the finder patterns of codes that were read.
    private var used: [Vector] = []

    /// `besides`: known codes; finder patterns in them are ignored. `first`: from an earlier search of the
    /// same picture.
    static func run(
        _ image: LuminanceImage, limits: Limits, field kind: SymbolSearch.Field? = nil,
        besides known: [ScannedQRCode] = [], first: SymbolSearch.FirstField? = nil
    ) throws(QRScanError) -> SymbolSearch.Outcome {
        let noise = (first?.noise ?? image.noise) * (kind?.filter == .sharpened ? 2 : 1)
        // The codes are read in the picture as it is, also if the patterns are looked for in a filtered one.
        let field = first?.field ?? ContrastField(image, radius: 7)
        let seen =
            kind.map {
                ContrastField(
                    $0.filter == .sharpened ? image.sharpened() : image, radius: $0.radius,
                    byMean: $0.isByMean)
            } ?? field
        var (patterns, sureCount) = FinderSearch.patterns(in: seen, noise: noise, limits: limits.finders)
        patterns.removeAll { pattern in known.contains { $0.holds(pattern.centre) } }
        let result: Result<SymbolSearch.Outcome, QRScanError> = field.withView { view in
            do throws(QRScanError) {
                var search = CrowdSearch(
                    limits: limits, view: view, hysteresis: limits.finders.hysteresis(noise: noise))
                try search.read(patterns)
                return .success(search.outcome)
            } catch {
                return .failure(error)
            }
        }
        var outcome = try result.get()
        outcome.size = (image.width, image.height)
        outcome.sureCount = sureCount
        outcome.result.codes = outcome.result.codes.inReadingOrder
        return outcome
    }

    private init(limits: Limits, view: ContrastView, hysteresis: Float) {
        self.limits = limits
        self.view = view
        self.hysteresis = hysteresis
        decoder = GridDecoder(limit: limits.readings)
    }

    private mutating func read(_ patterns: [FinderPattern]) throws(QRScanError) {
        outcome.patterns = patterns
        let candidates = CrowdCandidate.among(patterns, limits: limits.candidates, in: view)
        // What fits at once first, so that the patterns of clear codes are out of the way of the others.
        for candidate in candidates where isFree(candidate) && !decoder.isExhausted {
            let registration = GridRegistration.of(candidate.version)
            let map = candidate.flatMap(registration)
            let score = score(map, registration, candidate)
            if score.known > CrowdSearch.perfectFit {
                try read(candidate.triple, registration, map, score, rounds: 0)
            }
        }
        var looks = 0
        var starts: [(promise: Float, triple: FinderTriple, version: Int, map: ModuleMap)] = []
        for candidate in candidates where isFree(candidate) && looks < self.looks.starts {
            let triple = candidate.measured(in: view, hysteresis: hysteresis)
            let registration = GridRegistration.of(candidate.version)
            guard let found = registration.starts(triple, in: view, looks: &looks).first,
                found.score.known > CrowdSearch.leastPromise
            else { continue }
            if found.score.known > CrowdSearch.perfectFit, !decoder.isExhausted {
                try read(triple, registration, found.map, found.score, rounds: 0)
            }
            starts.append((found.score.total, triple, candidate.version, found.map))
        }
        starts.sort { $0.promise > $1.promise }
        looks = 0
        for start in starts
        where isFree(start.triple.centres) && !decoder.isExhausted && outcome.grids.count < limits.grids
            && looks < self.looks.fits
        {
            let registration = GridRegistration.of(start.version)
            let (map, score) = registration.refined(
                start.map, moduleSize: start.triple.moduleSize, in: view,
                sign: start.triple.corner.isInverted ? -1 : 1, looks: &looks)
            try read(start.triple, registration, map, score, rounds: 3)
        }
        outcome.unread = candidates.filter { $0.match > CrowdSearch.surelyCode && isFree($0) }
            .prefix(CrowdSearch.mostUnread).map(\.triple)
    }

    /// How far the search may go by now.
    private var looks: Looks { outcome.result.codes.isEmpty ? .fruitless : limits.looks }

    private func isFree(_ candidate: CrowdCandidate) -> Bool { isFree(candidate.triple.centres) }

    /// True if none of the places belongs to a code that was read.
    private func isFree(_ centres: [Vector]) -> Bool {
        !centres.contains { centre in
            used.contains(centre) || outcome.result.codes.contains { $0.holds(centre) }
        }
    }

    private func score(_ map: ModuleMap, _ registration: GridRegistration, _ candidate: CrowdCandidate)
        -> GridRegistration.Score
    {
        registration.score(
            map, in: view, sign: candidate.triple.corner.isInverted ? -1 : 1, least: CrowdSearch.perfectFit)
    }

    /// Reads one grid. Without `rounds` only a grid that is read is recorded.
    private mutating func read(
        _ triple: FinderTriple, _ registration: GridRegistration, _ map: ModuleMap,
        _ score: GridRegistration.Score, rounds: Int
    ) throws(QRScanError) {
        var found = QRScanResult()
        if score.known > CrowdSearch.leastFit, let function = map.function {
            found = try decoder.decode(
                function, registration.patterns, isInverted: triple.corner.isInverted, rounds: rounds,
                in: view)
        }
        guard rounds > 0 || !found.isEmpty else { return }
        outcome.triples.append(triple)
        outcome.grids.append(
            SymbolSearch.Grid(
                triple: triple, version: registration.patterns.version, map: map, score: score,
                clearness: registration.clearness(map, in: view, sign: triple.corner.isInverted ? -1 : 1)))
        outcome.result.incompleteStructuredAppends = max(
            outcome.result.incompleteStructuredAppends, found.incompleteStructuredAppends)
        outcome.result.emptyCodes += found.emptyCodes
        outcome.result.codes += found.codes
        if !found.isEmpty { used += triple.centres }
    }
}
