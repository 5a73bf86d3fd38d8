/// `path` quoted as one word for a POSIX shell, in a form that no command takes for an option.
package func shellQuoted(_ path: String) -> String {
    shellWord(path.utf8.first == UInt8(ascii: "-") ? "./" + path : path)
}

/// `text` as one word for a POSIX shell.
///
/// - Parameter plain: more characters that need no quotation marks where the word stands.
package func shellWord(_ text: String, plain: String = "") -> String {
    let isPlain = text.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: plain.utf8.contains($0)
        }
    }
    guard !isPlain || text.isEmpty else { return text }
    // Scalars, not Characters: a quote followed by a combining mark is one Character, but still a quote for
    // the shell.
    var word = "'"
    for scalar in text.unicodeScalars {
        if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
    }
    return word + "'"
}

/// The option `--on` for a hub of this name, to paste: ` --on "Kitchen hub"`. Quotation marks of this kind
/// can stand inside the others, with which a hint shows a command.
package func onHub(_ name: String) -> String {
    let isSimple = name.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: " "): true
        default: false
        }
    }
    return " --on " + (isSimple && name.contains(" ") ? "\"\(name)\"" : shellWord(name))
}
