/// How much work a search may do before it gives up. It cuts the list of steps in `SearchPlan`; one code that is found
/// early costs the same at `quick` and at `normal`.
package enum ScanEffort: String, CaseIterable, Equatable, Sendable {
    /// A clear picture, and no more: for a stream of frames, where the next one may be better.
    case quick
    /// Whatever a person would still call a usable photograph; gives up within some 0.4 s.
    case normal
    /// Everything there is, at every scale, small codes beside a large one too; some seconds for a large picture.
    case thorough
}
