package import GatewayRules
package import Pairing

/// A request for one of the hub's own resources, from a device whose role allows it.
package struct ResourceRequest: Sendable {
    package let resource: HubResource
    /// One of those that the resource takes: `GET`, `HEAD`, `PUT`, `POST`, `DELETE`.
    package let method: String
    /// The device as the keyfile had it when the request began.
    package let device: ApprovedDevice
    /// The value of `Last-Event-ID`, any bytes as UTF-8; nil if there is none, or more than one.
    package let lastEventID: String?
    package let precondition: Precondition
    /// `Cache-Control: max-age=0` (RFC 9111 § 5.2.1.1): what the hub knows already is not new enough.
    package let wantsNew: Bool
    /// `Prefer: wait=SECONDS` (RFC 7240 § 4.3): how long to wait for an answer that is new; nil: the usual
    /// time.
    package let patience: Duration?
    /// The longest that a client may make the hub wait.
    private static let maximumPatience = 30
    package let door: JournalEntry.Door
    /// Of a page without a script.
    private(set) var words = PageWords()
    /// At most ``HubResource/maximumBodyByteCount`` bytes; empty for other methods than PUT and POST.
    package var body: [UInt8] = []

    /// True if the device that asks may be revoked by the request. Its answer says only that.
    package var mayRevoke: Bool {
        switch resource.pattern {
        case .deviceRevocation, .deviceRefusal, .access: true
        default: false
        }
    }

    package init(
        _ resource: HubResource, method: String, from device: ApprovedDevice, lastEventID: String? = nil,
        precondition: Precondition = .none, wantsNew: Bool = false, patience: Duration? = nil,
        through door: JournalEntry.Door = .gate, body: [UInt8] = []
    ) {
        (self.resource, self.method, self.device, self.door) = (resource, method, device, door)
        (self.lastEventID, self.precondition, self.body) = (lastEventID, precondition, body)
        (self.wantsNew, self.patience) = (wantsNew, patience)
    }

    init(_ resource: HubResource, _ head: RequestHead, from device: ApprovedDevice) {
        let last = head.fields.onlyValue(.lastEventID).map { String(decoding: $0, as: UTF8.self) }
        self.init(
            resource, method: head.method, from: device, lastEventID: last,
            precondition: Precondition(head.fields),
            wantsNew: head.fields.members(named: "cache-control").contains("max-age=0"),
            patience: ResourceRequest.patience(head.fields.members(named: "prefer")),
            through: head.isFromBrowser ? .page : .gate)
        words = PageWords(for: head)
    }

    /// - Parameter preferences: the members of `Prefer`; of several the first that is one counts.
    package static func patience(_ preferences: [Substring]) -> Duration? {
        let waits = preferences.lazy.filter { $0.hasPrefix("wait=") }
        return waits.compactMap { Int(digits: $0.dropFirst(5)) }.first.map {
            .seconds(min($0, maximumPatience))
        }
    }

    /// Who asks, for the journal.
    package var author: JournalEntry.Author { JournalEntry.Author(device, through: door) }
}
