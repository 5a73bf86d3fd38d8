import CTurboJPEG
import Identity

/// JPEG through libjpeg-turbo's TurboJPEG API, decoded straight to grey: the colour planes are never
/// converted. A frame of Motion JPEG without Huffman tables gets the usual ones (ITU-T T.81 § K.3) from
/// libjpeg-turbo, from 2.0 on.
struct JPEGCodec: ImageCodec {
    let width: Int
    let height: Int
    /// The inverse DCT at these scales takes less work. The entropy decoding is the same at every scale.
    let scales = [1, 2, 4, 8]
    private let bytes: [UInt8]
    private let hasInk: Bool

    /// Reads the header of a JPEG file: baseline or progressive, grey, YCbCr, RGB, CMYK or YCCK.
    init(_ bytes: [UInt8], limits: ImageLimits, budget: WorkBudget = .unlimited) throws(ImageError) {
        if let size = JPEGHeader.dimensions(bytes) {
            try limits.check(width: size.width, height: size.height)
        }
        let decoder = try JPEGDecompressor()
        var columns: Int32 = 0
        var rows: Int32 = 0
        var subsampling: Int32 = 0
        var colourSpace: Int32 = 0
        let header = bytes.withUnsafeBufferPointer { file in
            decoder.library.tjDecompressHeader3(
                decoder.handle, file.baseAddress, UInt(file.count), &columns, &rows, &subsampling,
                &colourSpace)
        }
        // A header with only a warning can be used. libjpeg reports no error for a file that ends before its
        // frame header, but a size of 0. (A frame header that states 0 was refused above.)
        guard header == 0 || decoder.isWarning else { throw JPEGCodec.failure(decoder.message) }
        guard columns > 0, rows > 0 else { throw .broken(.jpeg, "it ends before the picture begins") }
        width = Int(columns)
        height = Int(rows)
        try limits.check(width: width, height: height)
        hasInk = [TJCS_CMYK, TJCS_YCCK].contains { Int32($0.rawValue) == colourSpace }
        self.bytes = JPEGScans.leading(bytes, pixels: width * height, budget: budget)
    }

    /// Decodes the picture; of a damaged file as much as could be decoded, with a note in `damage`, like
    /// other tools.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage {
        let decoder = try JPEGDecompressor()
        let columns = (width + scale - 1) / scale
        let rows = (height + scale - 1) / scale
        // At most 65,535² × 4 bytes: no overflow. Initialised to white: libjpeg-turbo reports a file that is
        // truncated after a warning as a warning, and leaves the remaining pixels unchanged.
        var samples = [UInt8](repeating: 255, count: columns * rows * (hasInk ? 4 : 1))
        let format = hasInk ? TJPF_CMYK : TJPF_GRAY
        let result = bytes.withUnsafeBufferPointer { file in
            samples.withUnsafeMutableBufferPointer { samples in
                // The size selects the scale. TJFLAG_LIMITSCANS: a progressive file of few bytes could
                // otherwise cost hours.
                decoder.library.tjDecompress2(
                    decoder.handle, file.baseAddress, UInt(file.count), samples.baseAddress, Int32(columns),
                    0, Int32(rows), Int32(format.rawValue), TJFLAG_LIMITSCANS)
            }
        }
        guard result == 0 || decoder.isWarning else { throw JPEGCodec.failure(decoder.message) }
        let damage = result == 0 ? nil : decoder.message
        let pixels = hasInk ? JPEGCodec.luminance(ofInvertedCMYK: samples) : samples
        guard let image = LuminanceImage(width: columns, height: rows, pixels: pixels, damage: damage)
        else {
            throw .broken(.jpeg, "no reason given")
        }
        return image
    }

    /// Lossless files and files with 12 bits per sample are valid, but libjpeg-turbo 2 reports that it does
    /// not support them.
    private static func failure(_ message: String) -> ImageError {
        message.hasPrefix("Unsupported JPEG") ? .unsupported(.jpeg, message) : .broken(.jpeg, message)
    }

    /// Luma (ITU-R BT.601) of four-byte CMYK samples, inverted as Adobe's programs write them: 255 is no ink.
    /// Files that are not inverted are so rare that no common reader supports them.
    private static func luminance(ofInvertedCMYK samples: [UInt8]) -> [UInt8] {
        stride(from: 0, to: samples.count - 3, by: 4).map { position in
            let key = UInt32(samples[position + 3])
            let colour =
                299 * UInt32(samples[position]) + 587 * UInt32(samples[position + 1])
                + 114 * UInt32(samples[position + 2])
            return UInt8(truncatingIfNeeded: colour * key / 255_000)
        }
    }
}

/// The size that a JPEG states in its frame header.
///
///     0xFF SOFn length (2) precision (1) height (2) width (2) …         ITU-T T.81 § B.2.2
enum JPEGHeader {
    /// Width and height as stated (0 to 65,535 each), or nil without a whole frame header at its place.
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
                // The length includes its own two bytes. A shorter one is broken, and 0 would be an endless
                // loop.
                let length = bigEndian(bytes[position + 2..<position + 4])
                guard length >= 2 else { return nil }
                position += 2 + length
            }
        }
        return nil
    }
}

/// The functions of libjpeg-turbo that are used here, loaded with the first JPEG.
enum TurboJPEGLibrary {
    private static let loaded = Result { () throws(ImageError) in
        try SharedLibrary("libturbojpeg.so.0") { _ in ImageError.missing(.jpeg) }
            .functions(hubpair_turbojpeg(), hubpair_load_turbojpeg)
    }

    /// A process that forks search processes calls this first, once for all children.
    static func load() throws(ImageError) -> hubpair_turbojpeg { try loaded.get() }
}

/// Owns a TurboJPEG decompressor.
private struct JPEGDecompressor: ~Copyable {
    let library: hubpair_turbojpeg
    let handle: tjhandle

    init() throws(ImageError) {
        let library = try TurboJPEGLibrary.load()
        guard let handle = library.tjInitDecompress() else { throw .outOfMemory }
        (self.library, self.handle) = (library, handle)
    }

    deinit { _ = library.tjDestroy(handle) }

    /// True if the last call completed despite an error.
    var isWarning: Bool { library.tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) }

    /// The message of the last call: an array of 200 characters inside the handle.
    var message: String {
        guard let text = library.tjGetErrorStr2(handle) else { return boundedMessage([]) }
        let bytes = UnsafeBufferPointer(start: text, count: 200)
        return boundedMessage(bytes.lazy.map { UInt8(bitPattern: $0) })
    }
}
