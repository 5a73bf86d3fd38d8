import QRCodes
import Testing

/// A picture to draw others on.
struct Canvas {
    let width: Int
    let height: Int
    var pixels: [UInt8]

    init(width: Int, height: Int, filledWith value: UInt8 = 255) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: value, count: width * height)
    }

    mutating func paste(_ image: LuminanceImage, x: Int, y: Int) {
        for row in 0..<image.height {
            for column in 0..<image.width {
                pixels[(y + row) * width + x + column] = image.pixels[row * image.width + column]
            }
        }
    }

    func image() throws -> LuminanceImage {
        try #require(LuminanceImage(width: width, height: height, pixels: pixels))
    }
}

/// The result of a search in this process.
func scanned(_ image: LuminanceImage) throws -> QRScanResult {
    try PictureSearch.run(ImageSource(image)).result
}

/// A picture of a code of ours.
func picture(of payload: [UInt8], pixelsPerModule: Int = 4) throws -> LuminanceImage {
    try LuminanceImage.decode(try QRSymbol.encode(payload).png(pixelsPerModule: pixelsPerModule))
}

/// A picture of a linear barcode from its bars and spaces ("1" is a bar), `scale` pixels each.
func barcode(_ modules: String, scale: Int = 3, height: Int = 120) throws -> LuminanceImage {
    let quiet = String(repeating: "0", count: 12)
    let row = (quiet + modules + quiet).flatMap { [UInt8](repeating: $0 == "1" ? 0 : 255, count: scale) }
    let pixels = [[UInt8]](repeating: row, count: height).flatMap { $0 }
    return try #require(LuminanceImage(width: row.count, height: height, pixels: pixels))
}

/// The modules of an EAN-13 (ISO/IEC 15420) of 13 digits, its check digit among them.
func ean13(_ digits: [Int]) -> String {
    let left = [
        "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111",
        "0001011",
    ]
    let parity = [
        "LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL",
    ]
    func right(_ digit: Int) -> String { String(left[digit].map { $0 == "0" ? "1" : "0" }) }
    var modules = "101"
    for (digit, kind) in zip(digits[1...6], parity[digits[0]]) {
        modules += kind == "L" ? left[digit] : String(right(digit).reversed())
    }
    return modules + "01010" + digits[7...].map(right).joined() + "101"
}

/// A PNG by hand (ISO/IEC 15948 § 5): the signature and these chunks with correct lengths and CRCs.
func handmadePNG(_ chunks: [(type: String, data: [UInt8])]) -> [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    for chunk in chunks {
        let body = Array(chunk.type.utf8) + chunk.data
        file += bigEndian(UInt32(chunk.data.count)) + body + bigEndian(crc32(body))
    }
    return file
}

/// The IHDR data of a non-interlaced image.
func imageHeader(width: UInt32, height: UInt32, bitDepth: UInt8 = 8, colourType: UInt8 = 0) -> [UInt8] {
    bigEndian(width) + bigEndian(height) + [bitDepth, colourType, 0, 0, 0]
}

/// A JPEG by hand up to its scan header: enough to know its size.
func handmadeJPEG(width: UInt16, height: UInt16) -> [UInt8] {
    let quantisation = [0xFF, 0xDB, 0x00, 0x43, 0x00] + [UInt8](repeating: 1, count: 64)
    let frame: [UInt8] =
        [0xFF, 0xC0, 0x00, 0x0B, 0x08]
        + [UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF)]
        + [0x01, 0x01, 0x11, 0x00]
    let huffman: [UInt8] = [0xFF, 0xC4, 0x00, 0x14, 0x00, 1] + [UInt8](repeating: 0, count: 15) + [0]
    let scan: [UInt8] = [0xFF, 0xDA, 0x00, 0x08, 0x01, 0x01, 0x00, 0x00, 0x3F, 0x00]
    return [0xFF, 0xD8] + quantisation + frame + huffman + scan + [0x00, 0xFF, 0xD9]
}

func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
}

private func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { crc, byte in
        (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }
}
