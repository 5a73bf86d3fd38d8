/// Netpbm's formats, PBM, PGM and PPM, in text and in binary: <https://netpbm.sourceforge.net/doc/pnm.html>.
///
///     "P" ("1" / … / "6") space width space height [space maximum] white pixels
///     space = 1*white, with "#" comments up to the end of the line in it
///
/// 1 and 4 are black and white (1 is black, no maximum), 2 and 5 grey, 3 and 6 colour. 1 to 3 are text. A
/// binary sample has two bytes, big endian, if the maximum (1 to 65,535) is above 255. Accepted: `P1 2 1 01`.
/// Rejected: `P5 2 1 0 …` (a maximum of 0), `P7` (PAM).
struct PNMCodec: ImageCodec {
    /// The part of a file before the pixels.
    struct Header: Equatable {
        var kind: UInt8
        var width: Int
        var height: Int
        /// The value of white; 1 for black and white.
        var maximum: Int
        /// The length of the header: the pixels begin there.
        var count: Int

        var isText: Bool { kind <= 3 }
        var isBilevel: Bool { kind == 1 || kind == 4 }
        var samplesPerPixel: Int { kind == 3 || kind == 6 ? 3 : 1 }
        /// The bytes of a row in a binary file.
        var rowBytes: Int {
            isBilevel ? (width + 7) / 8 : width * samplesPerPixel * (maximum > 255 ? 2 : 1)
        }
    }

    private let header: Header
    private let bytes: [UInt8]
    var width: Int { header.width }
    var height: Int { header.height }

    init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
        guard let header = Header(bytes) else { throw .broken(.pnm, "its header is malformed") }
        try limits.check(width: header.width, height: header.height)
        self.header = header
        self.bytes = bytes
    }

    /// Decodes the picture; of a truncated file the pixels that are present, with a note in `damage`.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage {
        var pixels = [UInt8](repeating: 255, count: width * height)
        let isWhole = header.isText ? readText(into: &pixels) : readBinary(into: &pixels)
        let damage = isWhole ? nil : "the file ends early"
        guard let image = LuminanceImage(width: width, height: height, pixels: pixels, damage: damage) else {
            throw .outOfMemory
        }
        return image
    }

    /// Returns false if the samples end early.
    private func readBinary(into pixels: inout [UInt8]) -> Bool {
        let rowBytes = header.rowBytes
        for y in 0..<height {
            let start = header.count + y * rowBytes
            guard start + rowBytes <= bytes.count else { return false }
            if header.kind == 5, header.maximum == 255 {
                pixels.replaceSubrange(y * width..<(y + 1) * width, with: bytes[start..<start + rowBytes])
                continue
            }
            for x in 0..<width {
                if header.isBilevel {
                    pixels[y * width + x] = bytes[start + x / 8] << (x % 8) & 0x80 == 0 ? 255 : 0
                    continue
                }
                func sample(_ index: Int) -> UInt8 {
                    let number = x * header.samplesPerPixel + index
                    guard header.maximum > 255 else { return full(Int(bytes[start + number])) }
                    return full(Int(bytes[start + 2 * number]) << 8 | Int(bytes[start + 2 * number + 1]))
                }
                pixels[y * width + x] =
                    header.samplesPerPixel == 1
                    ? sample(0) : luma(red: sample(0), green: sample(1), blue: sample(2))
            }
        }
        return true
    }

    /// Returns false if the samples end early or are not numbers.
    private func readText(into pixels: inout [UInt8]) -> Bool {
        var scanner = PNMScanner(bytes, at: header.count)
        for index in pixels.indices {
            if header.isBilevel {
                guard let bit = scanner.bit() else { return false }
                pixels[index] = bit ? 0 : 255
            } else if header.samplesPerPixel == 1 {
                guard let grey = scanner.number() else { return false }
                pixels[index] = full(grey)
            } else {
                guard let red = scanner.number(), let green = scanner.number(), let blue = scanner.number()
                else { return false }
                pixels[index] = luma(red: full(red), green: full(green), blue: full(blue))
            }
        }
        return true
    }

    /// A sample scaled to 255; above the maximum it is white.
    private func full(_ sample: Int) -> UInt8 { UInt8(clamping: sample * 255 / header.maximum) }
}

extension PNMCodec.Header {
    /// The header at the beginning of `bytes`, or nil without a whole one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 3, bytes[0] == UInt8(ascii: "P"), (0x31...0x36).contains(bytes[1]) else {
            return nil
        }
        let kind = bytes[1] - 0x30
        var scanner = PNMScanner(bytes, at: 2)
        guard let width = scanner.number(), let height = scanner.number() else { return nil }
        var maximum = 1
        if kind != 1 && kind != 4 {
            guard let stated = scanner.number(), (1...65_535).contains(stated) else { return nil }
            maximum = stated
        }
        // Exactly one white byte ends the header of a binary file; the next byte may be a pixel.
        guard scanner.position < bytes.count, ImageFormat.isWhite(bytes[scanner.position]) else { return nil }
        self.init(
            kind: kind, width: width, height: height, maximum: maximum, count: scanner.position + 1)
    }
}

/// Reads the decimal numbers of a Netpbm file.
struct PNMScanner {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// The next number, of at most 9 digits.
    mutating func number() -> Int? {
        skipSpace()
        var value = 0
        let start = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            guard position - start < 9 else { return nil }
            value = value * 10 + Int(bytes[position] - 0x30)
            position += 1
        }
        return position > start ? value : nil
    }

    /// The next 0 or 1. White space between them is optional.
    mutating func bit() -> Bool? {
        skipSpace()
        guard position < bytes.count, bytes[position] | 1 == 0x31 else { return nil }
        defer { position += 1 }
        return bytes[position] == 0x31
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "#") {
                while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D {
                    position += 1
                }
            } else if ImageFormat.isWhite(bytes[position]) {
                position += 1
            } else {
                return
            }
        }
    }
}
