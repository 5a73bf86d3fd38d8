package import Identity

/// A place in a picture, in whole pixels from the top left corner. For a code that is cut off it may lie
/// outside.
public struct PixelPoint: Codable, Equatable, Sendable {
    /// The column, from 0.
    public var x: Int
    /// The row, from 0.
    public var y: Int

    /// The place in column `x` and row `y`.
    public init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }

    fileprivate var vector: Vector { Vector(x: Float(x), y: Float(y)) }
}

extension Vector {
    /// The nearest pixel, at most a million pixels from the origin; NaN and infinity are the lower end.
    var pixel: PixelPoint {
        guard x.isFinite, y.isFinite else { return PixelPoint(x: -1_000_000, y: -1_000_000) }
        return PixelPoint(x: Int(max(-1e6, min(1e6, x))), y: Int(max(-1e6, min(1e6, y))))
    }
}

/// One QR code in a picture.
public struct ScannedQRCode: Codable, Equatable, Sendable {
    /// The code's content, byte for byte, never empty. Exception: libzbar converts a code that names a
    /// character set (an ECI header; ISO/IEC 18004 § 7.4.2) to UTF-8.
    public let payload: [UInt8]
    /// The corners of the code, in order around it. There are four. For a code in several parts they are the
    /// corners of a rectangle around all parts.
    public let corners: [PixelPoint]
    /// The bytes as they stand in the code, if they are others than `payload`, since the code names a
    /// character set that is not UTF-8. Nil too if only libzbar reads the code: it does not tell.
    package fileprivate(set) var stated: [UInt8]?

    /// A code of these parts.
    public init(payload: [UInt8], corners: [PixelPoint]) {
        self.init(payload: payload, stated: nil, corners: corners)
    }

    package init(payload: [UInt8], stated: [UInt8]?, corners: [PixelPoint]) {
        (self.payload, self.stated, self.corners) = (payload, stated, corners)
    }
}

extension ScannedQRCode {
    fileprivate var left: Int { corners.map(\.x).min() ?? 0 }
    fileprivate var right: Int { corners.map(\.x).max() ?? 0 }
    fileprivate var top: Int { corners.map(\.y).min() ?? 0 }
    fileprivate var bottom: Int { corners.map(\.y).max() ?? 0 }

    /// True if both are readings of one symbol: the same bytes, and the middle of `other` inside this one.
    /// Two copies of a code side by side are two symbols.
    func isSameSymbol(as other: ScannedQRCode) -> Bool {
        let x = (other.left + other.right) / 2
        let y = (other.top + other.bottom) / 2
        return payload == other.payload && left <= x && x <= right && top <= y && y <= bottom
    }

    /// True if the place lies within the corners: on the same side of all edges.
    func holds(_ place: Vector) -> Bool {
        guard corners.count >= 3 else { return false }
        let sides = corners.indices.map { index in
            let start = corners[index].vector
            return (corners[(index + 1) % corners.count].vector - start).cross(place - start) > 0
        }
        return Set(sides).count == 1
    }

    /// True if the mean of the other's corners lies within these corners.
    fileprivate func holdsMiddle(of other: ScannedQRCode) -> Bool {
        guard !other.corners.isEmpty else { return false }
        let sum = other.corners.map(\.vector).reduce(Vector(x: 0, y: 0), +)
        return holds(sum * (1 / Float(other.corners.count)))
    }

    /// The code with each corner moved by `move`.
    func moved(_ move: (PixelPoint) -> PixelPoint) -> ScannedQRCode {
        ScannedQRCode(payload: payload, stated: stated, corners: corners.map(move))
    }

    /// The same code in a picture `factor` times as wide and high.
    func scaled(by factor: Int) -> ScannedQRCode {
        moved { PixelPoint(x: $0.x * factor, y: $0.y * factor) }
    }

    /// The same code in a picture of 1/`divisor` of the width and height.
    func scaled(down divisor: Int) -> ScannedQRCode {
        moved { PixelPoint(x: $0.x / divisor, y: $0.y / divisor) }
    }
}

