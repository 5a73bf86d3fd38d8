import Identity

/// What a request to the upstream does, as far as roles tell requests apart.
///
///     reading   = ( "GET" / "HEAD" ) SP target
///     switching = "POST" SP "/devices/" id "/activators/" id
///     id        = a PathID
///
/// Method and target are compared as the bytes that came, and never decoded: an encoded character might be a
/// `/` for the server behind, so no `%` belongs to an `id`, and neither do a query, a `;` or a last `/` to
/// the target. A request for another protocol is neither reading nor switching, whatever its method; nor is
/// one with a field that some servers take for its method.
///
/// Switching: `POST /devices/6b01/activators/7c`. Changing: the same with `?x=1`,
/// `/devices//6b01/activators/7c`, `/devices/6b01/activators/%37c`, `PUT /devices/6b01`, `GET /socket` with
/// `Upgrade: websocket`.
package enum RequestKind: Equatable, Sendable, CaseIterable {
    /// Asks for something.
    case reading
    /// Sets the state of an appliance.
    case switching
    /// Anything else.
    case changing

    /// - Parameters:
    ///   - method: in its own case.
    ///   - target: with its query.
    ///   - isPlain: false if the request asks for another protocol, or names another method in a field.
    package init(method: some Collection<UInt8>, target: some Collection<UInt8>, isPlain: Bool) {
        if !isPlain {
            self = .changing
        } else if method.elementsEqual("GET".utf8) || method.elementsEqual("HEAD".utf8) {
            self = .reading
        } else if method.elementsEqual("POST".utf8), RequestKind.activator(in: target) != nil {
            self = .switching
        } else {
            self = .changing
        }
    }

    package init(_ head: RequestHead) {
        let isPlain = !head.fields.fields.contains { $0.role == .upgrade || $0.role == .methodOverride }
        self.init(method: head.method.utf8, target: head.target.utf8, isPlain: isPlain)
    }

    /// The ids in the target of a request that is switching.
    package static func activator(
        in target: some Collection<UInt8>
    ) -> (appliance: String, activator: String)? {
        let parts = target.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1].elementsEqual("devices".utf8),
            PathID.isOne(parts[2]), parts[3].elementsEqual("activators".utf8), PathID.isOne(parts[4])
        else { return nil }
        return (String(decoding: parts[2], as: UTF8.self), String(decoding: parts[4], as: UTF8.self))
    }
}
