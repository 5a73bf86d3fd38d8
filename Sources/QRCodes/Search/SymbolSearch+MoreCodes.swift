/// The signs of more codes than those that were read. The codes' corners are in a picture `scale` times
/// as large as the one that was searched.
extension SymbolSearch.Outcome {
    /// With more finder patterns than this there are at least two codes.
    private static let twoCodes = 5

    /// The pixels of a module of the code that was read last, if that is known.
    var readModuleSize: Float? { grids.last?.triple.moduleSize }

    /// True if there may be more codes than these: small finder patterns outside of them, two larger
    /// ones, or two unclear ones of the size of a code that was read with modules of only two pixels.
    func suggestsMore(besides codes: [ScannedQRCode], scale: Int, in picture: LuminanceImage) -> Bool {
        let others = others(besides: codes, scale: scale)
        let sure = others.filter(\.isSure)
        if sure.count > 1 || sure.contains(where: \.isSmall) {
            // Gravel and fur have the stripes now and then, but not the squares.
            let squares = sure.filter { FinderLikeness($0, in: picture).isLikely }
            if squares.count > 1 || squares.contains(where: \.isSmall) { return true }
        }
        guard scale > 1, let size = readModuleSize, size < 2.2 else { return false }
        return others.count { pattern in
            pattern.hits > 1 && pattern.moduleSize < 1.4 * size && size < 1.4 * pattern.moduleSize
        } > 1
    }

    /// True if two finder patterns with modules of these sizes, in pixels, are squares outside of these
    /// codes. They need not be sure: modules of two pixels are crossed by a few lines only.
    func showsAnother(
        besides codes: [ScannedQRCode], ofModules sizes: ClosedRange<Float>, scale: Int,
        in picture: LuminanceImage
    ) -> Bool {
        others(besides: codes, scale: scale).count {
            sizes.contains($0.moduleSize) && FinderLikeness($0, in: picture).isLikely
        } > 1
    }

    /// True if nothing was read and there may be several codes: a code has three finder patterns, and here
    /// more than five are sure, or squares. Those of modules of one or two pixels are not sure: a few lines
    /// cross them.
    func suggestsCrowd(in picture: LuminanceImage) -> Bool {
        // Gravel and fur have the stripes only.
        let least = hasManySure ? 3 : SymbolSearch.Outcome.twoCodes + 1
        var squares = 0
        for pattern in patterns where squares < least && (hasManySure ? pattern.isSure : pattern.hits > 1) {
            if FinderLikeness(pattern, in: picture).isLikely { squares += 1 }
        }
        return squares == least
    }

    /// True if more finder patterns are sure than two codes have.
    var hasManySure: Bool { sureCount > SymbolSearch.Outcome.twoCodes }

    /// How many sure finder patterns outside of these codes are so small that a finer scale would show them
    /// better.
    func smallPatterns(besides codes: [ScannedQRCode], scale: Int) -> Int {
        others(besides: codes, scale: scale).count { $0.isSure && $0.isSmall }
    }

    private func others(besides codes: [ScannedQRCode], scale: Int) -> [FinderPattern] {
        patterns.filter { pattern in !codes.contains { $0.holds(pattern.centre * Float(scale)) } }
    }
}

extension FinderPattern {
    /// A finer scale would show it better.
    fileprivate var isSmall: Bool { moduleSize < 3 }
}
