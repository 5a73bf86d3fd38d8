import CGIF
import Glibc
import Identity

/// Owns a giflib decoder and the bytes that it reads.
final class GIFFile {
    private struct Input {
        let bytes: UnsafeBufferPointer<UInt8>
        var position = 0
    }

    private let library: GIFLibrary
    private let memory: UnsafeMutableBufferPointer<UInt8>
    private let input: UnsafeMutablePointer<Input>
    private let decoder: UnsafeMutablePointer<GifFileType>

    init(_ bytes: [UInt8]) throws(ImageError) {
        let library = try GIFLibrary()
        memory = .allocate(capacity: max(1, bytes.count))
        _ = memory.initialize(from: bytes)
        input = .allocate(capacity: 1)
        input.initialize(to: Input(bytes: UnsafeBufferPointer(rebasing: memory[..<bytes.count])))
        self.library = library
        var error: Int32 = 0
        guard let decoder = library.open(input, GIFFile.read, &error) else {
            input.deallocate()
            memory.deallocate()
            throw .broken(.gif, library.words(for: error))
        }
        self.decoder = decoder
    }

    deinit {
        var error: Int32 = 0
        _ = library.close(decoder, &error)
        input.deallocate()
        memory.deallocate()
    }

    /// Called by giflib for the next bytes.
    private static let read:
        @convention(c) (UnsafeMutablePointer<GifFileType>?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
            file, target, count in
            guard let input = file?.pointee.UserData?.assumingMemoryBound(to: Input.self), let target,
                count > 0
            else { return 0 }
            let rest = input.pointee.bytes[input.pointee.position...].prefix(Int(count))
            let given = UnsafeMutableBufferPointer(start: target, count: rest.count).update(
                fromContentsOf: rest)
            input.pointee.position += given
            return Int32(truncatingIfNeeded: given)
        }

    /// Reads up to the pixels of the next frame; nil at the end. A truncated file ends early; it is an error
    /// only if it has no frame.
    func nextFrame(limits: ImageLimits, isFirst: Bool) throws(ImageError) -> GIFFrame? {
        var control = GraphicsControlBlock()
        control.TransparentColor = -1
        // Every record has at least one byte, so the loop ends with the file.
        while true {
            var kind = UNDEFINED_RECORD_TYPE
            guard library.recordType(decoder, &kind) == GIF_OK else { return try end(isFirst) }
            switch kind {
            case IMAGE_DESC_RECORD_TYPE:
                guard library.imageHeader(decoder) == GIF_OK else { return try end(isFirst) }
                return try frame(control, limits: limits)
            case EXTENSION_RECORD_TYPE:
                guard readExtension(&control) else { return try end(isFirst) }
            case TERMINATE_RECORD_TYPE:
                if isFirst { throw .broken(.gif, "it has no frames") }
                return nil
            default: continue
            }
        }
    }

    private func end(_ isFirst: Bool) throws(ImageError) -> GIFFrame? {
        if isFirst { throw .broken(.gif, library.words(for: decoder.pointee.Error)) }
        return nil
    }

    /// Returns false if the file is truncated.
    private func readExtension(_ control: inout GraphicsControlBlock) -> Bool {
        var code: Int32 = 0
        var block: UnsafeMutablePointer<UInt8>?
        guard library.extension(decoder, &code, &block) == GIF_OK else { return false }
        // A block is its length and that many bytes. A graphic control block has 4; with another length it is
        // ignored.
        if code == GRAPHICS_EXT_FUNC_CODE, let block, block[0] == 4 {
            _ = library.control(4, block + 1, &control)
        }
        while block != nil {
            guard library.nextExtension(decoder, &block) == GIF_OK else { return false }
        }
        return true
    }

    private func frame(_ control: GraphicsControlBlock, limits: ImageLimits) throws(ImageError) -> GIFFrame {
        let image = decoder.pointee.Image
        try limits.check(width: Int(image.Width), height: Int(image.Height))
        guard let map = image.ColorMap ?? decoder.pointee.SColorMap, let colours = map.pointee.Colors else {
            throw .broken(.gif, "it has no palette")
        }
        var palette = (0..<min(256, Int(map.pointee.ColorCount))).map { index in
            luma(red: colours[index].Red, green: colours[index].Green, blue: colours[index].Blue)
        }
        palette += [UInt8](repeating: 0, count: 256 - palette.count)
        return GIFFrame(
            left: max(0, Int(image.Left)), top: max(0, Int(image.Top)), width: Int(image.Width),
            height: Int(image.Height), isInterlaced: image.Interlace, palette: palette,
            transparent: Int(control.TransparentColor), disposal: Int(control.DisposalMode))
    }

    /// Draws the frame's pixels. Returns giflib's message if there are not enough of them, or that the budget
    /// was spent before its end.
    func draw(_ frame: GIFFrame, on canvas: inout GIFCanvas, budget: WorkBudget) throws(ImageError) -> String?
    {
        canvas.begin(frame)
        var row = [UInt8](repeating: 0, count: frame.width)
        for (index, y) in frame.rows.enumerated() {
            if index % 64 == 63, budget.isSpent { return ImageError.slow }
            guard library.line(decoder, &row, Int32(truncatingIfNeeded: frame.width)) == GIF_OK else {
                return library.words(for: decoder.pointee.Error)
            }
            canvas.draw(row, y: y, of: frame)
        }
        return nil
    }
}

/// The functions of giflib that are used here.
struct GIFLibrary {
    typealias File = UnsafeMutablePointer<GifFileType>
    typealias Bytes = UnsafeMutablePointer<UInt8>
    typealias Read = @convention(c) (File?, Bytes?, Int32) -> Int32

    let open: @convention(c) (UnsafeMutableRawPointer?, Read?, UnsafeMutablePointer<Int32>?) -> File?
    let close: @convention(c) (File?, UnsafeMutablePointer<Int32>?) -> Int32
    let recordType: @convention(c) (File?, UnsafeMutablePointer<GifRecordType>?) -> Int32
    let imageHeader: @convention(c) (File?) -> Int32
    let line: @convention(c) (File?, Bytes?, Int32) -> Int32
    let `extension`:
        @convention(c) (File?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Bytes?>?) -> Int32
    let nextExtension: @convention(c) (File?, UnsafeMutablePointer<Bytes?>?) -> Int32
    let control:
        @convention(c) (Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<GraphicsControlBlock>?) -> Int32
    private let errorText: @convention(c) (Int32) -> UnsafePointer<CChar>?

    init() throws(ImageError) {
        let library = try SharedLibrary("libgif.so.7") { _ in ImageError.missing(.gif) }
        open = try library.function(lazy_DGifOpen)
        close = try library.function(lazy_DGifCloseFile)
        recordType = try library.function(lazy_DGifGetRecordType)
        imageHeader = try library.function(lazy_DGifGetImageHeader)
        line = try library.function(lazy_DGifGetLine)
        `extension` = try library.function(lazy_DGifGetExtension)
        nextExtension = try library.function(lazy_DGifGetExtensionNext)
        control = try library.function(lazy_DGifExtensionToGCB)
        errorText = try library.function(lazy_GifErrorString)
    }

    func words(for error: Int32) -> String {
        guard let text = errorText(error) else { return "the file ends early" }
        return boundedMessage(UnsafeRawBufferPointer(start: text, count: strnlen(text, 200)))
    }
}
