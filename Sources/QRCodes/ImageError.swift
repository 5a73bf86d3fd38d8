import FoundationEssentials

/// Why some bytes do not become a picture. The description is what the user reads.
package enum ImageError: Error, Equatable, Sendable, LocalizedError, CustomStringConvertible {
    /// There are no bytes at all.
    case empty
    /// A known kind of file that is neither PNG nor JPEG.
    case otherFormat(ImageFormat)
    /// The bytes begin like no known image.
    case notAnImage
    /// The header states a width or a height of 0.
    case zeroDimensions(width: Int, height: Int)
    /// The header states more pixels than the limit; nothing was allocated for them.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// libpng refuses the file; its message.
    case brokenPNG(String)
    /// libjpeg-turbo refuses the file; its message.
    case brokenJPEG(String)
    /// There is no memory for the picture.
    case outOfMemory

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .empty: "the image file is empty"
        case .otherFormat(let format):
            "the file is a \(format.rawValue) image; only PNG and JPEG can be read"
        case .notAnImage: "the file is not an image; only PNG and JPEG can be read"
        case .zeroDimensions(let width, let height): "the image has no pixels: it says \(width)×\(height)"
        case .tooManyPixels(let width, let height, let limit):
            "the image says \(width)×\(height) pixels, more than the limit of \(limit)"
        case .brokenPNG(let message): "the PNG image is broken: \(message)"
        case .brokenJPEG(let message): "the JPEG image is broken: \(message)"
        case .outOfMemory: "there is not enough memory to read the image"
        }
    }

    /// The same as the description.
    package var errorDescription: String? { description }

    /// How to mend it.
    package var recoverySuggestion: String? {
        switch self {
        case .empty: "take the picture or save the file again"
        case .otherFormat(let format): ImageError.conversion(of: format)
        case .notAnImage: "give a photo or a screenshot of the code, saved as PNG or JPEG"
        case .zeroDimensions, .brokenPNG, .brokenJPEG:
            "the file was damaged or cut off; copy or download it again, or take a new picture"
        case .tooManyPixels:
            "crop the image to the code, or allow more with --max-pixels if you trust the file"
        case .outOfMemory: "crop the image to the code, or make it smaller"
        }
    }

    private static func conversion(of format: ImageFormat) -> String {
        switch format {
        case .webp: "convert it first: dwebp IMAGE.webp -o IMAGE.png"
        case .heic, .avif: "convert it first: heif-convert IMAGE.\(format.rawValue.lowercased()) IMAGE.png"
        case .pdf: "convert it first: pdftoppm -r 200 -png FILE.pdf PAGE"
        case .svg: "convert it first: rsvg-convert --zoom 4 IMAGE.svg -o IMAGE.png"
        case .gif, .bmp, .tiff:
            "convert it first with ImageMagick: convert IMAGE.\(format.rawValue.lowercased()) IMAGE.png"
        case .png, .jpeg: "give a photo or a screenshot of the code, saved as PNG or JPEG"
        }
    }
}

/// The text of a C decoder's message: at most `limit` bytes up to the first NUL, one line, and nothing but
/// printable ASCII, since some messages quote the file. ("No reason given" if nothing is left.)
func boundedMessage(_ bytes: some Sequence<UInt8>, limit: Int = 200) -> String {
    var text = ""
    for byte in bytes.prefix(limit) {
        if byte == 0 { break }
        text.unicodeScalars.append((0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : "?")
    }
    return text.isEmpty ? "no reason given" : text
}
