/// A Micro QR code (ISO/IEC 18004 § 6.3): one finder pattern, and timing patterns along the two edges of the
/// symbol that meet in it, from module 8 to the end at 11, 13, 15 or 17.
enum MicroCode {
    private static let sides = [11, 13, 15, 17]
    /// The share of the modules that must be as they should: one or two may be wrong.
    private static let leastMatch: Float = 0.9

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
                var (right, count): (Float, Float) = (0, 0)
                // Of the quiet zone a part may be cut off, of the symbol itself nothing.
                func look(_ x: Int, _ y: Float, isDark: Bool, isNeeded: Bool = false) {
                    let place = pattern.centre + step * Float(x - 3) + aside * y
                    guard place.x >= 0, place.y >= 0, place.x < Float(picture.width),
                        place.y < Float(picture.height)
                    else {
                        if isNeeded { count += 1 }
                        return
                    }
                    let luma = picture.pixels[Int(place.y) * picture.width + Int(place.x)]
                    if (Int(luma) < threshold) == (isDark != pattern.isInverted) { right += 1 }
                    count += 1
                }
                for module in 7..<side { look(module, -3, isDark: module % 2 == 0, isNeeded: true) }
                look(side, -3, isDark: false)
                look(side + 1, -3, isDark: false)
                for module in 0..<side { look(module, -4, isDark: false) }
                if count > 0 { best = max(best, right / count) }
            }
        }
        return best
    }
}
