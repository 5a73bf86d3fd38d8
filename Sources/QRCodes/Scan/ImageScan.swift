/// How image files are searched, with limits on the work.
package struct ImageScan: Equatable, Sendable {
    /// The maximum picture size; a larger picture is refused before anything is allocated for it.
    package var limits: ImageLimits
    /// The amount of work per picture.
    package var effort: ScanEffort
    /// Whether a drawing of what the search saw is made.
    package var explains: Bool
    /// The first bytes of the code that is wanted. While no code was read that begins so, the search goes on
    /// beside other codes. Empty: any code will do.
    package var sought: [UInt8]

    package init(
        limits: ImageLimits = ImageLimits(), effort: ScanEffort = .normal, explains: Bool = false,
        sought: [UInt8] = []
    ) {
        self.limits = limits
        self.effort = effort
        self.explains = explains
        self.sought = sought
    }

    /// When the process that searches a file is ended, in seconds of its processor time: for a decoder that
    /// does not come back. More only for pictures that are larger than the default allows.
    func timeLimit(pixels: Int) -> Int {
        (effort == .thorough ? 10 : 4) + max(0, pixels - ImageLimits().maximumPixels) / 5_000_000
    }

    /// The processor time of a whole file: what was found by then is the result. A picture that was begun is
    /// decoded and searched to its end, since its own limits count work; only `thorough`, which takes seconds
    /// for a large one, is cut short within it.
    var fileBudget: WorkBudget { WorkBudget(seconds: effort == .thorough ? 8 : 1) }

    /// The memory limit for decoding and searching, in bytes. A decoder may hold several pictures with 16
    /// bits per sample in three colours, and a search several in grey.
    var memoryLimit: Int { (512 << 20) + 16 * min(limits.maximumPixels, 1 << 40) }

    /// Searches the pictures in a whole image file, in this process.
    ///
    /// - Parameter allow: called with the seconds that the file may take from now on.
    /// - Throws: `ImageError` or `QRScanError`.
    package func run(_ file: ImageBytes, allow: (Int) -> Void = { _ in }) throws -> ImageScanOutcome {
        // An animation or a document is decoded while `ImagePictures` reads it.
        var allowed = timeLimit(pixels: 0)
        allow(allowed)
        let budget = fileBudget
        var pictures = try ImagePictures(file, limits: limits, budget: budget)
        var outcome: ImageScanOutcome?
        while let source = try pictures.next(found: outcome?.result.codes.isEmpty == false) {
            let needed = timeLimit(pixels: source.width * source.height)
            if needed > allowed { allow(needed) }
            allowed = max(allowed, needed)
            let next = try search(source, budget)
            outcome = outcome.map { $0.followed(by: next) } ?? next
            if budget.isSpent { break }
        }
        guard let outcome else {
            if budget.isSpent { throw QRScanError.tookTooLong }
            throw ImageError.broken(pictures.format, "it has no picture")
        }
        return outcome
    }

    private func search(_ source: ImageSource, _ budget: WorkBudget) throws -> ImageScanOutcome {
        var (found, explanation) = try explained(source, budget)
        if found.result.isEmpty, source.hasTransparency, !budget.isSpent {
            var onBlack = source
            onBlack.ground = 0
            let second = try explained(onBlack, budget)
            if !second.outcome.result.isEmpty { (found, explanation) = second }
        }
        return ImageScanOutcome(
            format: source.format, width: source.width, height: source.height, damage: found.damage,
            result: found.result, explanation: explanation)
    }

    private func explained(_ source: ImageSource, _ budget: WorkBudget) throws -> (
        outcome: PictureSearch.Outcome, png: [UInt8]?
    ) {
        let budget = effort == .thorough ? budget : .unlimited
        guard explains else {
            return (try PictureSearch.run(source, effort: effort, sought: sought, budget: budget), nil)
        }
        return try PictureSearch.explained(source, effort: effort, sought: sought, budget: budget)
    }
}

/// The outcome of the search of a file.
package struct ImageScanOutcome: Equatable, Sendable {
    /// The format of the file.
    package var format: ImageFormat
    /// The size of the last picture that was searched, in pixels.
    package var width: Int
    package var height: Int
    /// The decoder's error if it returned a picture nevertheless.
    package var damage: String?
    /// What was found in all pictures of the file.
    package var result: QRScanResult
    /// If asked for: a PNG of what was seen in the first picture with a code, or else in the first picture.
    package var explanation: [UInt8]?

    /// This outcome combined with that of the next picture.
    func followed(by next: ImageScanOutcome) -> ImageScanOutcome {
        var both = next
        both.damage = damage ?? next.damage
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
