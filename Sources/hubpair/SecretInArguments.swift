import Identity
import Pairing

/// A pairing code was given as an argument: every user of the machine can read arguments, and they stay in
/// the shell's history. Its text is not repeated.
///
/// A code with a slip in it is a secret too: one that tries the few slips has the code.
struct SecretInArguments: Equatable, UserError {
    /// The first word of the call.
    let command: String?

    /// A code's five groups as arguments of their own, with a slip or two.
    private static let groupCounts = 2...6

    /// Nil if none of the arguments is a code.
    init?(in arguments: [String]) {
        let values = arguments.map { argument in
            String(argument.split(separator: "=", omittingEmptySubsequences: false).last ?? "")
        }
        // The names that 'codes void' takes look like groups of a code, and say nothing of its secret.
        let takesNames = arguments.contains("codes") && arguments.contains("void")
        guard
            values.contains(where: { SecretInArguments.isScanned($0) || TypedCode.isSuspected(in: $0) })
                || !takesNames && SecretInArguments.isSpread(over: arguments)
        else { return nil }
        command = arguments.first { !$0.hasPrefix("-") }
    }

    var description: String { "a pairing code is secret, and everybody on this machine can read arguments" }
    var kind: UserErrorKind { .usage }
    var hint: String? {
        let way =
            switch command {
            case "pair": "run 'hubpair pair' and type it there"
            case "scan": "'hubpair scan -' reads it from standard input"
            default: "only 'hubpair pair' takes a code, and asks for it"
            }
        return "\(way); this one is in your shell's history now: print another"
    }

    /// A name may well be "hubpair: kitchen"; a code has a long word behind the colon.
    private static func isScanned(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let end = PairingCode.end(ofPrefixIn: bytes) else { return false }
        let word = bytes[end...].prefix(8)
        return word.count == 8 && word.allSatisfy(isLetterOrDigit)
    }

    /// True if arguments that follow each other are the groups of one typed code.
    private static func isSpread(over arguments: [String]) -> Bool {
        arguments.indices.contains { start in
            let groups = arguments[start...].prefix(groupCounts.upperBound).prefix { argument in
                (3...16).contains(argument.utf8.count) && !argument.hasPrefix("-")
                    && argument.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
            }
            guard groups.count >= groupCounts.lowerBound else { return false }
            return (groupCounts.lowerBound...groups.count).contains { count in
                TypedCode.isSuspected(in: groups.prefix(count).joined(separator: " "))
            }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
}
