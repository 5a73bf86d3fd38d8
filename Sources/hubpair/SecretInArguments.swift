import Identity
import Pairing

/// A pairing code was given as an argument: every user of the machine can read arguments, and they stay in
/// the shell's history. Its text is not repeated.
///
/// A code with a slip in it is a secret too: one that tries the few slips has the code.
struct SecretInArguments: Equatable, UserError {
    /// The first word of the call.
    let command: String?

    /// Nil if none of the arguments is a code.
    init?(in arguments: [String]) {
        let values = arguments.map { argument in
            String(argument.split(separator: "=", omittingEmptySubsequences: false).last ?? "")
        }
        // The names that 'codes void' takes look like groups of a code, and say nothing of its secret.
        let takesNames = arguments.contains("codes") && arguments.contains("void")
        guard
            (arguments + values).contains(where: BroughtCode.mayBeSecret)
                || !takesNames && BroughtCode.isSpread(over: arguments.map { $0.hasPrefix("-") ? "" : $0 })
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
}