extension [ScannedQRCode] {
    /// Adds the codes that are not in the list yet. libzbar takes finder patterns of several codes for one
    /// now and then, and its corners are far outside of the code: either middle counts.
    mutating func add(_ codes: [ScannedQRCode]) {
        for code in codes {
            if let known = firstIndex(where: { $0.isSameSymbol(as: code) || code.isSameSymbol(as: $0) }) {
                self[known].stated = self[known].stated ?? code.stated
            } else {
                append(code)
            }
        }
    }

    /// Without codes that contradict each other: the middle of one lies in the other, and their payloads
    /// differ. One of the two is misread, and nothing shows which.
    var withoutContradictions: [ScannedQRCode] {
        filter { code in
            !contains { $0.payload != code.payload && ($0.holdsMiddle(of: code) || code.holdsMiddle(of: $0)) }
        }
    }

    /// Row by row from top to bottom, each row from left to right. A row holds the codes whose middle is
    /// above the lower edge of its uppermost code.
    var inReadingOrder: [ScannedQRCode] {
        var rows: [[ScannedQRCode]] = []
        var rowEnd = Int.min
        for code in sorted(by: { ($0.top, $0.left) < ($1.top, $1.left) }) {
            if rows.isEmpty || (code.top + code.bottom) / 2 > rowEnd {
                rows.append([])
                rowEnd = code.bottom
            }
            rows[rows.count - 1].append(code)
        }
        return rows.flatMap { $0.sorted { ($0.left, $0.top) < ($1.left, $1.top) } }
    }
}

/// The codes that the search of a picture found.
package struct QRScanResult: Codable, Equatable, Sendable {
    /// The codes, in reading order.
    package var codes: [ScannedQRCode] = []
    /// How many codes in several parts (structured append; ISO/IEC 18004 § 8) lack a part in this picture.
    /// Their content is unknown, so they are not among `codes`.
    package var incompleteStructuredAppends = 0
    /// How many QR codes were read that are empty, or whose bytes are invalid in the character set that they
    /// name.
    package var emptyCodes = 0
    /// How many more codes were seen beside those that were read.
    package var unread = 0
    /// The names of other barcodes, each once: `EAN-13`, `EAN-8`, `UPC-A`, `CODE-128`, `CODE-39`. Searched
    /// only if there is no QR code.
    package var otherSymbologies: [String] = []
    /// The reason if nothing was read; nil also if the search did not look for one (`quick`).
    package var diagnosis: ScanDiagnosis?

    package init() {}

    /// True if no QR code was read, not even a part or an empty one.
    package var isEmpty: Bool { codes.isEmpty && incompleteStructuredAppends == 0 && emptyCodes == 0 }
}

/// Why a picture could not be searched. A picture without a code is not an error.
package enum QRScanError: Codable, Equatable, UserError {
    /// libzbar is not installed, or is another version than 0.23.
    case missingLibrary
    /// libzbar cannot allocate a scanner.
    case outOfMemory
    /// libzbar refuses the picture or a setting.
    case refused
    /// libzbar or a decoder crashed in its child process: the picture triggers a bug, by intent or by chance.
    case crashed
    /// libzbar or a decoder exceeded its time limit and was stopped.
    case tookTooLong

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .missingLibrary: "the barcode library libzbar is not installed"
        case .outOfMemory: "there is not enough memory to search the image for codes"
        case .refused: "the barcode library libzbar refuses the image"
        case .crashed: "the image crashed its decoder or the barcode library libzbar"
        case .tookTooLong: "the search for codes in the image took too long"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        // The picture causes the crash, so the input data is at fault.
        case .crashed, .tookTooLong: .data
        case .missingLibrary: .unavailable
        case .outOfMemory, .refused: .tryAgain
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .outOfMemory: "crop the image to the code, or make it smaller"
        case .missingLibrary: "apt install libzbar0"
        case .refused: "check that libzbar 0.23 is installed: apt install libzbar0"
        case .crashed, .tookTooLong:
            "crop the image to one code; if it comes from a stranger, do not trust it"
        }
    }
}
