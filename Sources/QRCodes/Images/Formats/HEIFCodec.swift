import CHEIF

/// HEIC and AVIF (ISO/IEC 23008-12) through libheif: the Y plane as the decoder returns it, of the primary
/// image only. Rotation and mirroring are ignored: a code is readable from every side.
struct HEIFCodec: ImageCodec {
    let width: Int
    let height: Int
    let hasTransparency: Bool
    private let format: ImageFormat
    private let library: HEIFLibrary
    private let bytes: [UInt8]
    private let limits: ImageLimits

    /// Reads the boxes that describe the pictures.
    init(_ bytes: [UInt8], format: ImageFormat, limits: ImageLimits) throws(ImageError) {
        let library = try HEIFLibrary(format)
        (width, height, hasTransparency) = try bytes.withUnsafeBufferPointer { (file) throws(ImageError) in
            let context = try HEIFContext(library: library, format: format)
            try context.read(file)
            let image = try context.primaryImage()
            return (
                Int(library.handleWidth(image.pointer)), Int(library.handleHeight(image.pointer)),
                library.hasAlpha(image.pointer) != 0
            )
        }
        try limits.check(width: width, height: height)
        self.format = format
        self.library = library
        self.bytes = bytes
        self.limits = limits
    }

    /// Decodes the picture; a truncated file is an error.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage {
        try bytes.withUnsafeBufferPointer { (file) throws(ImageError) in
            let context = try HEIFContext(library: library, format: format)
            try context.read(file)
            let picture = try context.primaryImage().decoded()
            // Without a Y plane the planes are red, green and blue. Green is nearest to the luma.
            let channel = picture.has(heif_channel_Y) ? heif_channel_Y : heif_channel_G
            let (columns, rows) = picture.size(of: channel)
            // The size that the boxes state may differ from the coded picture's.
            try limits.check(width: columns, height: rows)
            guard let luma = picture.plane(channel, columns: columns, rows: rows),
                let image = LuminanceImage(width: columns, height: rows, pixels: luma)
            else { throw .broken(format, "it has no brightness") }
            guard picture.has(heif_channel_Alpha), picture.size(of: heif_channel_Alpha) == (columns, rows),
                let alpha = picture.plane(heif_channel_Alpha, columns: columns, rows: rows)
            else { return image }
            return image.laid(on: ground, alpha: alpha)
        }
    }
}

/// Owns a `heif_context`, which reads from the file in memory as long as it exists.
private struct HEIFContext: ~Copyable {
    private let pointer: OpaquePointer
    private let library: HEIFLibrary
    private let format: ImageFormat

    init(library: HEIFLibrary, format: ImageFormat) throws(ImageError) {
        guard let pointer = library.makeContext() else { throw .outOfMemory }
        self.pointer = pointer
        self.library = library
        self.format = format
        // Each image has a process of its own already; more threads would compete for the processors.
        library.setThreads(pointer, 0)
        // The limit for a side. libheif checks it before it allocates the whole picture.
        library.setSideLimit(pointer, 65_535)
    }

    deinit { library.freeContext(pointer) }

    /// `file` must outlive this context.
    func read(_ file: UnsafeBufferPointer<UInt8>) throws(ImageError) {
        try check(library.read(pointer, file.baseAddress, file.count, nil))
    }

    func primaryImage() throws(ImageError) -> HEIFImageHandle {
        var handle: OpaquePointer?
        try check(library.primaryHandle(pointer, &handle))
        guard let handle else { throw .broken(format, "it has no picture") }
        return HEIFImageHandle(pointer: handle, library: library, format: format)
    }

    private func check(_ error: heif_error) throws(ImageError) { try library.check(error, format) }
}

/// Owns a `heif_image_handle`: a picture in the file, not decoded.
private struct HEIFImageHandle: ~Copyable {
    let pointer: OpaquePointer
    let library: HEIFLibrary
    let format: ImageFormat

    deinit { library.releaseHandle(pointer) }

    func decoded() throws(ImageError) -> HEIFImage {
        guard let options = library.makeOptions() else { throw .outOfMemory }
        defer { library.freeOptions(options) }
        options.pointee.ignore_transformations = 1
        var image: OpaquePointer?
        // "Undefined" means the decoder's own format, without conversion.
        try library.check(
            library.decode(pointer, &image, heif_colorspace_undefined, heif_chroma_undefined, options), format
        )
        guard let image else { throw .broken(format, "it has no picture") }
        return HEIFImage(pointer: image, library: library)
    }
}

/// Owns a `heif_image`: a decoded picture, one plane per channel.
private struct HEIFImage: ~Copyable {
    let pointer: OpaquePointer
    let library: HEIFLibrary

    deinit { library.releaseImage(pointer) }

    func has(_ channel: heif_channel) -> Bool { library.hasChannel(pointer, channel) != 0 }

    func size(of channel: heif_channel) -> (Int, Int) {
        (Int(library.width(pointer, channel)), Int(library.height(pointer, channel)))
    }

    /// The upper 8 bits of each sample, or nil if there is no such plane.
    func plane(_ channel: heif_channel, columns: Int, rows: Int) -> [UInt8]? {
        var stride: Int32 = 0
        let depth = Int(library.depth(pointer, channel))
        guard let start = library.plane(pointer, channel, &stride), (1...16).contains(depth) else {
            return nil
        }
        let rowBytes = columns * (depth > 8 ? 2 : 1)
        guard columns > 0, rows > 0, Int(stride) >= rowBytes else { return nil }
        var samples: [UInt8] = []
        samples.reserveCapacity(columns * rows)
        for y in 0..<rows {
            let row = UnsafeRawBufferPointer(start: start + y * Int(stride), count: rowBytes)
            if depth <= 8 {
                samples += row
            } else {
                for x in 0..<columns {
                    let sample = row.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self)
                    samples.append(UInt8(truncatingIfNeeded: sample >> UInt16(depth - 8)))
                }
            }
        }
        return samples
    }
}
