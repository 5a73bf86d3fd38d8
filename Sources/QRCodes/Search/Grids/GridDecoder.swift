/// Reads grids that were laid over a picture, up to a number of drawings in all.
struct GridDecoder {
    /// How many readings of grids go through the error correction.
    let limit: Int
    private(set) var readings = 0
    /// True if the last grid was on a symbol of Model 1.
    private(set) var model1 = false

    init(limit: Int) {
        self.limit = limit
    }

    var isExhausted: Bool { readings >= limit }

    /// Estimates the modules in several ways until one of them can be read. `rounds`: as in
    /// `GridEqualizer`.
    mutating func decode(
        _ function: some ModulePlaces, _ patterns: FunctionPatterns, isInverted: Bool, rounds: Int,
        in view: ContrastView
    ) throws(QRScanError) -> QRScanResult {
        let sampling = GridSampling(function, side: patterns.side, isInverted: isInverted, in: view)
        let equalizer = GridEqualizer(sampling: sampling, patterns: patterns)
        var tried: [GridReading] = []
        model1 = false
        return try equalizer.estimates(rounds: rounds) { (estimates) throws(QRScanError) -> QRScanResult? in
            if tried.isEmpty, rounds > 0 {
                model1 = GridReading.isModel1(estimates, patterns: patterns)
            }
            for (index, reading) in GridReading.among(estimates, patterns: patterns).enumerated() {
                guard !tried.contains(reading), !isExhausted || index > 0 else { continue }
                tried.append(reading)
                // The mirrored reading of the same estimates is not counted.
                if index == 0 { readings += 1 }
                guard let result = try GridDecoder.read(reading, patterns, at: function) else { continue }
                model1 = false
                return result
            }
            return nil
        } ?? QRScanResult()
    }

    /// How well the function patterns must match under a mesh.
    private static let leastBentFit: Float = 0.45

    /// Reads a grid that fits, except where the paper is bent in more than one way.
    mutating func decodeBent(
        _ map: ModuleMap, _ registration: GridRegistration, isInverted: Bool, rounds: Int,
        in view: ContrastView
    ) throws(QRScanError) -> QRScanResult {
        guard let base = map.function else { return QRScanResult() }
        return try decodeBent(base, registration, isInverted: isInverted, rounds: rounds, in: view)
    }

    mutating func decodeBent(
        _ base: some ModulePlaces & LanePlaces, _ registration: GridRegistration, isInverted: Bool,
        rounds: Int, in view: ContrastView
    ) throws(QRScanError) -> QRScanResult {
        var bending = MeshRegistration(
            registration.patterns, in: view, sign: isInverted ? -1 : 1,
            softness: registration.softness(base, in: view))
        var mesh = bending.coarse(base)
        for isFiner in [false, true] {
            if isFiner { mesh = bending.finer(mesh) }
            guard bending.match(mesh) > GridDecoder.leastBentFit, !isExhausted else { continue }
            let found = try decode(
                mesh, registration.patterns, isInverted: isInverted, rounds: rounds, in: view)
            if !found.isEmpty { return found }
        }
        return QRScanResult()
    }

    /// Nil if the error correction refuses the reading.
    private static func read(
        _ reading: GridReading, _ patterns: FunctionPatterns, at function: some ModulePlaces
    ) throws(QRScanError) -> QRScanResult? {
        let side = Float(patterns.side)
        let corners = [(0, 0), (0, side), (side, side), (side, 0)].map { x, y in
            function(Vector(x: x, y: y)).pixel
        }
        var result = QRScanResult()
        switch reading.message(patterns) {
        case .bytes(let payload, let stated):
            result.codes = [ScannedQRCode(payload: payload, stated: stated, corners: corners)]
        case .other:
            guard let picture = reading.picture(patterns) else { return nil }
            result = try ZBarSearch.run(picture, density: GridReading.density)
            result.codes = result.codes.prefix(1).map {
                ScannedQRCode(payload: $0.payload, corners: corners)
            }
        case .broken, nil: return nil
        }
        return result.isEmpty ? nil : result
    }
}
