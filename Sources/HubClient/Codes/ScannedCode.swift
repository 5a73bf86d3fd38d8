import FoundationEssentials
package import Identity
package import Pairing
package import QRCodes

/// What a person gave to pair with: a scanned code or a typed one.
package enum ScannedCode: Equatable, Sendable {
    /// With the hub's pin.
    case pairing(PairingCode)
    /// Without: only the secret.
    case typed(TypedCode)

    /// The secret.
    package var secret: TicketSecret {
        switch self {
        case .pairing(let code): code.secret
        case .typed(let code): code.secret
        }
    }

    /// The hub's pin, if the code says it.
    package var hub: Pin? {
        if case .pairing(let code) = self { code.hub } else { nil }
    }

    /// Reads the one pairing code of an image, or on standard input (`-`) an image, a code's text or a typed code.
    ///
    /// Call it before a thread is started: only then a picture that crashes the decoder cannot end this process.
    package static func read(_ path: String, limits: ImageLimits = ImageLimits()) throws -> ScannedCode {
        guard path == "-" else { return try ScannedCode(ReadCodes.run(path, limits: limits)) }
        do {
            let answer = try StandardInput.read(ImageScan(limits: limits)) { text(of: $0) != nil }
            return try ScannedCode(answer.result.get())
        } catch let other as StandardInput.OtherText {
            guard !other.bytes.isEmpty else { throw ScannedCodeError.empty }
            return try ScannedCode(text: text(of: other.bytes) ?? "")
        }
    }

    /// Reads what a person typed or pasted: a code's text or a typed code.
    package init(text: String) throws {
        let trimmed = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard CodeContent(payload: Array(trimmed.utf8)) == .other else {
            self = .pairing(try PairingCode(text: trimmed))
            return
        }
        // Far from 20 letters and digits, or with other characters, it was never meant to be a code.
        let count = trimmed.utf8.count { !" -".utf8.contains($0) }
        let isWord = trimmed.utf8.allSatisfy {
            switch $0 {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isWord, (8...40).contains(count) else { throw ScannedCodeError.noCode }
        self = .typed(try TypedCode(typed: trimmed))
    }

    /// The one pairing code among those of an image; other codes beside it do not matter.
    init(_ readings: [ReadCodes.Reading]) throws {
        var codes: [PairingCode] = []
        var fault: PairingCodeError?
        for reading in readings {
            switch reading.content {
            case .pairing(let code): if !codes.contains(code) { codes.append(code) }
            case .unusable(let error): fault = fault ?? error
            case .other: break
            }
        }
        guard codes.count <= 1 else { throw ScannedCodeError.several(codes.count) }
        guard let code = codes.first else { throw fault ?? ScannedCodeError.foreign(readings.count) }
        self = .pairing(code)
    }

    /// The bytes as text if they are one: short, printable ASCII. No image is, but for one of PBM's kind
    /// too small for a code.
    private static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count <= 2_400,
            bytes.allSatisfy({ (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Why there is no code to pair with, though what was given can be read.
package enum ScannedCodeError: Equatable, UserError {
    /// Standard input ended at once.
    case empty
    /// A text that is no code.
    case noCode
    /// This many different pairing codes in one picture.
    case several(Int)
    /// This many QR codes, none of them for pairing.
    case foreign(Int)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .empty: "there is no code: the input is empty"
        case .noCode: "this is neither an image nor a pairing code"
        case .several(let count): "there are \(count) pairing codes in the picture, and one device uses one"
        case .foreign(1): "the QR code in the picture is no pairing code"
        case .foreign(let count): "none of the \(count) QR codes in the picture is a pairing code"
        }
    }

    package var kind: UserErrorKind { .data }

    /// How to mend it.
    package var hint: String? {
        switch self {
        case .empty, .noCode: "on the hub: 'hubpair print' shows a code to scan and one to type"
        case .several: "take a picture with only the code that you want to use"
        case .foreign:
            "on the hub: 'hubpair print' makes a pairing code; 'hubpair scan' says what this one holds"
        }
    }
}
