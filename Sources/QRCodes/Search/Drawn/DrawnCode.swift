/// Reads a code that fills its picture, up to a plain border: of one pixel a module and more, with a quiet
/// zone and without one, dark on light and light on dark.
///
/// Its four edges say where every module is, so nothing is searched: each version that fits is laid over the
/// picture once. What is read fills the picture, so nothing else can be in it.
enum DrawnCode {
    /// A larger picture is searched at a coarser scale.
    static let maximumPixels = 1_500_000
    /// The picture is magnified until a module has this many pixels.
    private static let leastModule: Float = 3
    /// Around the part that is cut out, in pixels of the magnified picture.
    private static let frame = 24
    /// The function patterns must match better than this.
    private static let leastMatch: Float = 0.5
    /// How many drawings are read, and how many places are looked at to fit the best grid.
    private static let readings = 24

    static func read(_ image: LuminanceImage) throws(QRScanError) -> QRScanResult {
        for outline in DrawnOutline.all(in: image) {
            let result = try read(outline, in: image)
            if !result.isEmpty { return result }
        }
        return QRScanResult()
    }

    private static func read(_ outline: DrawnOutline, in image: LuminanceImage) throws(QRScanError)
        -> QRScanResult
    {
        let versions = outline.versions
        guard !versions.isEmpty else { return QRScanResult() }
        let (left, top) = (max(0, Int(outline.left)), max(0, Int(outline.top)))
        let factor = max(1, Int((leastModule / outline.moduleSize).rounded(.up)))
        let part = image.part(
            x: left, y: top, width: min(image.width, Int(outline.right.rounded(.up))) - left,
            height: min(image.height, Int(outline.bottom.rounded(.up))) - top
        ).framed(width: frame, shade: outline.ground, factor: factor)
        func place(_ x: Float, _ y: Float) -> Vector {
            Vector(x: (x - Float(left)) * Float(factor), y: (y - Float(top)) * Float(factor))
                + Vector(x: Float(frame), y: Float(frame))
        }
        let corners = [
            place(outline.left, outline.top), place(outline.right, outline.top),
            place(outline.right, outline.bottom), place(outline.left, outline.bottom),
        ]
        let result: Result<QRScanResult, QRScanError> = ContrastField(part, radius: 7).withView { view in
            do throws(QRScanError) {
                return .success(
                    try read(corners, versions: versions, isInverted: outline.isInverted, in: view))
            } catch {
                return .failure(error)
            }
        }
        var found = try result.get()
        found.codes = found.codes.map {
            $0.moved {
                PixelPoint(x: ($0.x - frame) / factor + left, y: ($0.y - frame) / factor + top)
            }
        }
        return found
    }

    private static func read(
        _ corners: [Vector], versions: [Int], isInverted: Bool, in view: ContrastView
    ) throws(QRScanError) -> QRScanResult {
        let sign: Float = isInverted ? -1 : 1
        var starts: [(score: GridRegistration.Score, map: ModuleMap, registration: GridRegistration)] = []
        for version in versions {
            let registration = GridRegistration.of(version)
            // In each of the four directions; a mirrored code fits one of them too.
            for turn in 0..<4 {
                let turned = (0..<4).map { corners[($0 + turn) % 4] }
                guard let map = ModuleMap(registration, corners: turned) else { continue }
                let score = registration.score(map, in: view, sign: sign, least: leastMatch)
                if score.known > leastMatch { starts.append((score, map, registration)) }
            }
        }
        starts.sort { $0.score.known > $1.score.known }
        var decoder = GridDecoder(limit: readings)
        for start in starts.prefix(2) {
            guard let function = start.map.function else { continue }
            let found = try decoder.decode(
                function, start.registration.patterns, isInverted: isInverted, rounds: 0, in: view)
            if !found.isEmpty { return found }
        }
        guard let best = starts.first else { return QRScanResult() }
        var looks = 0
        let side = Float(best.registration.patterns.side)
        let (map, _) = best.registration.refined(
            best.map, moduleSize: (corners[1] - corners[0]).length / side, in: view, sign: sign, looks: &looks
        )
        guard let function = map.function else { return QRScanResult() }
        return try decoder.decode(
            function, best.registration.patterns, isInverted: isInverted, rounds: 2, in: view)
    }
}

extension ModuleMap {
    /// The map of a symbol with these corners, in order around.
    fileprivate init?(_ registration: GridRegistration, corners: [Vector]) {
        let side = Float(registration.patterns.side)
        let far = side - 3.5
        let symbol = [(0, 0), (side, 0), (side, side), (0, side)].map { Vector(x: $0.0, y: $0.1) }
        guard let plane = Homography(from: symbol, to: corners) else { return nil }
        let fourth = registration.fourth
        self.init(
            side: registration.patterns.side, fourth: fourth,
            anchors: [(3.5, 3.5), (far, 3.5), (3.5, far), (fourth, fourth)].map {
                plane(Vector(x: $0.0, y: $0.1))
            })
    }
}
