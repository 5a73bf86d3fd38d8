/// Why a text is not the JSON that was asked for, and where in it.
struct JSONFault: Error, Equatable, CustomStringConvertible {
    enum Kind: Equatable {
        /// Not JSON, or only the beginning of it.
        case syntax
        case tooDeep
        /// Another type of value than is expected here.
        case otherType
        /// An object without this key.
        case missing(String)
    }

    let kind: Kind
    /// The keys and entries that lead there, from the inside to the outside.
    private(set) var path: [String] = []

    init(_ kind: Kind) { self.kind = kind }

    /// The same, seen from one level further out.
    func inside(_ step: String) -> JSONFault {
        var fault = self
        fault.path.append(step)
        return fault
    }

    /// What is wrong, in lower case, without a full stop; keys are the sender's.
    var description: String {
        let place = path.reversed().map { shortened($0) + ", " }.joined()
        return switch kind {
        case .syntax: "it is not JSON, or breaks off"
        case .tooDeep: "it has more than \(JSONReader.maximumDepth) levels"
        case .otherType: "\(place)it is of another type"
        case .missing(let key): "\(place)\(key) is missing"
        }
    }
}
