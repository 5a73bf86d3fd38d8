import CPNG
import Identity

/// PNG through libpng's simplified API (`png_image`), which turns every kind of PNG into plain samples, with
/// a palette, 16-bit and interlaced ones too.
struct PNGCodec: ImageCodec {
    let width: Int
    let height: Int
    let hasTransparency: Bool
    private let bytes: [UInt8]
    private let budget: WorkBudget

    /// A smaller picture is decoded before a budget can be spent.
    private static let largePixels = 1_000_000

    /// Reads the chunks before the pixels.
    init(_ bytes: [UInt8], limits: ImageLimits, budget: WorkBudget = .unlimited) throws(ImageError) {
        if let size = PNGHeader.dimensions(bytes) {
            try limits.check(width: size.width, height: size.height)
        }
        let png = try PNGImage()
        // libpng keeps the address for later reads, but none follow here.
        let isWhole = bytes.withUnsafeBufferPointer { file in
            png.library.png_image_begin_read_from_memory(png.pointer, file.baseAddress, file.count)
        }
        guard isWhole != 0 else { throw .broken(.png, png.message) }
        width = Int(png.pointer.pointee.width)
        height = Int(png.pointer.pointee.height)
        hasTransparency = png.pointer.pointee.format & UInt32(PNG_FORMAT_FLAG_ALPHA) != 0
        try limits.check(width: width, height: height)
        self.bytes = bytes
        self.budget = budget
    }

