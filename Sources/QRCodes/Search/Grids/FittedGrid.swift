/// A grid of a version on some surface, after it was moved to where it fits best.
struct FittedGrid<Map> {
    let version: Int
    let map: Map
    let score: GridRegistration.Score
}
