package import Pairing
package import QRCodes

/// The content of a QR code.
package enum CodeContent: Equatable, Sendable {
    /// A pairing code.
    case pairing(PairingCode)
    /// It begins like a pairing code, but is damaged or made by a newer hubpair.
    case unusable(PairingCodeError)
    /// Any other code.
    case other

    /// Reads a payload. One that only resembles a pairing code counts as unusable and not as another code:
    /// its text may hold a secret.
    package init(payload: [UInt8]) {
        self =
            switch BroughtCode(String(decoding: payload, as: UTF8.self)) {
            case .pairing(let code): .pairing(code)
            case .unusable(let error): ForeignCode(payload: payload) == nil ? .unusable(error) : .other
            case .typed, .mistyped, .other: .other
            }
    }
}

extension CodeContent {
    /// The bytes as a short text, without white space and a byte order mark at its ends; nil for others. The
    /// only image that fits is a PBM too small for a code.
    static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count <= 2_400, let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({
                $0.properties.generalCategory != .control || $0.properties.isWhitespace
            })
        else { return nil }
        let isEmpty = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace || scalar == "\u{FEFF}" }
        let scalars = text.unicodeScalars.drop(while: isEmpty)
        let end = scalars.lastIndex { !isEmpty($0) }
        return end.map { String(scalars[...$0]) } ?? ""
    }
}

extension ImageScan {
    /// A search that goes on beside other codes until a pairing code was read.
    package static func forPairingCodes(
        limits: ImageLimits = ImageLimits(), effort: ScanEffort = .normal, explains: Bool = false
    ) -> ImageScan {
        ImageScan(
            limits: limits, effort: effort, explains: explains,
            sought: [PairingCode.prefix, PairingCode.addressPrefix].map { Array($0.utf8) })
    }
}

/// Reads the QR codes in image files.
package struct ReadCodes {
    /// A code and where it came from.
    package struct Reading: Sendable {
        /// The bytes of the code, exactly.
        package let payload: [UInt8]
        /// The bytes as they stand in the code, if it names a character set that is not UTF-8.
        package let stated: [UInt8]?
        /// Its corners in the picture; none for a text.
        package let corners: [PixelPoint]
        /// What they say.
        package let content: CodeContent

        package init(payload: [UInt8], stated: [UInt8]? = nil, corners: [PixelPoint] = []) {
            (self.payload, self.stated, self.corners) = (payload, stated, corners)
            content = CodeContent(payload: payload)
        }
    }

    /// The result of one image.
    package struct Answer {
        /// Its codes, or `InputFileError`, `ImageError`, `QRScanError` or `NoCodeError`.
        package let result: Result<[Reading], any Error>
        /// A PNG of what was seen, if it was asked for and there is one.
        package var explanation: [UInt8]?
        /// How many more codes were seen in the image, and not read.
        package var unread = 0
        /// True if the time was over before the whole image was searched.
        package var isCut = false

        package init(_ result: Result<[Reading], any Error>, explanation: [UInt8]? = nil) {
            self.result = result
            self.explanation = explanation
        }

        init(_ outcome: Result<ImageScanOutcome, any Error>) {
            result = outcome.flatMap { outcome in
                guard outcome.result.codes.isEmpty else {
                    return .success(
                        outcome.result.codes.map {
                            Reading(payload: $0.payload, stated: $0.stated, corners: $0.corners)
                        })
                }
                return .failure(NoCodeError(outcome))
            }
            explanation = try? outcome.get().explanation
            unread = (try? outcome.get().result.unread) ?? 0
            isCut = (try? outcome.get().isCut) ?? false
        }
    }

    private let paths: [String]
    private let search: ImageScan

    package init(_ paths: [String], _ search: ImageScan) {
        self.paths = paths
        self.search = search
    }

    /// Reads several images at once, each in a process of its own.
    ///
    /// - Parameters:
    ///   - waiting: called some ten times a second with the number of images that are done.
    ///   - busy: called if an image has had no processor for half a minute; its search goes on.
    ///   - finished: called once for each path, in their order, with its index. What it throws ends
    ///     everything.
    package func run(
        waiting: (Int) -> Void = { _ in }, busy: () -> Void = {}, finished: (Int, Answer) throws -> Void
    ) throws {
        try ParallelScan.run(paths, search, waiting: waiting, busy: busy) { index, outcome in
            try finished(index, Answer(outcome))
        }
    }
}
