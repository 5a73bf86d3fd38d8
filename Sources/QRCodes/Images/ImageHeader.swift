/// The size that a PNG states, read before libpng sees the file: libpng's own words for a size of zero or
/// above its limits would not tell a person what to do.
///
///     signature (8) length (4) "IHDR" (4) width (4) height (4) …        ISO/IEC 15948 § 5.2, § 11.2.2
enum PNGHeader {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Width and height as stated (0 to 2³² − 1 each), or nil if the file is too short for them or does not
    /// begin with an IHDR chunk.
    static func dimensions(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        return (bigEndian(bytes[16..<20]), bigEndian(bytes[20..<24]))
    }
}

/// The size that a JPEG states in its frame header.
///
///     0xFF SOFn length (2) precision (1) height (2) width (2) …         ITU-T T.81 § B.2.2
enum JPEGHeader {
    /// Width and height as stated (0 to 65,535 each), or nil if there is no whole frame header where one
    /// can stand.
    static func dimensions(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        var position = 2
        while position + 4 <= bytes.count {
            guard bytes[position] == 0xFF else { return nil }
            let marker = bytes[position + 1]
            switch marker {
            case 0xFF:  // A fill byte (§ B.1.1.2).
                position += 1
            case 0x01, 0xD0...0xD8:  // No parameters follow.
                position += 2
            case 0xD9, 0xDA:  // The image ends, or its data begin, before any frame header.
                return nil
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard position + 9 <= bytes.count else { return nil }
                return (
                    bigEndian(bytes[position + 7..<position + 9]),
                    bigEndian(bytes[position + 5..<position + 7])
                )
            default:
                // The length counts itself; a shorter one is broken, and 0 would turn in circles.
                let length = bigEndian(bytes[position + 2..<position + 4])
                guard length >= 2 else { return nil }
                position += 2 + length
            }
        }
        return nil
    }
}

/// An unsigned number of at most four bytes.
private func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
}
