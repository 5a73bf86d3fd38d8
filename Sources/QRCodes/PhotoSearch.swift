/// The search for QR codes in one picture, by a plan.
///
/// It stops at the first step that reads a code; what the others saw tells why there is none.
package struct PhotoSearch {
    /// What came of it.
    package struct Outcome: Equatable, Sendable {
        package var result = QRScanResult()
        /// What the decoder complained of although it gave a picture, or nil.
        package var damage: String?
    }

    let source: ImageSource
    let plan: ScanPlan
    /// The picture at the scales that were asked for.
    private var pictures: [Int: LuminanceImage] = [:]
    /// What the searches by finder patterns saw, with the scale of each.
    private(set) var sightings: [(scale: Int, seen: SymbolSearch.Outcome)] = []
    private(set) var outcome = Outcome()

    /// Every QR code in a picture. Where there is none, barcodes of other kinds are looked for, and the reason
    /// is given.
    ///
    /// - Throws: `ImageError` from the decoder, `QRScanError` from libzbar.
    package static func run(_ source: ImageSource, effort: ScanEffort = .normal) throws -> Outcome {
        var search = PhotoSearch(source, effort: effort)
        try search.run()
        return search.outcome
    }

    init(_ source: ImageSource, effort: ScanEffort) {
        self.source = source
        plan = ScanPlan(width: source.width, height: source.height, effort: effort)
    }

    mutating func run() throws {
        for step in plan.steps {
            let found = try carryOut(step, on: try picture(step.scale))
            outcome.result.incompleteStructuredAppends = max(
                outcome.result.incompleteStructuredAppends, found.incompleteStructuredAppends)
            outcome.result.emptyCodes = max(outcome.result.emptyCodes, found.emptyCodes)
            guard found.codes.isEmpty else {
                outcome.result.codes = found.codes.withoutContradictions.map { $0.scaled(by: step.scale) }
                if !outcome.result.codes.isEmpty { return }
                continue
            }
        }
        guard outcome.result.isEmpty, let scale = plan.scaleForOthers else { return }
        let picture = try picture(scale)
        let others = try QRScanner.linearSymbols(in: picture)
        outcome.result.otherSymbologies = Set(others.map(\.name)).sorted()
        outcome.result.diagnosis = ScanDiagnosis(picture, sightings: sightings, others: others)
    }

    mutating func picture(_ scale: Int) throws(ImageError) -> LuminanceImage {
        if let known = pictures[scale] { return known }
        // What was not read small is decoded once more and not twice: of a JPEG nearly all work is the same at any
        // scale.
        if !pictures.isEmpty, let finest = plan.steps.map(\.scale).min(), finest < scale {
            _ = try self.picture(finest)
        }
        let picture = try source.luminance(scale: scale)
        pictures[scale] = picture
        outcome.damage = outcome.damage ?? picture.damage
        return picture
    }

    mutating func carryOut(_ step: ScanPlan.Step, on picture: LuminanceImage)
        throws(QRScanError) -> QRScanResult
    {
        switch step.method {
        case .plain(let finderPatterns):
            let isCrowded = sightings.contains {
                $0.scale == step.scale && $0.seen.sureCount > finderPatterns
            }
            return isCrowded ? QRScanResult() : try QRScanner.scanOnce(picture)
        case .negative: return try QRScanner.scanOnce(picture.inverted)
        case .symbols(let limits):
            let seen = try SymbolSearch.run(picture, limits: limits)
            sightings.append((step.scale, seen))
            let isAll = !seen.result.codes.isEmpty && !seen.hasUnexplainedPatterns
            guard !seen.result.isEmpty, !isAll else { return seen.result }
            // There are more codes, or a part of one in several: libzbar reads any number of them, and knows
            // which belong together.
            var result = try QRScanner.scanOnce(picture)
            guard !result.isEmpty else { return seen.result }
            for code in seen.result.codes where !result.codes.contains(where: { $0.isSameSymbol(as: code) }) {
                result.codes.append(code)
            }
            result.codes = QRScanner.inReadingOrder(result.codes)
            return result
        case .filtered(let filter):
            var result = try QRScanner.scanOnce(filter(picture))
            result.codes = result.codes.map { code in
                ScannedQRCode(
                    payload: code.payload, corners: code.corners.map { filter.origin(of: $0, in: picture) })
            }
            return result
        }
    }
}

extension [ScannedQRCode] {
    /// Without the codes whose middle lies in another one that says something else: one of them must be
    /// misread, and nobody can tell which.
    var withoutContradictions: [ScannedQRCode] {
        filter { code in
            !contains { $0.payload != code.payload && ($0.holdsMiddle(of: code) || code.holdsMiddle(of: $0)) }
        }
    }
}

extension ScannedQRCode {
    /// True if the mean of the other's corners lies within these corners.
    fileprivate func holdsMiddle(of other: ScannedQRCode) -> Bool {
        guard !other.corners.isEmpty else { return false }
        let sum = other.corners.map(\.vector).reduce(Vector(x: 0, y: 0), +)
        return holds(sum * (1 / Float(other.corners.count)))
    }

    /// True if the place lies within the corners: on the same side of all edges.
    func holds(_ place: Vector) -> Bool {
        guard corners.count >= 3 else { return false }
        let sides = corners.indices.map { index in
            let start = corners[index].vector
            return (corners[(index + 1) % corners.count].vector - start).cross(place - start) > 0
        }
        return Set(sides).count == 1
    }
}

extension SymbolSearch.Outcome {
    /// True if there is a finder pattern beyond doubt outside all codes that were read.
    fileprivate var hasUnexplainedPatterns: Bool {
        patterns.contains { pattern in
            pattern.isSure && !result.codes.contains { $0.holds(pattern.centre) }
        }
    }
}

extension PixelPoint {
    fileprivate var vector: Vector { Vector(x: Float(x), y: Float(y)) }
}
