import Addresses
package import Identity

/// One answer to what a plugin asks for, checked before it is sent.
///
/// The server chooses the names of the fields. Their words tell what they most likely take: `ip` an IPv4 or
/// IPv6 address, `port` a port, `name` a name. Every other field takes one line of text.
package enum InfoField {
    /// The most bytes of an answer.
    package static let maximumByteCount = 1_024

    /// True if the hub's explanation of a field says that it may be left empty: "if left empty the button on
    /// the hue needs to be pressed".
    package static func mayBeEmpty(_ explanation: String) -> Bool {
        let text = explanation.lowercased()
        return [
            "left empty", "leave empty", "leave it empty", "may be empty", "can be empty", "left blank",
            "leave blank", "optional",
        ].contains { text.contains($0) }
    }

    /// Checks the answer to the field `name`, which the hub explains.
    package static func check(
        _ answer: String, for name: String, explanation: String = ""
    ) throws(InfoFieldError) -> String {
        if answer.isEmpty, name != "name", mayBeEmpty(explanation) { return answer }
        let words = Set(Orthography.words(name.map { $0 == "_" ? " " : String($0) }.joined()))
        guard !answer.isEmpty else { throw .empty(field: name) }
        guard answer.utf8.count <= maximumByteCount else { throw .tooLong(field: name) }
        guard !answer.unicodeScalars.contains(where: \.isControlling) else {
            throw .notALine(field: name)
        }
        if name == "name" {
            do {
                return try PeerName(known: answer).description
            } catch {
                throw .notAName(error, field: name)
            }
        }
        if !words.isDisjoint(with: ["ip", "ipv4", "ipv6"]) {
            guard NetworkAddress(answer) != nil else { throw .notAnAddress(answer, field: name) }
        }
        if words.contains("port") {
            guard let port = UInt16(digits: answer), port > 0 else { throw .notAPort(answer, field: name) }
        }
        return answer
    }
}

/// Why an answer cannot be sent.
package enum InfoFieldError: Equatable, UserError {
    case empty(field: String)
    case tooLong(field: String)
    /// A control character, or one that turns the text around.
    case notALine(field: String)
    case notAName(PeerNameError, field: String)
    case notAnAddress(String, field: String)
    case notAPort(String, field: String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .empty(let field): "there is no answer for \(field)"
        case .tooLong(let field): "the answer for \(field) has more than \(InfoField.maximumByteCount) bytes"
        case .notALine(let field): "the answer for \(field) holds a control character"
        case .notAName(let error, let field): "\(field): \(error.description)"
        case .notAnAddress(let text, let field): "\(field): \(quoted(text)) is not an IPv4 or IPv6 address"
        case .notAPort(let text, let field): "\(field): \(quoted(text)) is not a port"
        }
    }

    package var kind: UserErrorKind { .usage }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .empty(let field): "give it with --info \(field)=VALUE"
        case .tooLong, .notALine: "give one short line"
        case .notAName(let error, _): error.hint
        case .notAnAddress: "give it like 192.168.1.20 or fd00::20"
        case .notAPort: "give a number from 1 to 65535"
        }
    }
}
