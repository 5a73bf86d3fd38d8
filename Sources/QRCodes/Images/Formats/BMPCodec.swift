/// Windows bitmaps, decoded here: their rows are plain bytes, and Debian has no library for BMP alone.
///
///     "BM" size (4) 0 (4) offset of the pixels (4) header masks palette … pixels   all little endian
///     header = 12 (4) width (2) height (2) planes (2) bits (2)                     BITMAPCOREHEADER
///            / ≥40 (4) width (4) height (4) planes (2) bits (2) compression (4) …  BITMAPINFOHEADER, V4, V5
///
/// Accepted: 1, 4, 8, 16, 24 or 32 bits a pixel, bottom row first (the rule) or top row first (a negative
/// height), any masks. Rejected by name: run-length coding and embedded JPEG or PNG, which hardly any program
/// writes.
struct BMPCodec: ImageCodec {
    let width: Int
    let height: Int
    private let isTopDown: Bool
    private let bits: Int
    private let masks: [UInt32]
    private let palette: [UInt8]
    private let start: Int
    private let bytes: [UInt8]

    init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
        func number(at offset: Int, count: Int = 4) throws(ImageError) -> Int {
            guard offset >= 0, offset + count <= bytes.count else { throw .broken(.bmp, "it ends early") }
            return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        start = try number(at: 10)
        let headerSize = try number(at: 14)
        let isCore = headerSize == 12
        guard isCore || (40...1024).contains(headerSize) else {
            throw .unsupported(.bmp, "a header of \(headerSize) bytes")
        }
        let side = isCore ? 2 : 4
        let statedHeight = try number(at: 18 + side, count: side)
        let signedHeight = isCore ? statedHeight : Int(Int32(truncatingIfNeeded: statedHeight))
        width = try number(at: 18, count: side)
        height = abs(signedHeight)
        isTopDown = signedHeight < 0
        try limits.check(width: width, height: height)
        bits = try number(at: 18 + 2 * side + 2, count: 2)
        let compression = isCore ? 0 : try number(at: 30)

        switch (compression, bits) {
        case (0, 1), (0, 4), (0, 8), (0, 24):
            masks = []
        case (0, 16):
            masks = [0x7C00, 0x03E0, 0x001F]
        case (0, 32):
            masks = [0xFF_0000, 0xFF00, 0xFF]
        case (3, 16), (3, 32), (6, 16), (6, 32):
            masks = [
                UInt32(try number(at: 54)), UInt32(try number(at: 58)), UInt32(try number(at: 62)),
            ]
        case (1, _), (2, _): throw .unsupported(.bmp, "run-length coding")
        case (4, _), (5, _): throw .unsupported(.bmp, "another image inside")
        default: throw .unsupported(.bmp, "\(bits) bits a pixel, compression \(compression)")
        }

        var palette: [UInt8] = []
        if bits <= 8 {
            let stated = isCore ? 0 : try number(at: 46)
            let count = stated == 0 ? 1 << bits : min(stated, 1 << bits)
            let size = isCore ? 3 : 4
            for index in 0..<count {
                let entry = 14 + headerSize + index * size
                guard entry + 3 <= bytes.count else { throw .broken(.bmp, "it ends inside its palette") }
                palette.append(luma(red: bytes[entry + 2], green: bytes[entry + 1], blue: bytes[entry]))
            }
            // An index beyond the palette is black, as in other readers.
            palette += [UInt8](repeating: 0, count: 256 - palette.count)
        }
        self.palette = palette
        self.bytes = bytes
    }

    /// Decodes the picture; of a truncated file the rows that are present, with a note in `damage`.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage {
        let stride = (width * bits + 31) / 32 * 4
        var pixels = [UInt8](repeating: 255, count: width * height)
        var damage: String?
        bytes.withUnsafeBufferPointer { file in
            for row in 0..<height {
                let from = start + row * stride
                guard from + stride <= file.count else {
                    damage = "the file ends early"
                    break
                }
                let to = (isTopDown ? row : height - 1 - row) * width
                for x in 0..<width { pixels[to + x] = sample(x, of: file, from: from) }
            }
        }
        guard let image = LuminanceImage(width: width, height: height, pixels: pixels, damage: damage) else {
            throw .outOfMemory
        }
        return image
    }

    /// The luma of the pixel `x` of the row that begins at `row`.
    private func sample(_ x: Int, of file: UnsafeBufferPointer<UInt8>, from row: Int) -> UInt8 {
        switch bits {
        case 1, 4, 8:
            let position = x * bits
            let shift = 8 - bits - position % 8
            return palette[Int(file[row + position / 8]) >> shift & (1 << bits - 1)]
        case 24:
            let position = row + 3 * x
            return luma(red: file[position + 2], green: file[position + 1], blue: file[position])
        default:
            let count = bits / 8
            let position = row + count * x
            let value = (0..<count).reduce(UInt32(0)) { $0 | UInt32(file[position + $1]) << UInt32(8 * $1) }
            return luma(
                red: channel(value, masks[0]), green: channel(value, masks[1]), blue: channel(value, masks[2])
            )
        }
    }

    /// The bits of `value` under `mask`, scaled to 8 bits.
    private func channel(_ value: UInt32, _ mask: UInt32) -> UInt8 {
        guard mask != 0 else { return 0 }
        let low = UInt32(mask.trailingZeroBitCount)
        let largest = UInt64(mask >> low)
        return UInt8(clamping: UInt64((value & mask) >> low) * 255 / largest)
    }
}
