/// Loads what a request needs, before the program that reads it can open no file any more. What is missing
/// is an error of the search or the drawing that needs it, not here.
package enum PictureLibraries {
    /// What most pictures need.
    static func loadUsual() {
        _ = try? ZBarLibrary.load()
        _ = try? PNGLibrary.load()
        _ = try? TurboJPEGLibrary.load()
    }

    package static func load(for search: ImageScan, _ format: ImageFormat) {
        _ = try? ZBarLibrary.load()
        if search.explains { _ = try? PNGLibrary.load() }
        switch format {
        case .png: _ = try? PNGLibrary.load()
        case .jpeg: _ = try? TurboJPEGLibrary.load()
        case .webp: _ = try? WebPLibrary()
        case .gif: _ = try? GIFLibrary()
        case .heic, .avif:
            // libheif looks for its decoders with the first picture.
            if let library = try? HEIFLibrary(format) { library.freeContext(library.makeContext()) }
        case .bmp, .pnm, .pdf, .tiff, .svg: break
        }
    }

    package static func load(for drawing: CodeDrawing) {
        _ = try? QREncodeLibrary.load()
        switch drawing.form {
        case .png: _ = try? PNGLibrary.load()
        case .pdf:
            _ = try? CairoLibrary.load()
            _ = try? ZBarLibrary.load()
        case .terminal, .svg: break
        }
    }
}