    /// Decodes the picture. A truncated file is read as far as it goes, and any file until the budget is
    /// spent: libpng decodes row by row into the memory that it is given. If not one row comes out, that is
    /// an error.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage {
        try bytes.withUnsafeBufferPointer { (file) throws(ImageError) in
            guard width * height > PNGCodec.largePixels, budget.left < .infinity else {
                return try decode(ground: ground) { png in
                    png.library.png_image_begin_read_from_memory(png.pointer, file.baseAddress, file.count)
                }
            }
            var input = hubpair_png_file()
            (input.bytes, input.count) = (file.baseAddress, file.count)
            input.is_over = { context in
                context?.assumingMemoryBound(to: WorkBudget.self).pointee.isSpent == true ? 1 : 0
            }
            // A typed throw does not pass through these functions.
            let result: Result<LuminanceImage, ImageError> = withUnsafePointer(to: budget) { budget in
                withUnsafeMutablePointer(to: &input) { input in
                    input.pointee.context = UnsafeRawPointer(budget)
                    guard let stream = hubpair_png_open(input) else { return .failure(.outOfMemory) }
                    defer { fclose(stream) }
                    do throws(ImageError) {
                        return .success(
                            try decode(ground: ground) { png in
                                png.library.png_image_begin_read_from_stdio(png.pointer, stream)
                            })
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return try result.get()
        }
    }

    private func decode(
        ground: UInt8, begin: (borrowing PNGImage) -> Int32
    ) throws(ImageError) -> LuminanceImage {
        let png = try PNGImage()
        guard begin(png) != 0 else { throw .broken(.png, png.message) }
        // A palette is converted to grey once, instead of every pixel.
        let hasPalette = png.pointer.pointee.format & UInt32(PNG_FORMAT_FLAG_COLORMAP) != 0
        png.pointer.pointee.format = UInt32(PNG_FORMAT_GRAY)
        if hasPalette { png.pointer.pointee.format |= UInt32(PNG_FORMAT_FLAG_COLORMAP) }
        // Without this flag libpng takes 16-bit samples for linear light, unlike all other readers.
        png.pointer.pointee.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)

        // What is missing in the end is left in the colour of the ground.
        let blank: UInt8 = hasPalette ? 0 : ground
        var pixels = [UInt8](repeating: blank, count: width * height)
        var background = png_color(red: ground, green: ground, blue: ground)
        // 256 entries, so that every index is valid, whatever the file says.
        var palette = [UInt8](repeating: ground, count: 256)
        let read = pixels.withUnsafeMutableBytes { samples in
            palette.withUnsafeMutableBytes { palette in
                png.library.png_image_finish_read(
                    png.pointer, &background, samples.baseAddress, Int32(width), palette.baseAddress)
            }
        }
        let isEmpty = read == 0 && pixels.allSatisfy { $0 == blank }
        if hasPalette {
            pixels.withUnsafeMutableBufferPointer { pixels in
                palette.withUnsafeBufferPointer { grey in
                    for index in pixels.indices { pixels[index] = grey[Int(pixels[index])] }
                }
            }
        }
        let words = read == 0 && budget.isSpent ? ImageError.slow : png.message
        guard !isEmpty,
            let image = LuminanceImage(
                width: width, height: height, pixels: pixels, damage: read == 0 ? words : nil)
        else { throw .broken(.png, words) }
        return image
    }

    /// A PNG file of black and white, one bit a pixel. `pixels` holds `width` × `height` values, 0 (white) or
    /// 1 (black).
    static func encode(bilevel pixels: [UInt8], width: Int, height: Int) throws(RenderError) -> [UInt8] {
        guard let columns = UInt32(exactly: width), let rows = UInt32(exactly: height), columns > 0, rows > 0,
            width.multipliedReportingOverflow(by: height) == (pixels.count, false)
        else { throw .notWritten("the size does not fit the pixels") }
        let png = try PNGImage.toWrite()
        png.pointer.pointee.width = columns
        png.pointer.pointee.height = rows
        // Two entries make libpng write one bit a pixel.
        png.pointer.pointee.format = UInt32(PNG_FORMAT_GRAY) | UInt32(PNG_FORMAT_FLAG_COLORMAP)
        png.pointer.pointee.colormap_entries = 2
        let palette: [UInt8] = [255, 0]

        // Enough for nearly all pictures. If not, the first call returns the size that is needed.
        var capacity = 4096 + pixels.count / 4
        for _ in 0..<2 {
            var size = capacity
            // Not filled first: a code takes some hundred bytes of it.
            let file = [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
                let written = png.library.png_image_write_to_memory(
                    png.pointer, memory.baseAddress, &size, 0, pixels, 0, palette)
                count = written != 0 ? min(size, capacity) : 0
            }
            if !file.isEmpty { return file }
            guard size > capacity else { break }
            capacity = size
        }
        throw .notWritten(png.message)
    }

    /// A PNG file of at most 256 colours. `pixels` holds `width` × `height` indices into `palette`, which
    /// holds red, green and blue of each colour. An index beyond the palette is an error.
    static func encode(
        indexed pixels: [UInt8], palette: [UInt8], width: Int, height: Int
    ) throws(RenderError) -> [UInt8] {
        guard let columns = UInt32(exactly: width), let rows = UInt32(exactly: height), columns > 0, rows > 0,
            width.multipliedReportingOverflow(by: height) == (pixels.count, false),
            (3...768).contains(palette.count), palette.count % 3 == 0,
            pixels.allSatisfy({ Int($0) < palette.count / 3 })
        else { throw .notWritten("the size does not fit the pixels") }
        let png = try PNGImage.toWrite()
        png.pointer.pointee.width = columns
        png.pointer.pointee.height = rows
        png.pointer.pointee.format = UInt32(PNG_FORMAT_RGB) | UInt32(PNG_FORMAT_FLAG_COLORMAP)
        png.pointer.pointee.colormap_entries = UInt32(palette.count / 3)
        // Enough for pixels that cannot be compressed, with a filter byte per row and zlib's overhead.
        var file = [UInt8](repeating: 0, count: 65_536 + pixels.count + height + pixels.count / 100)
        var size = file.count
        let written = file.withUnsafeMutableBytes { memory in
            png.library.png_image_write_to_memory(
                png.pointer, memory.baseAddress, &size, 0, pixels, 0, palette)
        }
        guard written != 0, size <= file.count else { throw .notWritten(png.message) }
        file.removeSubrange(size...)
        return file
    }
}

/// The size that a PNG states, read before libpng sees the file: its messages for a size of zero or above its
/// limits do not tell a user what to do.
///
///     signature (8) length (4) "IHDR" (4) width (4) height (4) …        ISO/IEC 15948 § 5.2, § 11.2.2
enum PNGHeader {
    /// Width and height as stated (0 to 2³² − 1 each), or nil if the file is too short for them or does not
    /// begin with an IHDR chunk.
    static func dimensions(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        return (bigEndian(bytes[16..<20]), bigEndian(bytes[20..<24]))
    }
}

/// The functions of libpng that are used here, loaded with the first PNG.
enum PNGLibrary {
    private static let loaded = Result { () throws(ImageError) in
        try SharedLibrary("libpng16.so.16") { _ in ImageError.missing(.png) }
            .functions(hubpair_png(), hubpair_load_png)
    }

    static func load() throws(ImageError) -> hubpair_png { try loaded.get() }
}

/// Owns a `png_image`.
///
/// It has a fixed address, since libpng keeps a pointer to it from the first call to the last.
struct PNGImage: ~Copyable {
    let pointer: UnsafeMutablePointer<png_image>
    let library: hubpair_png

    init() throws(ImageError) {
        library = try PNGLibrary.load()
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: png_image())
        pointer.pointee.version = UInt32(PNG_IMAGE_VERSION)
    }

    /// For a picture that is written.
    static func toWrite() throws(RenderError) -> PNGImage {
        do throws(ImageError) { return try PNGImage() } catch { throw .missingLibrary }
    }

    deinit {
        library.png_image_free(pointer)
        pointer.deallocate()
    }

    /// libpng's message: a fixed array of 64 characters.
    var message: String {
        withUnsafeBytes(of: pointer.pointee.message) { boundedMessage($0) }
    }
}
