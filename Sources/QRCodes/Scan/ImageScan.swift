/// How image files are searched, with limits on the work.
package struct ImageScan: Codable, Equatable, Sendable {
    /// The maximum picture size; a larger picture is refused before anything is allocated for it.
    package var limits: ImageLimits
    /// The amount of work per picture.
    package var effort: ScanEffort
    /// Whether a drawing of what the search saw is made.
    package var explains: Bool
    /// The first bytes of the code that is wanted, in each of its forms. While no code was read that begins
    /// so, the search goes on beside other codes. Empty: any code will do.
    package var sought: [[UInt8]]

    package init(
        limits: ImageLimits = ImageLimits(), effort: ScanEffort = .normal, explains: Bool = false,
        sought: [[UInt8]] = []
    ) {
        self.limits = limits
        self.effort = effort
        self.explains = explains
        self.sought = sought
    }

    /// The processor time of a whole file, in seconds. What was found by then is the result.
    ///
    /// - `decoding`: no further picture of it is decoded, and a decoder that can be stopped is stopped.
    /// - `search`: no further step of a search begins.
    /// - `end`: the process that searches it is ended, in the middle of a decoder that cannot be stopped.
    ///
    /// More only for pictures that are larger than the default allows.
    package func times(pixels: Int) -> (decoding: Double, search: Double, end: Double) {
        let more = Double(max(0, pixels - ImageLimits().maximumPixels) / 5_000_000)
        // Reading a large file and leaving its memory take a tenth of a second more.
        return effort == .thorough ? (8 + more, 9 + more, 9.6 + more) : (0.9 + more, 1.1 + more, 1.35 + more)
    }

    /// The memory limit for decoding and searching, in bytes. A decoder may hold several pictures with 16
    /// bits per sample in three colours, and a search several in grey.
    package var memoryLimit: Int { (512 << 20) + 16 * min(limits.maximumPixels, 1 << 40) }

    /// Searches the pictures in a whole image file, in this process.
    ///
    /// - Parameters:
    ///   - allow: called with the seconds of processor time that the file may take from now on.
    ///   - keep: called with what has been found until now, as if the time were over.
    /// - Throws: `ImageError` or `QRScanError`.
    package func run(
        _ file: ImageBytes, allow: (Double) -> Void = { _ in }, keep: (ImageScanOutcome) -> Void = { _ in }
    ) throws -> ImageScanOutcome {
        // An animation or a document is decoded while `ImagePictures` reads it.
        var times = times(pixels: 0)
        let budget = WorkBudget(seconds: times.decoding)
        allow(times.end)
        var pictures = try ImagePictures(file, limits: limits, budget: budget)
        var outcome: ImageScanOutcome?
        while let source = try pictures.next(found: outcome?.result.codes.isEmpty == false) {
            let its = self.times(pixels: source.width * source.height)
            if its.end > times.end { times = its }
            // What a helper has used meanwhile counts too.
            let first = self.times(pixels: 0).decoding
            allow(budget.extended(by: times.end - first).left)
            let searching = budget.extended(by: times.search - first)
            let next = try search(source, searching) { found in
                keep(outcome.map { $0.followed(by: found) } ?? found)
            }
            outcome = outcome.map { $0.followed(by: next) } ?? next
            if budget.isSpent { break }
        }
        guard var outcome else {
            if budget.isSpent { throw QRScanError.tookTooLong }
            throw ImageError.broken(pictures.format, "it has no picture")
        }
        outcome.isCut = outcome.isCut || budget.isSpent && pictures.isSequence
        return outcome
    }

    private func search(
        _ source: ImageSource, _ budget: WorkBudget, _ keep: (ImageScanOutcome) -> Void
    ) throws -> ImageScanOutcome {
        func outcome(_ found: PictureSearch.Outcome, _ explanation: [UInt8]? = nil) -> ImageScanOutcome {
            ImageScanOutcome(
                format: source.format, width: source.width, height: source.height, damage: found.damage,
                isCut: found.isCut || found.damage == ImageError.slow, result: found.result,
                explanation: explanation)
        }
        func run(_ source: ImageSource) throws -> (outcome: PictureSearch.Outcome, png: [UInt8]?) {
            try withoutActuallyEscaping(keep) { keep in
                var search = PictureSearch(source, effort: effort, sought: sought, budget: budget) { found in
                    var found = found
                    found.isCut = true
                    keep(outcome(found))
                }
                try search.run()
                return (search.outcome, explains ? try search.explanation() : nil)
            }
        }
        var (found, explanation) = try run(source)
        if found.result.isEmpty, source.hasTransparency, !budget.isSpent {
            var onBlack = source
            onBlack.ground = 0
            let second = try run(onBlack)
            if !second.outcome.result.isEmpty { (found, explanation) = second }
        }
        return outcome(found, explanation)
    }
}

/// The outcome of the search of a file.
package struct ImageScanOutcome: Codable, Equatable, Sendable {
    /// The format of the file.
    package var format: ImageFormat
    /// The size of the last picture that was searched, in pixels.
    package var width: Int
    package var height: Int
    /// The decoder's error if it returned a picture nevertheless.
    package var damage: String?
    /// True if the time was over before all of the file was searched: there may be more codes in it.
    package var isCut = false
    /// What was found in all pictures of the file.
    package var result: QRScanResult
    /// If asked for: a PNG of what was seen in the first picture with a code, or else in the first picture.
    package var explanation: [UInt8]?

    /// This outcome combined with that of the next picture.
    func followed(by next: ImageScanOutcome) -> ImageScanOutcome {
        var both = next
        both.damage = damage ?? next.damage
        both.isCut = isCut || next.isCut
        if !result.codes.isEmpty || next.result.codes.isEmpty { both.explanation = explanation }
        both.result.codes = result.codes + next.result.codes
        both.result.incompleteStructuredAppends += result.incompleteStructuredAppends
        both.result.emptyCodes += result.emptyCodes
        both.result.unread += result.unread
        both.result.otherSymbologies = Set(result.otherSymbologies + next.result.otherSymbologies).sorted()
        both.result.diagnosis = result.diagnosis ?? next.result.diagnosis
        return both
    }
}
