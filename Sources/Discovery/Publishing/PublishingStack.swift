import CAvahi

/// An event that an mDNS stack reports about the service that it publishes.
enum PublishingEvent: Sendable {
    /// The stack accepts services, for the first time or again.
    case ready
    /// The stack accepts no services for now: its host name is not established.
    case busy
    /// The service was handed to the stack, and the next event is the result; but see
    /// ``RegistrationTimeout``.
    case registering
    /// The service is on the network.
    case established
    /// The service's name is taken.
    case collision
    /// The stack has given this machine these names, the one for people first.
    case named([String])
    /// The stack is unusable.
    case failed(DiscoveryError)
    /// The service could not be published.
    case refused(DiscoveryError)
    /// The same of a web service beside the hub's.
    case web(WebAnnouncement, WebResult)
}

/// A stack that can publish a hub, and web services beside it. All calls must come from the loop's thread,
/// and none from within avahi's callbacks.
protocol PublishingStack: AnyObject {
    /// Publishes a service in place of the previous one; events report the result.
    func publish(_ announcement: HubAnnouncement, as name: String)
    /// Publishes a web service, or publishes it again; an event reports the result.
    func publish(_ service: WebAnnouncement, as name: String)
    func withdraw(_ service: WebAnnouncement)
    /// Withdraws the services with a goodbye (RFC 6762 § 10.1) and frees everything. A second call does
    /// nothing.
    func close()
}

/// Owns an avahi list of strings in the given order.
struct AvahiTXT: ~Copyable {
    private let list: UnsafeMutablePointer<AvahiStringList>?

    init(_ strings: [[UInt8]]) {
        // avahi prepends to a list and serialises it from its end, so the strings keep their order.
        list = strings.reduce(nil) { avahi_string_list_add_arbitrary($0, $1, $1.count) }
    }

    deinit { avahi_string_list_free(list) }

    /// Calls `body` with the list, which must not be kept.
    borrowing func withList<Result>(_ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result) -> Result {
        body(list)
    }
}

/// avahi's next alternative if `name` is taken: `Hub #2`, at most 63 bytes.
func alternativeName(to name: String) -> String {
    guard let pointer = avahi_alternative_service_name(name) else { return name }
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

    /// Doubles the timeout, after it has passed.
    mutating func extend() { current = min(current * 2, RegistrationTimeout.longest) }

    /// Resets the timeout, after the service was established.
    mutating func reset() { current = first }
}
