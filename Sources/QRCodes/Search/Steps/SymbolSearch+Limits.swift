/// The limits of the steps of `SearchPlan`.
extension SymbolSearch.Limits {
    // Each limit in `looks` is a quarter above the highest number that any of 442 photographs read in such a
    // step needed.

    /// For fine scales. With less, the grain in flat parts of a large picture uses up all checks.
    private static let leastContrast: Float = 8

    /// Only the first field, for a picture of this many pixels. `isFiner`: the picture was searched at half
    /// the size before.
    static func quick(pixels: Int, isFiner: Bool = false) -> SymbolSearch.Limits {
        var limits = SymbolSearch.Limits()
        limits.finders.rowStep = pixels > 400_000 ? 2 : 1
        limits.finders.maximumChecks = 8000
        limits.finders.maximumLooks = 400_000
        if isFiner {
            limits.finders.largestModule = 16
            limits.finders.leastContrast = leastContrast
        }
        // As in `normal`, which takes over what was found here.
        limits.finders.maximumKept = 128
        limits.finders.maximumPatterns = 20
        limits.patterns = 14
        limits.triples = 10
        limits.pairs = 0
        limits.grids = 3
        limits.readings = 16
        limits.meshes = 1
        limits.looks = SymbolSearch.Looks(starts: 400_000, completion: 0, fits: 700_000)
        return limits
    }

    /// For a small part of a picture.
    static var region: SymbolSearch.Limits {
        var limits = SymbolSearch.Limits()
        limits.fields = [.sharp, .near]
        limits.finders.maximumChecks = 2000
        limits.finders.maximumLooks = 100_000
        limits.finders.maximumKept = 64
        limits.finders.maximumPatterns = 12
        limits.triples = 8
        limits.pairs = 6
        limits.crowd = 9
        limits.grids = 3
        limits.readings = 16
        limits.looks = SymbolSearch.Looks(starts: 200_000, completion: 200_000, fits: 300_000)
        return limits
    }

    static func normal(pixels: Int) -> SymbolSearch.Limits {
        var limits = SymbolSearch.Limits()
        limits.finders.rowStep = pixels > 400_000 ? 2 : 1
        limits.fields = [.near, .nearSmooth, .sharp]
        // Each of 30 photographs that are read here, of 500, has one in the first field already. Half of the
        // pictures without a code have none.
        limits.needsPatterns = true
        limits.finders.maximumChecks = 8000
        limits.finders.maximumLooks = 400_000
        limits.finders.maximumKept = 128
        limits.finders.maximumPatterns = 20
        limits.triples = 20
        limits.pairs = 20
        limits.crowd = 9
        limits.grids = 6
        limits.readings = 34
        limits.cylinders = 1
        limits.looks = SymbolSearch.Looks(starts: 1_500_000, completion: 1_500_000, fits: 2_000_000)
        return limits
    }

    static var thorough: SymbolSearch.Limits {
        var limits = SymbolSearch.Limits()
        limits.fields = [.near, .nearSmooth, .sharp, .middleSmooth, .middle]
        limits.finders.maximumChecks = 40_000
        limits.triples = 60
        limits.pairs = 80
        limits.grids = 60
        limits.meshes = 12
        limits.readings = 200
        limits.cylinders = 6
        return limits
    }
}

extension CrowdSearch.Limits {
    /// For a picture of this many pixels.
    static func many(pixels: Int) -> CrowdSearch.Limits {
        var limits = CrowdSearch.Limits()
        limits.finders.rowStep = pixels > 6_000_000 ? 2 : 1
        limits.finders.maximumKept = 2048
        limits.finders.maximumPatterns = 1024
        return limits
    }
}
