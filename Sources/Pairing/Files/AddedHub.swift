public import Identity

/// A hub that the user has named with its address, and that this computer is not paired with.
///
///     [added 1]
///     name=Attic
///     address=192.0.2.9:8000
///     kind=stock
///     insecure=true
///
/// A group of `known-hubs` (see ``KnownHubs``); the number means nothing. `kind` is `stock` for a Hestia
/// server without hubpair, which has no lasting key: talking to it is never protected. It is `hubpair` for a
/// hub that can be paired with; then `id` is the fingerprint that it showed, which proves nothing later.
/// `insecure` is there once the user has said that this hub may be used although nothing protects the
/// connection.
///
/// Accepted: the above. Rejected: without `address`; `kind=other`; `insecure=yes`; a name that breaks the
/// rules; two of one name.
public struct AddedHub: Equatable, Sendable {
    /// What answered at the address.
    public enum Kind: String, Sendable {
        /// A Hestia server without hubpair.
        case stock
        /// A hub that can be paired with.
        case hubpair
    }

    static let groupKind = "added"

    /// The user's name for it; no other hub of the file has it.
    public package(set) var name: PeerName
    /// `HOST:PORT`.
    public package(set) var address: String
    /// What it was when it was added.
    public let kind: Kind
    /// What a hubpair hub said that it is; a claim.
    public let id: Fingerprint?
    /// True if the user accepts that nobody checks what answers at the address.
    public package(set) var isInsecureAllowed = false

    /// A hub of these parts.
    public init(name: PeerName, address: String, kind: Kind, id: Fingerprint?) {
        (self.name, self.address, self.kind, self.id) = (name, address, kind, id)
    }

    init(_ group: String, in file: KeyFile) throws(KeyFileError) {
        name = try file.name("name", in: group)
        address = try file.required("address", in: group)
        guard let kind = Kind(rawValue: try file.required("kind", in: group)) else {
            throw .invalidValue("neither stock nor hubpair", key: "kind", group: group)
        }
        self.kind = kind
        id = file.value("id", in: group).flatMap { Fingerprint($0) }
        guard id != nil || file.value("id", in: group) == nil else {
            throw .invalidValue("not a fingerprint", key: "id", group: group)
        }
        switch file.value("insecure", in: group) {
        case nil, "false": isInsecureAllowed = false
        case "true": isInsecureAllowed = true
        default: throw .invalidValue("neither true nor false", key: "insecure", group: group)
        }
    }

    func write(to file: inout KeyFile) {
        let number = (1...).first { !file.hasGroup("\(AddedHub.groupKind) \($0)") } ?? 1
        let group = "\(AddedHub.groupKind) \(number)"
        file.set("name", to: name.description, in: group)
        file.set("address", to: address, in: group)
        file.set("kind", to: kind.rawValue, in: group)
        file.set("id", to: id?.description, in: group)
        file.set("insecure", to: isInsecureAllowed ? "true" : nil, in: group)
    }
}
