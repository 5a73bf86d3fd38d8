/// What kind of file some bytes are, by their first bytes alone.
///
/// TIFF and SVG cannot be decoded; they are known so that a person who has one of them is told what it is.
package enum ImageFormat: String, CaseIterable, Equatable, Sendable {
    /// ISO/IEC 15948.
    case png = "PNG"
    /// ITU-T T.81, in a JFIF, Exif or Adobe file.
    case jpeg = "JPEG"
    /// RFC 9649.
    case webp = "WebP"
    /// ISO/IEC 23008-12 with HEVC, as telephones make.
    case heic = "HEIC"
    /// ISO/IEC 23008-12 with AV1.
    case avif = "AVIF"
    /// GIF87a and GIF89a.
    case gif = "GIF"
    /// Windows bitmap.
    case bmp = "BMP"
    /// Netpbm's PBM, PGM and PPM, in text and in binary.
    case pnm = "PNM"
    /// TIFF 6.0, either byte order.
    case tiff = "TIFF"
    /// ISO 32000.
    case pdf = "PDF"
    /// Scalable Vector Graphics, as plain XML.
    case svg = "SVG"

    /// The format of `bytes`, or nil if they begin like none of them.
    package static func detect(_ bytes: [UInt8]) -> ImageFormat? {
        func begins(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count >= offset + prefix.count
                && bytes[offset..<offset + prefix.count].elementsEqual(prefix)
        }
        func begins(_ text: StaticString, at offset: Int = 0) -> Bool {
            begins(text.withUTF8Buffer { Array($0) }, at: offset)
        }
        if begins(PNGHeader.signature) { return .png }
        if begins([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if begins("RIFF"), begins("WEBP", at: 8) { return .webp }
        if begins("GIF87a") || begins("GIF89a") { return .gif }
        // "BM" alone begins many a text; a bitmap's four reserved bytes are zero.
        if begins("BM"), begins([0, 0, 0, 0], at: 6) { return .bmp }
        if bytes.count >= 3, begins("P"), (0x31...0x36).contains(bytes[1]),
            PNMScanner.isWhite(bytes[2]) || bytes[2] == UInt8(ascii: "#")
        {
            return .pnm
        }
        if begins("II*\0") || begins("MM\0*") { return .tiff }
        if begins("%PDF-") { return .pdf }
        if begins("ftyp", at: 4) {
            // The brand of its own, then those that it is compatible with (ISO/IEC 14496-12 § 4.3).
            let size = min(bytes.count, 256, Int(bytes[3]) | Int(bytes[2]) << 8)
            let isAVIF = ([8] + stride(from: 16, to: size, by: 4)).contains { begins("avif", at: $0) }
            if isAVIF || begins("avis", at: 8) { return .avif }
            let brands: [StaticString] = ["heic", "heix", "hevc", "heim", "heis", "hevm", "mif1", "msf1"]
            if brands.contains(where: { begins($0, at: 8) }) { return .heic }
        }
        return isSVG(bytes) ? .svg : nil
    }

    /// XML whose first kilobyte opens an `svg` element.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var start = bytes.prefix(1024)
        if start.starts(with: byteOrderMark) { start = start.dropFirst(3) }
        start = start.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard start.first == UInt8(ascii: "<") else { return false }
        return String(decoding: start, as: UTF8.self).contains("<svg")
    }
}

/// The bytes of an input that is to be an image, with the format that their beginning shows.
package struct ImageBytes: Sendable {
    package let bytes: [UInt8]
    /// Nil if they begin like no known image.
    package let format: ImageFormat?

    package init(_ bytes: [UInt8]) {
        self.init(bytes, format: ImageFormat.detect(bytes))
    }

    /// For a reader that has detected the format on its way.
    init(_ bytes: [UInt8], format: ImageFormat?) {
        self.bytes = bytes
        self.format = format
    }
}
