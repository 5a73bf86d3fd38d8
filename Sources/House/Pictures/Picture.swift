/// A picture as a camera has sent it, in bounds, and of a kind that browsers show and run nothing of.
struct Picture: Equatable, Sendable {
    /// As large as an answer of the server behind the hub may be; cameras send less.
    static let maximumByteCount = 4 << 20

    let type: PictureType
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(PictureFault) {
        guard let type = PictureType(of: bytes) else { throw .noPicture }
        (self.type, self.bytes) = (type, bytes)
    }
}

/// What a picture is, told by its first bytes, and by nothing that its sender says. SVG is not among them: it
/// is a document that may have scripts.
enum PictureType: String, CaseIterable, Sendable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"
    case gif = "image/gif"

    init?(of bytes: [UInt8]) {
        func begins(_ start: [UInt8], at index: Int = 0) -> Bool {
            bytes.count >= index + start.count && bytes[index..<index + start.count].elementsEqual(start)
        }
        if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
            self = .gif
        } else {
            return nil
        }
    }
}

/// Why there is no picture. Never reaches a user alone: the hub answers with it, and with nothing of what
/// came instead.
enum PictureFault: Error, Equatable, CustomStringConvertible {
    /// The appliance has none.
    case none
    case badAddress(String)
    case notHome
    case silent(String)
    case status(Int)
    case noPicture
    case tooLarge
    case tooSlow
    case busy

    var description: String {
        switch self {
        case .none: "this appliance has no picture"
        case .badAddress(let words): words
        case .notHome: "the name of the camera leads out of the home's own network, or nowhere"
        case .silent(let words): "the camera does not answer: \(words)"
        case .status(300..<400): "the camera leads to another address, which is not followed"
        case .status(let status): "the camera answers with status \(status)"
        case .noPicture: "what the camera sends is no JPEG, PNG, WebP or GIF"
        case .tooLarge: "the picture has more than \(Picture.maximumByteCount >> 20) MiB"
        case .tooSlow: "the camera takes too long"
        case .busy: "too many pictures are asked for; try again soon"
        }
    }
}
