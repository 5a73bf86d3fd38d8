/// `Kitchen, Hall and 3 more`: at most the first `most` names.
func listed(_ names: [String], most: Int) -> String {
    let rest = names.count - most
    return names.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}
