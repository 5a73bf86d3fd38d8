/// Reads grids that were laid over a picture, up to a number of drawings in all.
struct GridDecoder {
    /// How many drawings libzbar may read.
    let limit: Int
    private(set) var readings = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isExhausted: Bool { readings >= limit }

    /// Estimates the modules in several ways until libzbar reads one of them. `rounds`: as in
    /// `GridEqualizer`.
    mutating func decode(
        _ function: ModuleFunction, _ patterns: FunctionPatterns, isInverted: Bool, rounds: Int,
        in view: ContrastView
    ) throws(QRScanError) -> QRScanResult {
        let sampling = GridSampling(function, side: patterns.side, isInverted: isInverted, in: view)
        let equalizer = GridEqualizer(sampling: sampling, patterns: patterns)
        var tried: [[Bool]] = []
        return try equalizer.estimates(rounds: rounds) { (estimates) throws(QRScanError) -> QRScanResult? in
            for (picture, modules) in GridReading.pictures(of: estimates, patterns: patterns) {
                guard !tried.contains(modules), !isExhausted else { continue }
                tried.append(modules)
                readings += 1
                var result = try ZBarSearch.run(picture, density: GridReading.density)
                guard !result.isEmpty else { continue }
                let side = Float(patterns.side)
                let corners = [(0, 0), (0, side), (side, side), (side, 0)].map { x, y in
                    function(Vector(x: x, y: y)).pixel
                }
                result.codes = result.codes.prefix(1).map {
                    ScannedQRCode(payload: $0.payload, corners: corners)
                }
                return result
            }
            return nil
        } ?? QRScanResult()
    }
}
