import Home

/// Arguments that can only be meant one way, in the form that the command takes.
///
///     home set TV=on              home set TV on
///     home set Lamp 40 %          home set Lamp 40%
///     home set Lamp 0,5           home set Lamp 0.5
///     home unit Oven °C 30 250    home unit Oven °C 30..250
///     call /devices/              call GET /devices/
enum LooseWords {
    static func read(_ arguments: [String]) -> [String] {
        let path = CommandPath(arguments)
        let values = CommandWords(path.rest, form: path.form).values
        guard let last = values.last, let end = arguments.lastIndex(of: last) else { return arguments }
        let before = values.dropLast().last
        switch path.words {
        case ["home", "set"], ["home", "scene", "set"]:
            if last == "%", let before, arguments[end - 1] == before {
                return read(arguments.replacing(end - 1...end, with: [before + "%"]))
            }
            if let point = decimal(last) { return arguments.replacing(end...end, with: [point]) }
            let sides = last.split(separator: "=", omittingEmptySubsequences: false)
            if values.count == 1, sides.count == 2, !sides[0].isEmpty, isSetting(String(sides[1])) {
                return arguments.replacing(end...end, with: sides.map(String.init))
            }
        case ["home", "unit"]:
            if values.count == 4, let before, arguments[end - 1] == before, isNumber(before), isNumber(last) {
                return arguments.replacing(end - 1...end, with: ["\(before)..\(last)"])
            }
        case ["call"]:
            if values.count == 1, last.hasPrefix("/") {
                return arguments.replacing(end...end, with: ["GET", last])
            }
        default: break
        }
        return arguments
    }

    /// `0,5`, `40,5%` with a point; nil for anything else.
    private static func decimal(_ text: String) -> String? {
        let point = text.replacing(",", with: ".")
        guard text.count(where: { $0 == "," }) == 1, isSetting(point) else { return nil }
        return point
    }

    private static func isSetting(_ text: String) -> Bool { (try? SaidSetting(text)) != nil }
    private static func isNumber(_ text: String) -> Bool { Double(text) != nil }
}

extension [String] {
    fileprivate func replacing(_ range: ClosedRange<Int>, with words: [String]) -> [String] {
        var changed = self
        changed.replaceSubrange(range, with: words)
        return changed
    }
}
