import Identity

/// Why a text is not valid JSON of the expected shape, and where. Never reaches a user alone: what reads the
/// text says which one it is, and quotes the description.
package struct JSONFault: Error, Equatable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// Invalid or truncated JSON.
        case syntax
        case tooDeep
        /// A value of an unexpected type.
        case otherType
        /// An object without this required key.
        case missing(String)
        /// An object with a duplicate key, where that is refused.
        case duplicateKey
    }

    package let kind: Kind
    /// The keys and array positions that lead to the fault, innermost first.
    package private(set) var path: [String] = []

    package init(_ kind: Kind) { self.kind = kind }

    /// The same fault, with one more step at the outer end of the path.
    package func inside(_ step: String) -> JSONFault {
        var fault = self
        fault.path.append(step)
        return fault
    }

    /// What is wrong, in lower case, without a full stop. It may quote keys from the input.
    package var description: String {
        let place = path.reversed().map { shortened($0) + ", " }.joined()
        return switch kind {
        case .syntax: "it is not JSON, or breaks off"
        case .tooDeep: "it has more than \(JSONReader.maximumDepth) levels"
        case .otherType: "\(place)it is of another type"
        case .duplicateKey: "\(place)an object has the same key twice"
        case .missing(let key): "\(place)\(key) is missing"
        }
    }
}
