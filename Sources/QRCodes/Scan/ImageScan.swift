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

    /// The processor time limit for a picture in seconds: about ten times what a harmless one of its size
    /// takes.
    func timeLimit(pixels: Int) -> Int {
        let seconds = 10 + pixels / 2_000_000
        return effort == .thorough ? 4 * seconds : seconds
    }

    /// The memory limit for decoding and searching, in bytes. A decoder may hold several pictures with 16
    /// bits per sample in three colours, and a search several in grey.
    var memoryLimit: Int { (512 << 20) + 16 * min(limits.maximumPixels, 1 << 40) }

    /// Searches the pictures in a whole image file, in this process.
    ///
    /// - Parameter allow: called before each picture is decoded, with the seconds that it may take.
    /// - Throws: `ImageError` or `QRScanError`.
    package func run(_ file: ImageBytes, allow: (Int) -> Void = { _ in }) throws -> ImageScanOutcome {
        // An animation or a document is decoded while `ImagePictures` reads it.
        allow(timeLimit(pixels: 0))
        var pictures = try ImagePictures(file, limits: limits)
        var outcome: ImageScanOutcome?
        while let source = try pictures.next(found: outcome?.result.codes.isEmpty == false) {
            allow(timeLimit(pixels: source.width * source.height))
            let next = try search(source)
            outcome = outcome.map { $0.followed(by: next) } ?? next
        }
        guard let outcome else { throw ImageError.broken(pictures.format, "it has no picture") }
        return outcome
    }

    private func search(_ source: ImageSource) throws -> ImageScanOutcome {
        var (found, explanation) = try explained(source)
        if found.result.isEmpty, source.hasTransparency {
            var onBlack = source
            onBlack.ground = 0
            let second = try explained(onBlack)
            if !second.outcome.result.isEmpty { (found, explanation) = second }
        }
        return ImageScanOutcome(
            format: source.format, width: source.width, height: source.height, damage: found.damage,
            result: found.result, explanation: explanation)
    }

    private func explained(_ source: ImageSource) throws -> (outcome: PictureSearch.Outcome, png: [UInt8]?) {
        guard explains else { return (try PictureSearch.run(source, effort: effort, sought: sought), nil) }
        return try PictureSearch.explained(source, effort: effort, sought: sought)
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
