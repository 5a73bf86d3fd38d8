import CAvahi

/// A web service that a hub announces beside itself: a DNS-SD service instance of the type `_https._tcp` with
/// the TXT record `path=/`, `id=<the hub's fingerprint>`, by which one knows whose service it is.
public struct WebAnnouncement: Hashable, Sendable {
    /// The DNS-SD service type (RFC 6763 § 4.1.2).
    public static let serviceType = "_https._tcp"

    /// The instance name; an alternative is announced if it is taken.
    public var name: PeerName
    /// The hub's TCP port for the service, 1–65535.
    public var port: UInt16
    /// The hub's fingerprint.
    public var id: Fingerprint

    /// Creates an announcement of a service of the hub with the fingerprint `id`.
    public init(name: PeerName, port: UInt16, id: Fingerprint) {
        (self.name, self.port, self.id) = (name, port, id)
    }

    /// The strings of the TXT record in order.
    public var txt: [[UInt8]] { ["path=/", "id=\(id)"].map { Array($0.utf8) } }
}

/// The entry group of one web service, as avahi's callbacks find it: the fault of one service is none of the
/// others', nor the hub's.
final class WebEntryGroup {
    let service: WebAnnouncement
    var group: OpaquePointer?
    private let changed: (PublishingEvent) -> Void

    init(_ service: WebAnnouncement, changed: @escaping (PublishingEvent) -> Void) {
        (self.service, self.changed) = (service, changed)
    }

    static func at(_ pointer: UnsafeMutableRawPointer?) -> WebEntryGroup? {
        pointer.map { Unmanaged<WebEntryGroup>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Parameter code: what avahi has returned for the service.
    func added(_ code: Int32, _ fault: (Int32) -> DiscoveryError) {
        switch code {
        case 0: break
        case AvahiCode.collision: tell(.collision)
        default: tell(.refused(fault(code)))
        }
    }

    func changed(to state: AvahiEntryGroupState, _ fault: (Int32) -> DiscoveryError) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: tell(.established)
        case AVAHI_ENTRY_GROUP_COLLISION: tell(.collision)
        case AVAHI_ENTRY_GROUP_FAILURE: tell(.refused(fault(AvahiCode.failure)))
        default: break
        }
    }

    func tell(_ result: WebResult) { changed(.web(service, result)) }
}

/// What has become of a web service that was handed to a stack.
enum WebResult: Sendable {
    case established
    /// Its name is taken.
    case collision
    case refused(DiscoveryError)
}
