/// The format of a file, detected from its first bytes alone.
package enum ImageFormat: String, CaseIterable, Codable, Equatable, Sendable {
    /// ISO/IEC 15948.
    case png = "PNG"
    /// ITU-T T.81, in a JFIF, Exif or Adobe file.
    case jpeg = "JPEG"
    /// RFC 9649.
    case webp = "WebP"
    /// ISO/IEC 23008-12 with HEVC, as phones write it.
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

    /// What the names of such files end with, in lower case; none of what is not read.
    package var endings: [String] {
        switch self {
        case .png: ["png", "apng"]
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
        case .webp: ["webp"]
        case .heic: ["heic", "heif", "hif"]
        case .avif: ["avif"]
        case .gif: ["gif"]
        case .bmp: ["bmp", "dib"]
        case .pnm: ["pbm", "pgm", "ppm", "pnm"]
        case .pdf: ["pdf"]
        case .tiff, .svg: []
        }
    }

    /// What reads it, and Debian's package of that. In Debian 12 libheif's decoders are in the same package,
    /// in later releases in packages that it recommends.
    var decoder: (name: String, package: String) {
        switch self {
        case .webp: ("libwebp", "libwebp7")
        case .heic, .avif: ("libheif", "libheif1")
        case .gif: ("giflib", "libgif7")
        case .pdf: ("pdftoppm", "poppler-utils")
        case .png: ("libpng", "libpng16-16")
        case .jpeg: ("libjpeg-turbo", "libturbojpeg0")
        // Read without a library, or not at all.
        case .bmp, .pnm, .tiff, .svg: ("hubpair itself", "hubpair")
        }
    }

    /// The format of `bytes`; nil if they do not begin like any known format.
    package static func detect(_ bytes: [UInt8]) -> ImageFormat? {
        func begins(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count >= offset + prefix.count
                && bytes[offset..<offset + prefix.count].elementsEqual(prefix)
        }
        func begins(_ text: StaticString, at offset: Int = 0) -> Bool {
            begins(text.withUTF8Buffer { Array($0) }, at: offset)
        }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if begins([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if begins("RIFF"), begins("WEBP", at: 8) { return .webp }
        if begins("GIF87a") || begins("GIF89a") { return .gif }
        // Text can begin with "BM" too; a bitmap has four reserved zero bytes.
        if begins("BM"), begins([0, 0, 0, 0], at: 6) { return .bmp }
        if bytes.count >= 3, begins("P"), (0x31...0x36).contains(bytes[1]),
            isWhite(bytes[2]) || bytes[2] == UInt8(ascii: "#")
        {
            return .pnm
        }
        if begins("II*\0") || begins("MM\0*") { return .tiff }
        if begins("%PDF-") { return .pdf }
        if begins("ftyp", at: 4) {
            // The major brand, then the compatible brands (ISO/IEC 14496-12 § 4.3).
            let size = min(bytes.count, 256, Int(bytes[3]) | Int(bytes[2]) << 8)
            let isAVIF = ([8] + stride(from: 16, to: size, by: 4)).contains { begins("avif", at: $0) }
            if isAVIF || begins("avis", at: 8) { return .avif }
            let brands: [StaticString] = ["heic", "heix", "hevc", "heim", "heis", "hevm", "mif1", "msf1"]
            if brands.contains(where: { begins($0, at: 8) }) { return .heic }
        }
        return isSVG(bytes) ? .svg : nil
    }

    /// True for ASCII white space, as defined by XML and Netpbm.
    static func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// True for XML whose first kilobyte opens an `svg` element.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var start = bytes.prefix(1024)
        if start.starts(with: byteOrderMark) { start = start.dropFirst(3) }
        start = start.drop(while: isWhite)
        guard start.first == UInt8(ascii: "<") else { return false }
        return String(decoding: start, as: UTF8.self).contains("<svg")
    }
}

/// The bytes of an image file, and its format.
package struct ImageBytes: Sendable {
    package let bytes: [UInt8]
    /// Nil if `bytes` do not begin like any known format.
    package let format: ImageFormat?

    package init(_ bytes: [UInt8]) {
        self.init(bytes, format: ImageFormat.detect(bytes))
    }

    /// For a reader that has detected the format while reading.
    package init(_ bytes: [UInt8], format: ImageFormat?) {
        self.bytes = bytes
        self.format = format
    }
}
