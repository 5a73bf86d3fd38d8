import CPNG

extension PNGCodec {
    /// A PNG file of at most 256 colours: `pixels` holds `width` × `height` entries of `palette`, which holds red,
    /// green and blue of each colour. Every entry must be there.
    static func encode(indexed pixels: [UInt8], palette: [UInt8], width: Int, height: Int)
        -> Result<[UInt8], PNGWriteError>
    {
        guard let columns = UInt32(exactly: width), let rows = UInt32(exactly: height), columns > 0, rows > 0,
            width.multipliedReportingOverflow(by: height) == (pixels.count, false),
            (3...768).contains(palette.count), palette.count % 3 == 0,
            pixels.allSatisfy({ Int($0) < palette.count / 3 })
        else { return .failure(PNGWriteError(message: "the size does not fit the pixels")) }
        let png = PNGImage()
        png.pointer.pointee.width = columns
        png.pointer.pointee.height = rows
        png.pointer.pointee.format = UInt32(PNG_FORMAT_RGB) | UInt32(PNG_FORMAT_FLAG_COLORMAP)
        png.pointer.pointee.colormap_entries = UInt32(palette.count / 3)
        // More than pixels that cannot be compressed take, with a filter byte a row and zlib's own bytes.
        var file = [UInt8](repeating: 0, count: 65_536 + pixels.count + height + pixels.count / 100)
        var size = file.count
        let written = file.withUnsafeMutableBytes { memory in
            png_image_write_to_memory(png.pointer, memory.baseAddress, &size, 0, pixels, 0, palette)
        }
        guard written != 0, size <= file.count else { return .failure(PNGWriteError(message: png.message)) }
        file.removeSubrange(size...)
        return .success(file)
    }
}
