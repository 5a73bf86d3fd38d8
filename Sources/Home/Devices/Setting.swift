package import JSON

/// What an activator is to be set to.
///
///     setting = "on" / "off" / level / percent      ; ASCII case does not matter
///     level   = "0" / "1" / "0" "." 1*17DIGIT / "1" "." 1*17"0"
///     percent = 1*3DIGIT [ "." 1*17DIGIT ] "%"      ; 0 to 100; programs write a third with 17 digits
///
/// Accepted: `on`, `0.4`, `40%`. Rejected: `1.5`, `140%`, `-1`, `.5`, `yes`.
package enum Setting: Equatable, Sendable {
    case on
    case off
    /// From 0 to 1.
    case level(Double)

    package init(_ text: String) throws(SettingError) {
        switch text.lowercased() {
        case "on":
            self = .on
            return
        case "off":
            self = .off
            return
        default: break
        }
        let isPercent = text.utf8.last == UInt8(ascii: "%")
        let number = isPercent ? text.dropLast() : Substring(text)
        // Double would also read hexadecimal, exponents, infinities and signs.
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy {
            (1...17).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard areDigits, (1...2).contains(parts.count), let value = Double(number) else {
            throw .notASetting(text)
        }
        let level = isPercent ? value / 100 : value
        guard level <= 1 else { throw .outOfRange(text) }
        self = .level(level)
    }

    /// The state to send to `activator`.
    package func state(for activator: Activator) throws(SettingError) -> JSONValue {
        switch (activator.kind, self) {
        case (.bool, .on), (.bool, .level(1)): .boolean(true)
        case (.bool, .off), (.bool, .level(0)): .boolean(false)
        case (.bool, .level): throw .onlyOnAndOff(activator: activator.name)
        case (.float, .on): .number(1)
        case (.float, .off): .number(0)
        case (.float, .level(let level)): .number(level)
        case (.other(let word), _): throw .unknownKind(word, activator: activator.name)
        }
    }

    /// The setting in a word: `on`, `off`, `40%`.
    package var text: String {
        switch self {
        case .on: "on"
        case .off: "off"
        case .level(let level): percentage(level)
        }
    }
}
