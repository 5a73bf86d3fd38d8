/// How much work a search may do before it gives up. It cuts the list of steps in `ScanPlan`; what is found
/// early costs the same at every effort.
package enum ScanEffort: String, CaseIterable, Equatable, Sendable {
    /// A clear picture, and no more: for a stream of frames, where the next one may be better.
    case quick
    /// Whatever a person would still call a usable photograph; gives up within some 0.4 s.
    case normal
    /// Everything there is, at every scale; some seconds for a large picture without a code.
    case thorough
}
