/// A Micro QR code (ISO/IEC 18004 § 6.3): one finder pattern, and timing patterns along the two edges of the
/// symbol that meet in it, from module 8 to the end at 11, 13, 15 or 17.
enum MicroCode {
    private static let sides = [11, 13, 15, 17]
    /// The share that must be right of each: the timing pattern, the quiet zone along it, and that behind its
    /// end. A larger code has the first by chance once in a while, but data where the last should be.
    private static let leastMatch: Float = 0.88

    /// True if the pattern is that of a Micro QR code. Only this is told: it is never a pairing code.
    static func isSeen(at pattern: FinderPattern, in picture: LuminanceImage) -> Bool {
        let seen = FinderLikeness(pattern, in: picture)
        guard seen.isSure else { return false }
        // The timing patterns leave the finder pattern in one of four directions.
        let (a, d) = (seen.across, seen.down)
        for (across, down) in [(a, d), (d, a * -1), (a * -1, d * -1), (d * -1, a)] {
            for side in sides
            where match(pattern, across, down, side, in: picture) > leastMatch
                && match(pattern, down, across, side, in: picture) > leastMatch
            {
                return true
            }
        }
        return false
    }

    /// How many of the modules along an edge and outside of it are right, at best: the frame of the finder
    /// pattern is not exact to the end of the edge.
    private static func match(
        _ pattern: FinderPattern, _ along: Vector, _ aside: Vector, _ side: Int, in picture: LuminanceImage
    ) -> Float {
        var best: Float = 0
        let threshold = pattern.threshold(in: picture)
        for stretch in stride(from: Float(-0.06), through: 0.06, by: 0.02) {
            for slant in stride(from: Float(-0.06), through: 0.06, by: 0.03) {
                let step = along * (1 + stretch) + aside * slant
                // Of the quiet zone along the edge a part may be cut off, of the rest nothing.
                func share(_ modules: [(x: Int, y: Int)], isTiming: Bool, isNeeded: Bool) -> Float {
                    var (right, count): (Float, Float) = (0, 0)
                    for module in modules {
                        let place = pattern.centre + step * Float(module.x - 3) + aside * Float(module.y - 3)
                        guard place.x >= 0, place.y >= 0, place.x < Float(picture.width),
                            place.y < Float(picture.height)
                        else {
                            if isNeeded { count += 1 }
                            continue
                        }
                        let luma = picture.pixels[Int(place.y) * picture.width + Int(place.x)]
                        let isDark = isTiming && module.x % 2 == 0
                        if (Int(luma) < threshold) == (isDark != pattern.isInverted) { right += 1 }
                        count += 1
                    }
                    return count > 0 ? right / count : 1
                }
                let found = min(
                    share((7..<side).map { ($0, 0) }, isTiming: true, isNeeded: true),
                    share((0..<side).map { ($0, -1) }, isTiming: false, isNeeded: false),
                    share((0..<side).map { (side, $0) }, isTiming: false, isNeeded: true))
                best = max(best, found)
            }
        }
        return best
    }
}
