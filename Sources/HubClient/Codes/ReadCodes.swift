import FoundationEssentials
package import Pairing
package import QRCodes

/// What a QR code in an image says.
package enum CodeContent: Equatable, Sendable {
    /// A pairing code.
    case pairing(PairingCode)
    /// It begins like a pairing code but is none: damaged, or made by a newer hubpair.
    case unusable(PairingCodeError)
    /// Any other code.
    case other

    /// Reads a payload. One that only resembles a pairing code, in lower case or with something before it,
    /// is unusable and not another code: its text may hold a secret.
    package init(payload: [UInt8]) {
        guard PairingCode.end(ofPrefixIn: payload) != nil else {
            self = .other
            return
        }
        do {
            self = .pairing(try PairingCode(text: String(decoding: payload, as: UTF8.self)))
        } catch {
            self = .unusable(error)
        }
    }
}

extension CodeContent {
    /// The text of a code on standard input, in the place of an image: one short line, its end left out.
    static func line(of bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= 256 else { return nil }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        return bytes[line.count...].allSatisfy { $0 == 0x0A || $0 == 0x0D } ? Array(line) : nil
    }
}

/// Reads the QR codes in images: files, or standard input, where the text of a code may stand too.
package struct ReadCodes {
    /// A code and where it came from.
    package struct Reading: Sendable {
        /// The bytes of the code, exactly.
        package let payload: [UInt8]
        /// What they say.
        package let content: CodeContent

        package init(payload: [UInt8]) {
            self.payload = payload
            content = CodeContent(payload: payload)
        }
    }

    /// What came of one image.
    package struct Answer {
        /// Its codes, or `InputFileError`, `ImageError`, `QRScanError` or `NoCodeError`.
        package let result: Result<[Reading], any Error>
        /// A PNG of what was seen, if it was asked for and there is one.
        package var explanation: [UInt8]?

        package init(_ result: Result<[Reading], any Error>, explanation: [UInt8]? = nil) {
            self.result = result
            self.explanation = explanation
        }

        init(_ outcome: Result<ImageScanOutcome, any Error>) {
            result = outcome.flatMap { outcome in
                guard outcome.result.codes.isEmpty else {
                    return .success(outcome.result.codes.map { Reading(payload: $0.payload) })
                }
                return .failure(NoCodeError(outcome))
            }
            explanation = try? outcome.get().explanation
        }
    }

    /// The codes in one image.
    ///
    /// - Throws: `InputFileError`, `ImageError`, `QRScanError`, or `NoCodeError` if there is nothing to read.
    package static func run(_ path: String, limits: ImageLimits) throws -> [Reading] {
        let search = ImageScan(limits: limits)
        if path == "-" { return try StandardInput.read(search).result.get() }
        var readings: [Reading] = []
        try run([path], search) { _, answer in readings = try answer.result.get() }
        return readings
    }

    /// The codes in many images. `finished` is called once for each of `paths`, in their order; what it throws
    /// ends everything. `waiting` is called some ten times a second
    /// with the number of images that are done.
    package static func run(
        _ paths: [String], _ search: ImageScan, waiting: (Int) -> Void = { _ in },
        finished: (Int, Answer) throws -> Void
    ) throws {
        try ParallelScan.run(paths, search, waiting: waiting) { index, outcome in
            try finished(index, Answer(outcome))
        }
    }
}
