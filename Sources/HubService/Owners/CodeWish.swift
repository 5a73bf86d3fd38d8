import JSON
import Pairing
import QRCodes

/// What an owner asks for with `POST /hubpair/v1/codes`.
///
///     {"kind": "once" / "label", "role": role, "expires": seconds / null, "address": choice,
///      "count": number, "sheet": "3x8", "size": "62x29mm", "paper": "a4" / "letter",
///      "formats": ["svg" / "png" / "pdf"], "stay": seconds / time / null}
///
/// `stay` is how long a device may come in that uses a once code: seconds from the pairing on, a time, or
/// null, for ever. Every key may be missing. `kind` is once, `expires` 600 seconds, and for a label
/// null: for ever. A sheet
/// has as many codes as labels, each of its own; without one there are `count`, and the PDF is a page, or a
/// label of `size`. A label has no role, and is one code on all of a sheet.
struct CodeWish {
    /// The most codes at a time. The answer has all of them, and a sheet of paper has room for fewer.
    static let maximumCount = 200
    private static let formats: [PrintCode.Format] = [.svg, .png, .pdf]

    let kind: PairingCode.Kind
    let role: Role?
    let stay: ApprovalEnd
    /// In seconds; nil for a label that stays valid.
    let lifetime: Double?
    let address: AddressChoice
    let count: Int
    let medium: PrintMedium
    let formats: [PrintCode.Format]

    init(parsing bytes: [UInt8]) throws {
        let body = try OwnerRequestBody(
            bytes,
            keys: [
                "kind", "role", "expires", "address", "count", "sheet", "size", "paper", "formats", "stay",
            ])
        kind = try body.value("kind", "once or label", PairingCode.Kind.init(rawValue:)) ?? .once
        role = try body.role()
        guard kind == .once || role == nil else {
            throw BadOwnerRequest(message: "a label lets nobody in by itself, so it has no role")
        }
        guard let stay = ApprovalEnd(stayJSON: body.members["stay"]) else {
            throw body.fault("stay", "a number of seconds, a time like 2026-11-30T18:00:00Z, or null")
        }
        guard kind == .once || stay == .unsaid else {
            throw BadOwnerRequest(
                message: "a label lets nobody in by itself: its devices' stay is said when they are approved")
        }
        self.stay = stay
        switch body.members["expires"] {
        case nil: lifetime = kind == .once ? 600 : nil
        case .null? where kind == .label: lifetime = nil
        case let value?:
            guard let seconds = value.asDouble else { throw body.fault("expires", "a number of seconds") }
            lifetime = seconds
        }
        address =
            try body.value(
                "address", "auto, none, an IPv4 address, or a host name", AddressChoice.init(argument:))
            ?? .automatic
        let sheet = try body.value("sheet", "columns x rows, like 3x8") { SheetGrid($0) }
        let size = try body.value("size", "millimetres, like 62x29mm") { LabelSize($0) }
        let paper = try body.value("paper", "a4 or letter", PaperSize.init(rawValue:))
        medium =
            if let sheet { .sheet(sheet, paper ?? .a4, size) } else if let size { .label(size) } else {
                .page(paper ?? .a4)
            }
        switch body.members["count"] {
        case nil: count = medium.labelCount
        case .integer(let number)?
        where sheet == nil && number >= 1 && number <= Int64(CodeWish.maximumCount):
            count = Int(number)
        default:
            throw body.fault("count", "a number from 1 to \(CodeWish.maximumCount), and nothing with 'sheet'")
        }
        guard count <= CodeWish.maximumCount else {
            throw body.fault("sheet", "one of at most \(CodeWish.maximumCount) labels")
        }
        let words = try body.texts("formats", "of svg, png and pdf", atMost: CodeWish.formats.count)
        formats = words.compactMap { word in CodeWish.formats.first { $0.rawValue == word } }
        guard formats.count == words.count, Set(words).count == words.count else {
            throw body.fault("formats", "svg, png or pdf, each once at most")
        }
    }
}
