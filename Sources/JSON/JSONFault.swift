import Identity

/// Why a text is not the JSON that was asked for, and where in it.
package struct JSONFault: Error, Equatable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// Not JSON, or only the beginning of it.
        case syntax
        case tooDeep
        /// Another type of value than is expected here.
        case otherType
        /// An object without this key.
        case missing(String)
        /// An object with the same key twice, where that is refused.
        case duplicateKey
    }

    package let kind: Kind
    /// The keys and entries that lead there, from the inside to the outside.
    package private(set) var path: [String] = []

    package init(_ kind: Kind) { self.kind = kind }

    /// The same, seen from one level further out.
    package func inside(_ step: String) -> JSONFault {
        var fault = self
        fault.path.append(step)
        return fault
    }

    /// What is wrong, in lower case, without a full stop; keys are the sender's.
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
