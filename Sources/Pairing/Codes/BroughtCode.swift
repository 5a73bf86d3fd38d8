/// The code in a text that a person brings: typed, pasted, read from a file or a picture.
///
/// One reader for all of them, and as forgiving as a checksum allows: the address in any case, with or
/// without `https://`, the bare code with or without `HUBPAIR:`, or a typed code; each among white space,
/// line ends, quotes, brackets and full stops, with any dash, with letters of full width, with what nobody
/// sees (a byte order mark, zero-width and no-break spaces), and with words and a colon before it.
///
/// Read: `https://192.0.2.7:8000/#2006p0…`, `Code: H851–MAHT–99D6–MYMA–KEGE.`. Other: `hello`,
/// `https://example.org/#top`.
package enum BroughtCode: Equatable, Sendable {
    case pairing(PairingCode)
    /// It begins like a pairing code, or is as long as one, and is none that can be used.
    case unusable(PairingCodeError)
    case typed(TypedCode)
    /// A word or groups as a typed code has, with a slip.
    case mistyped(TypedCodeError)
    case other

    /// Longer texts hold something else: this is 40 times the longest code.
    static let maximumByteCount = 4_096
    /// The number of characters behind the prefix or `#`: 80 or 90, with some lost or doubled.
    private static let lengths = 60...120

    package init(_ text: some StringProtocol) {
        guard text.utf8.count <= BroughtCode.maximumByteCount else {
            self = .other
            return
        }
        let text = PlainText(text)
        if let (body, isWord) = text.afterPrefix {
            self = isWord ? BroughtCode(base32: body, hint: nil) : .unusable(.missingPrefix)
        } else if let (place, body) = text.aroundHash {
            let symbols = body.symbols
            self =
                symbols.map { BroughtCode.lengths.contains($0.count) } == true
                ? BroughtCode(base32: body, hint: BroughtCode.hint(in: place)) : .other
        } else if text.isLongCode {
            self = BroughtCode(base32: text.afterColon, hint: nil)
        } else {
            self.init(typed: text.afterColon)
        }
    }

    private init(base32 text: PlainText, hint: PairingCode.AddressHint?) {
        // Characters that no code has stay, for the strict reader to name.
        let body = text.symbols ?? text.compact
        do {
            let code = try PairingCode(text: PairingCode.prefix + body)
            self = .pairing(code.at(hint ?? code.addressHint))
        } catch {
            self = .unusable(error)
        }
    }

    private init(typed text: PlainText) {
        let core = text.trimmed
        guard let symbols = core.word, (1...40).contains(symbols.count),
            !core.hasStops || (18...22).contains(symbols.count)
        else {
            self = .other
            return
        }
        do {
            self = .typed(try TypedCode(typed: symbols))
        } catch {
            self = .mistyped(error)
        }
    }

    /// The host and port in what stands before `#`; nil if there is none that could be reached.
    private static func hint(in text: PlainText) -> PairingCode.AddressHint? {
        let last = text.text.split(separator: " ").last.map(String.init)?.lowercased() ?? ""
        let start = last.firstRange(of: "//")?.upperBound ?? last.startIndex
        let place = last[start...].prefix { $0 != "/" }
        // In front of it may stand "Code:", and a quote or stars behind that.
        let parts = place.split(separator: ":", omittingEmptySubsequences: false).suffix(2)
        guard let host = parts.first?.drop(while: { !$0.isLetter && !$0.isNumber }), host.contains(".")
        else { return nil }
        let port = parts.count == 2 ? parts.last.flatMap { UInt16(digits: $0) } : 443
        return port.flatMap { $0 > 0 ? PairingCode.AddressHint(host: host, port: $0) : nil }
    }
}
