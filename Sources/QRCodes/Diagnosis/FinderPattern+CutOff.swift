extension FinderPattern {
    /// The distance between the middles of two finder patterns in modules, in version 4.
    private static let reach: Float = 26
    /// An edge of the picture is clean if at most this many thousandths of its pixels are dark, or light:
    /// what lies there is a ground without a code.
    private static let cleanBorder = 20

    /// True if this pattern's code reaches over an edge of the picture: it does not fit in, and that edge is
    /// not clean. A Micro QR code (ISO/IEC 18004 § 6.3) has only one finder pattern too, but no module of it
    /// lies at the edge.
    func isCutOff(in picture: LuminanceImage) -> Bool {
        let reach = moduleSize * FinderPattern.reach
        let (width, height) = (picture.width, picture.height)
        let columns = range(around: centre.x, by: reach, below: width)
        let rows = range(around: centre.y, by: reach, below: height)
        let middle = threshold(in: picture)
        func isClean(_ places: some Collection<(x: Int, y: Int)>) -> Bool {
            let dark = places.count { (luma(at: $0.x, $0.y, in: picture) < middle) != isInverted }
            return min(dark, places.count - dark) * 1000 <= places.count * FinderPattern.cleanBorder
        }
        return centre.x - reach < 0 && !isClean(rows.map { (0, $0) })
            || centre.x + reach > Float(width) && !isClean(rows.map { (width - 1, $0) })
            || centre.y - reach < 0 && !isClean(columns.map { ($0, 0) })
            || centre.y + reach > Float(height) && !isClean(columns.map { ($0, height - 1) })
    }

    /// The coordinates at most `reach` from `middle`, within 0 to less than `end`.
    private func range(around middle: Float, by reach: Float, below end: Int) -> Range<Int> {
        let first = max(0, min(Float(end), middle - reach))
        return Int(first)..<Int(max(first, min(Float(end), middle + reach)))
    }

    /// Halfway between the core, 3 modules wide, and the brightest place of the ring around it; for a light
    /// code the darkest one.
    func threshold(in picture: LuminanceImage) -> Int {
        let core = luma(at: Int(centre.x), Int(centre.y), in: picture)
        var ring: [Int] = []
        for modules: Float in [2, 2.5, 3] {
            let away = modules * moduleSize
            for step in [(away, 0), (-away, 0), (0, away), (0, -away)] {
                ring.append(luma(at: Int(centre.x + step.0), Int(centre.y + step.1), in: picture))
            }
        }
        return (core + ((isInverted ? ring.min() : ring.max()) ?? core)) / 2
    }

    /// The luma of the nearest pixel of the picture.
    private func luma(at x: Int, _ y: Int, in picture: LuminanceImage) -> Int {
        let (x, y) = (max(0, min(picture.width - 1, x)), max(0, min(picture.height - 1, y)))
        return Int(picture.pixels[y * picture.width + x])
    }
}
