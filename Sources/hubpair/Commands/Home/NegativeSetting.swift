import Home

/// A level below 0, as in `home set lamp -1`. ArgumentParser takes it for an option and says that an argument is
/// missing.
enum NegativeSetting {
    private static let optionsWithValue: Set<String> = ["--hub", "--timeout", "--config"]

    /// The error for the first one in the arguments of `home set`; nil if there is none.
    static func error(in arguments: [String]) -> SettingError? {
        guard arguments.starts(with: ["home", "set"]) else { return nil }
        var isValue = false
        for argument in arguments.dropFirst(2).prefix(while: { $0 != "--" }) {
            let next = argument.utf8.dropFirst().first ?? 0
            let isNumber = (0x30...0x39).contains(next) || next == UInt8(ascii: ".")
            if !isValue, isNumber, argument.utf8.first == UInt8(ascii: "-") { return .outOfRange(argument) }
            isValue = optionsWithValue.contains(argument)
        }
        return nil
    }
}
