/// What the hub answers to `POST /hubpair/v1/pair`.
package struct PairingAnswer: Equatable, Sendable {
    /// The HTTP status (RFC 9110 § 15).
    package let status: Int
    /// One JSON object in UTF-8.
    package let body: [UInt8]
    /// What the log says of it, in one line and without a secret; nil: nothing.
    package let event: String?

    package init(status: Int, body: [UInt8], event: String?) {
        self.status = status
        self.body = body
        self.event = event
    }
}
