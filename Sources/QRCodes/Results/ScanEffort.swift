/// How much work a search does before it gives up: it determines the steps of `SearchPlan`. A single code
/// that is found early costs the same at `quick` and at `normal`.
package enum ScanEffort: String, CaseIterable, Codable, Equatable, Sendable {
    /// Enough for a clear picture: for a stream of frames, where the next one may be better.
    case quick
    /// Enough for any usable photograph; gives up after about 0.4 s.
    case normal
    /// All steps at every scale, and small codes beside a large one too; some seconds for a large picture.
    case thorough
}
