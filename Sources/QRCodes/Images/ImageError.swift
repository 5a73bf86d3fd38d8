package import Identity

/// Why some bytes do not become a picture. `description` is shown to the user.
package enum ImageError: Codable, Equatable, UserError {
    /// There are no bytes at all.
    case empty
    /// A known kind of file that cannot be read.
    case otherFormat(ImageFormat)
    /// The bytes do not begin like any known image format.
    case notAnImage
    /// The header states a width or a height of 0.
    case zeroDimensions(width: Int, height: Int)
    /// The header states more pixels than the limit. Nothing was allocated for them.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// The decoder reports a broken file; its message.
    case broken(ImageFormat, String)
    /// The file is not broken, but the decoder lacks something that it needs.
    case unsupported(ImageFormat, String)
    /// The decoder of such files is not installed.
    case missing(ImageFormat)
    /// There is not enough memory for the picture.
    case outOfMemory

    /// The note in a picture of which a part is missing, since the time of its file was over.
    static let slow = "it takes too long to read all of it"

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .empty: "the image file is empty"
        case .otherFormat(let format):
            "the file is \(format == .svg ? "an" : "a") \(format.rawValue) image, which cannot be read"
        case .notAnImage: "the file is not an image"
        case .zeroDimensions(let width, let height): "the image has no pixels: it says \(width)×\(height)"
        case .tooManyPixels(let width, let height, let limit):
            "the image says \(width)×\(height) pixels, more than the limit of \(limit)"
        case .broken(let format, let message): "the \(format.rawValue) image is broken: \(message)"
        case .unsupported(let format, let message):
            "this kind of \(format.rawValue) image cannot be read: \(message)"
        case .missing(let format):
            "to read \(format.rawValue) images, \(format.decoder.name) is needed"
        case .outOfMemory: "there is not enough memory to read the image"
        }
    }

    package var kind: UserErrorKind { .data }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .empty: "take the picture or save the file again"
        case .otherFormat(let format): ImageError.conversion(of: format)
        case .notAnImage:
            "give a photo or a screenshot: PNG, JPEG, WebP, HEIC, AVIF, GIF, BMP, PNM or PDF"
        case .unsupported: "convert it to PNG or JPEG first"
        case .missing(let format): "apt install \(format.decoder.package)"
        case .zeroDimensions, .broken:
            "the file was damaged or cut off; copy or download it again, or take a new picture"
        case .tooManyPixels:
            "crop the image to the code, or allow more with --max-pixels if you trust the file"
        case .outOfMemory: "crop the image to the code, or make it smaller"
        }
    }

    private static func conversion(of format: ImageFormat) -> String {
        switch format {
        case .svg: "convert it first: rsvg-convert --zoom 4 IMAGE.svg -o IMAGE.png"
        default: "convert it first with ImageMagick: convert IMAGE.\(format.rawValue.lowercased()) IMAGE.png"
        }
    }
}

/// A C decoder's message as text: at most `limit` bytes up to the first NUL, with `?` in place of anything
/// but printable ASCII, because some messages quote the file. "no reason given" if nothing is left.
func boundedMessage(_ bytes: some Sequence<UInt8>, limit: Int = 200) -> String {
    var text = ""
    for byte in bytes.prefix(limit) {
        if byte == 0 { break }
        text.unicodeScalars.append((0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : "?")
    }
    return text.isEmpty ? "no reason given" : text
}
