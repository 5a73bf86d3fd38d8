/// `path` as one word for a POSIX shell that no command takes for an option.
package func shellQuoted(_ path: String) -> String {
    let path = path.utf8.first == UInt8(ascii: "-") ? "./" + path : path
    let isPlain = path.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
    guard !isPlain || path.isEmpty else { return path }
    // Scalars, not Characters: a quote with a combining mark behind it is one Character, and still a quote.
    var word = "'"
    for scalar in path.unicodeScalars {
        if scalar == "'" { word += "'\\''" } else { word.unicodeScalars.append(scalar) }
    }
    return word + "'"
}
