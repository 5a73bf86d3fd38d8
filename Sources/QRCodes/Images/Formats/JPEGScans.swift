import Glibc

/// The scans of a JPEG file (ITU-T T.81 § B.2.1). A progressive file has about ten; each one passes over all
/// blocks of the picture again, however few bytes it has.
enum JPEGScans {
    /// The decoder's pace, in pixels times scans for a second of processor time.
    private static let pace = 120e6
    /// So many scans are decoded in any case: the first ones hold most of what a picture shows.
    private static let least = 5

    /// The file up to its first scans, as many as the budget allows for a picture of so many pixels: the rest
    /// only adds detail.
    static func leading(_ bytes: [UInt8], pixels: Int, budget: WorkBudget) -> [UInt8] {
        let left = budget.left
        guard left < .infinity, pixels > 0 else { return bytes }
        let limit = max(least, Int(max(0, left) * pace) / pixels)
        // A scan has ten bytes at least.
        guard limit < bytes.count / 10, let end = start(ofScan: limit, in: bytes) else { return bytes }
        return bytes[..<end] + [0xFF, 0xD9]
    }

    /// Where the header of a scan begins, counted from 0; nil without so many scans.
    private static func start(ofScan wanted: Int, in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { file -> Int? in
            guard let base = file.baseAddress else { return nil }
            var (position, scans) = (2, 0)
            while position + 4 <= file.count {
                guard let found = memchr(base + position, 0xFF, file.count - position) else { return nil }
                let marker = found - UnsafeMutableRawPointer(mutating: base)
                guard marker + 4 <= file.count else { return nil }
                switch file[marker + 1] {
                case 0, 0x01, 0xD0...0xD8: position = marker + 2
                case 0xFF: position = marker + 1
                case 0xD9: return nil
                default:
                    if file[marker + 1] == 0xDA {
                        if scans == wanted { return marker }
                        scans += 1
                    }
                    position = marker + 2 + max(2, Int(file[marker + 2]) << 8 | Int(file[marker + 3]))
                }
            }
            return nil
        }
    }
}
