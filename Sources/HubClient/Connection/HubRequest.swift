import NIOHTTP1

/// A request to a hub.
package struct HubRequest: Sendable {
    /// An HTTP token (RFC 9110 § 5.6.2), usually in upper case.
    package var method: String
    /// The request target in origin form (RFC 9112 § 3.2.1): begins with `/`, visible ASCII.
    package var target: String
    /// Header fields other than `Host` and `Content-Length`.
    package var headers: [(name: String, value: String)]
    /// The content; nil for none. `Content-Length` is then sent only with methods that expect content.
    package var body: [UInt8]?

    package init(
        method: String, target: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
}

/// The head of a hub's response.
package struct HubResponse: Sendable {
    /// The status code, 200–599; informational responses are skipped.
    package let status: Int
    package let headers: [(name: String, value: String)]

    init(_ head: HTTPResponseHead) {
        status = Int(head.status.code)
        headers = head.headers.map { ($0.name, $0.value) }
    }

    /// The value of the first field with this name, compared without regard to case.
    package subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
