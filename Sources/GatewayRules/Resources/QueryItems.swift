/// The query of a request for one of the hub's own resources.
///
///     query = [ item *( "&" item ) ]
///     item  = name "=" value                  ; both as a segment of HubResource, without "&" and "="
///
/// Accepted: `after=12&kind=alarm`. Rejected: an unknown name, since a misspelt condition would be taken for
/// none; a name twice; `after`; a value of more than 189 bytes.
package struct QueryItems: Equatable, Sendable {
    /// What is wrong with a query, in words. Never reaches a user alone: the hub answers with a
    /// status and this message.
    package struct Fault: Error, Equatable, Sendable {
        package let message: String

        package init(message: String) { self.message = message }
    }

    private let items: [String: String]

    /// - Parameters:
    ///   - query: what follows the `?`.
    ///   - names: the names that the resource knows.
    package init(_ query: String, names: [String]) throws(Fault) {
        var items: [String: String] = [:]
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = names.first(where: { $0 == parts[0] }) else {
                let known = names.isEmpty ? "none" : names.joined(separator: ", ")
                throw Fault(message: "the query has an item that is not known here; known are: \(known)")
            }
            guard items[name] == nil else { throw Fault(message: "the query has '\(name)' twice") }
            guard let value = HubResource.decoded(parts[1]) else {
                throw Fault(message: "the value of '\(name)' in the query cannot be read")
            }
            items[name] = value
        }
        self.items = items
    }

    /// The text of an item; nil if the query does not have it.
    package func text(_ name: String) -> String? { items[name] }

    /// The number of an item; nil if the query does not have it.
    package func number(_ name: String, in range: ClosedRange<Int64>) throws(Fault) -> Int64? {
        guard let text = items[name] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw Fault(
                message: "'\(name)' in the query is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
