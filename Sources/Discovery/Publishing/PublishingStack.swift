import CAvahi

/// An event that an mDNS stack reports about what it publishes.
enum PublishingEvent: Sendable {
    /// The stack accepts services, for the first time or again.
    case ready
    /// The stack accepts no services for now: its host name is not established.
    case busy
    /// What has become of a web service, or of the hub's own (nil); but see ``RegistrationTimeout``.
    case service(WebAnnouncement?, PublishingResult)
    /// The stack has given this machine these names, the one for people first.
    case named([String])
    /// The stack is unusable.
    case failed(DiscoveryError)
}

/// What has become of something that was handed to a stack.
enum PublishingResult: Sendable {
    case established
    case collision
    case refused(DiscoveryError)
}

struct PublishedService {
    let type: String
    let port: UInt16
    let txt: [[UInt8]]
}

/// A stack that can publish a hub, and web services beside it. All calls must come from the loop's thread,
/// and none from within avahi's callbacks.
protocol PublishingStack: AnyObject {
    /// Of each web service, and of the hub's own (nil).
    var groups: [WebAnnouncement?: EntryGroup] { get set }
    /// Called from within avahi's callbacks.
    var changed: (PublishingEvent) -> Void { get }
    /// True if it accepts web services.
    var isReady: Bool { get }
    /// Publishes a service in place of the previous one; events report the result.
    func publish(_ announcement: HubAnnouncement, as name: String)
    func note(_ result: PublishingResult, of service: WebAnnouncement?)
    /// Withdraws the services with a goodbye (RFC 6762 § 10.1) and frees everything. A second call does
    /// nothing.
    func close()

    // avahi's functions for groups, of its client or of its core; codes are avahi's.

    /// - Parameter pointer: what ``EntryGroup/changed(_:to:)`` is called with.
    func makeGroup(_ pointer: UnsafeMutableRawPointer) -> OpaquePointer?
    func add(_ service: PublishedService, as name: String, to group: OpaquePointer) -> Int32
    func commit(_ group: OpaquePointer) -> Int32
    func reset(_ group: OpaquePointer)
    func free(_ group: OpaquePointer)
    /// - Parameter code: nil: of the last call.
    func fault(_ code: Int32?) -> DiscoveryError
}

extension PublishingStack {
    /// Publishes a web service, or publishes it again; an event reports the result.
    func publish(_ service: WebAnnouncement, as name: String) {
        let taken = PublishedService(
            type: WebAnnouncement.serviceType, port: service.port, txt: service.txt)
        if isReady { publish(taken, as: name, of: service) }
    }

    func publishHub(_ hub: HubAnnouncement, as name: String) {
        publish(PublishedService(type: hub.serviceType, port: hub.port, txt: hub.txt), as: name, of: nil)
    }

    private func publish(_ service: PublishedService, as name: String, of key: WebAnnouncement?) {
        let group = groups[key] ?? EntryGroup(of: self) { [unowned self] in note($0, of: key) }
        groups[key] = group
        group.publish { add(service, as: name, to: $0) }
    }

    func note(_ result: PublishingResult, of service: WebAnnouncement?) { changed(.service(service, result)) }

    func withdraw(_ service: WebAnnouncement) { groups.removeValue(forKey: service)?.free() }

    func withdrawAll() {
        for group in groups.values { group.free() }
        groups = [:]
    }
}

/// Calls `body` with an avahi list of these strings in their order, which must not be kept.
func withAvahiStrings<Result>(
    _ strings: [[UInt8]], _ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result
) -> Result {
    // avahi prepends to a list and serialises it from its end, so the strings keep their order.
    let list = strings.reduce(nil) { avahi_string_list_add_arbitrary($0, $1, $1.count) }
    defer { avahi_string_list_free(list) }
    return body(list)
}

/// avahi's next alternative if `name` is taken: `Hub #2`, at most 63 bytes; or `hub-2` of a host.
func alternativeName(
    to name: String,
    by next: (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? = { avahi_alternative_service_name($0) }
) -> String {
    guard let pointer = next(name) else { return name }
    defer { avahi_free(pointer) }
    return String(cString: pointer)
}

/// When to try the next name after a conflict: at once, but after 5 seconds from the 15th conflict on (RFC
/// 6762 § 8.1). The threat is a host that claims every name.
struct RenamePolicy: Sendable {
    private(set) var conflicts = 0

    /// Counts a conflict; returns how long to wait.
    mutating func delay() -> Duration {
        conflicts = min(conflicts + 1, 15)
        return conflicts < 15 ? .zero : .seconds(5)
    }
}

/// When to publish a service again that its stack has neither established nor refused.
///
/// avahi probes for about a second (RFC 6762 § 8.1). But if an address disappears meanwhile, avahi 0.8 waits
/// forever for the lost probes and reports no error (avahi issues 7 and 234); only a service that is
/// published again is probed again. The timeout doubles with each attempt: after 15 attempts avahi delays a
/// service by 20 seconds, and every attempt restarts that delay.
struct RegistrationTimeout: Sendable {
    static let longest = Duration.seconds(80)
    private let first: Duration
    private(set) var current: Duration

    init(first: Duration = .seconds(10)) { (self.first, current) = (first, first) }

    /// True if no timeout has passed since the service was last established.
    var isFirst: Bool { current == first }

    mutating func extend() { current = min(current * 2, RegistrationTimeout.longest) }

    mutating func reset() { current = first }
}
