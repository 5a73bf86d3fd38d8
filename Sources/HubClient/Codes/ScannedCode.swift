package import Identity
package import Pairing
package import QRCodes

/// The code that the user pairs with: scanned or typed.
package enum ScannedCode: Equatable, Sendable {
    /// It holds the hub's pin.
    case pairing(PairingCode)
    /// It holds only the secret.
    case typed(TypedCode)

    /// The secret.
    package var secret: TicketSecret {
        switch self {
        case .pairing(let code): code.secret
        case .typed(let code): code.secret
        }
    }

    /// The hub's pin, if the code holds it.
    package var hub: Pin? {
        if case .pairing(let code) = self { code.hub } else { nil }
    }

    /// Reads the one pairing code of an image or a text file, or on standard input (`-`) an image, a code's
    /// text or a typed code.
    package static func read(_ path: String, limits: ImageLimits = ImageLimits()) throws -> ScannedCode {
        let search = ImageScan.forPairingCodes(limits: limits)
        guard path == "-" else {
            do {
                var answer: ReadCodes.Answer?
                try ReadCodes([path], search).run { answer = $1 }
                return try ScannedCode(answer ?? ReadCodes.Answer(.success([])))
            } catch {
                guard let text = CodeTextFile.text(of: path, instead: error) else { throw error }
                return try ScannedCode(text: text)
            }
        }
        switch try StandardInput(search).codesOrText() {
        case .codes(let answer): return try ScannedCode(answer)
        case .text(""): throw ScannedCodeError.empty
        case .text(let text): return try ScannedCode(text: text)
        }
    }

    /// Reads what the user typed or pasted, as ``BroughtCode`` does.
    package init(text: String) throws {
        let code = BroughtCode(text)
        switch code {
        case .pairing(let code): self = .pairing(code)
        case .typed(let code): self = .typed(code)
        case .unusable, .mistyped, .other:
            if let kind = ForeignCode(payload: Array(text.utf8)) { throw ScannedCodeError.known(kind) }
            if case .unusable(let error) = code { throw error }
            if case .mistyped(let error) = code { throw error }
            throw ScannedCodeError.noCode
        }
    }

    /// The one pairing code among those of an image; other codes beside it do not matter.
    init(_ answer: ReadCodes.Answer) throws {
        let readings = try answer.result.get()
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
        guard let code = codes.first else {
            if fault == nil, readings.count == 1, answer.unread == 0,
                let kind = readings.first.flatMap({ ForeignCode(payload: $0.payload) })
            {
                throw ScannedCodeError.known(kind)
            }
            throw fault ?? ScannedCodeError.foreign(readings.count, unread: answer.unread)
        }
        self = .pairing(code)
    }
}

/// Why there is no code to pair with, though what was given can be read.
package enum ScannedCodeError: Equatable, UserError {
    /// Standard input ended at once.
    case empty
    /// A text that is not a code.
    case noCode
    /// One code, and it is for something else.
    case known(ForeignCode)
    /// This many different pairing codes in one picture.
    case several(Int)
    /// This many QR codes, none of them for pairing, and so many more that could not be read.
    case foreign(Int, unread: Int = 0)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .empty: "there is no code: the input is empty"
        case .noCode: "this is neither an image nor a pairing code"
        case .known(let kind): "this is \(kind.name): \(kind.purpose)"
        case .several(let count): "there are \(count) pairing codes in the picture, and one device uses one"
        case .foreign(1, 0): "the QR code in the picture is not a pairing code"
        case .foreign(let count, 0): "none of the \(count) QR codes in the picture is a pairing code"
        case .foreign(1, let unread):
            "the QR code that was read is not a pairing code; \(unread) more in the picture could not be read"
        case .foreign(let count, let unread):
            "none of the \(count) QR codes that were read is a pairing code; "
                + "\(unread) more in the picture could not be read"
        }
    }

    package var kind: UserErrorKind { .data }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .empty, .noCode, .known: "on the hub: 'hubpair print' shows a code to scan and one to type"
        case .several: "take a picture with only the code that you want to use"
        case .foreign(_, 1...): "take a picture of the pairing code alone, close and sharp"
        case .foreign:
            "on the hub: 'hubpair print' makes a pairing code; 'hubpair scan IMAGE' says what this one holds"
        }
    }
}
