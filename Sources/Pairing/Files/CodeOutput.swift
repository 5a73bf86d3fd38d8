/// Where a code went when it was drawn, for the owner's list of codes. It is a note: no rule depends on it.
///
///     output = "terminal" / "-" / path      ; "-": standard output; path: absolute, "/" 1*CHAR
///
/// Accepted: `terminal`, `/home/anna/code.png`. Rejected: `code.png`, nothing.
public enum CodeOutput: Equatable, Sendable {
    /// It was shown in a terminal.
    case terminal
    /// It was written to standard output, for another program.
    case standardOutput
    /// It was written to the file of this absolute path.
    case file(String)

    /// The most bytes of a path that are noted; of a longer one only the name is. 10,000 codes with it fit
    /// into a keyfile.
    static let maximumPathByteCount = 512

    /// The note for a file, from its absolute path. What a keyfile cannot hold is escaped.
    package init(path: String) {
        let safe = SafeText.escaped(path)
        guard safe.utf8.count > CodeOutput.maximumPathByteCount else {
            self = .file(safe)
            return
        }
        let name = safe.split(separator: "/").last.map(String.init) ?? ""
        // A name has at most 255 bytes (NAME_MAX), and escapes make more of them.
        let isShort = name.utf8.count <= CodeOutput.maximumPathByteCount - 5
        self = .file("/…/" + (isShort ? name : ""))
    }

    init?(text: String) {
        switch text {
        case "terminal": self = .terminal
        case "-": self = .standardOutput
        default:
            guard text.utf8.first == UInt8(ascii: "/") else { return nil }
            self = .file(text)
        }
    }

    /// As the file `tickets` has it.
    var text: String {
        switch self {
        case .terminal: "terminal"
        case .standardOutput: "-"
        case .file(let path): path
        }
    }
}

/// The place of a code on a sheet of several, each with a code of its own.
///
///     position = number "/" number          ; from 1 on, of how many: at most 99 columns and 99 rows
///
/// Accepted: `3/24`. Rejected: `0/24`, `25/24`, `1/9802`.
public struct SheetPlace: Equatable, Sendable {
    /// The most codes on a sheet.
    package static let maximumCount = 99 * 99

    /// The sheet's name: random, and of the same form as a ticket's, so that one list has both.
    public let sheet: TicketID
    /// Which label it is, from 1 on, row by row.
    public let position: Int
    /// How many labels the sheet has.
    public let count: Int

    /// A place, or nil if there is none such.
    package init?(sheet: TicketID, position: Int, count: Int) {
        guard (1...SheetPlace.maximumCount).contains(count), (1...count).contains(position) else {
            return nil
        }
        (self.sheet, self.position, self.count) = (sheet, position, count)
    }

    /// From the text of the position.
    init?(sheet: TicketID, text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let position = Int(digits: parts[0]), let count = Int(digits: parts[1]) else {
            return nil
        }
        self.init(sheet: sheet, position: position, count: count)
    }

    /// `3/24`.
    var text: String { "\(position)/\(count)" }
}
