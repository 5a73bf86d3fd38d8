import CAvahi

/// What an mDNS stack tells of a service that it publishes.
enum PublishingEvent: Sendable {
    /// The stack takes services, for the first time or again.
    case ready
    /// The stack takes none for now: its host name is being settled.
    case busy
    /// The service is handed to the stack now. What becomes of it, the next event tells; but see ``RegistrationTimeout``.
    case registering
    /// The service is on the network.
    case established
    /// Another one has the service's name.
    case collision
    /// The stack is of no use any more.
    case failed(DiscoveryError)
    /// The service could not be published.
    case refused(DiscoveryError)
}

/// A stack that can publish one service. All calls belong on the loop's thread, none into avahi's callbacks.
protocol PublishingStack: AnyObject {
    /// Publishes, in place of what was published before. What becomes of it, the events tell.
    func publish(_ announcement: HubAnnouncement, as name: String)
    /// Takes the service back with a goodbye (RFC 6762 § 10.1) and frees everything; a second call does nothing.
    func close()
}

/// Owns an avahi list of strings, in their order.
struct AvahiTXT: ~Copyable {
    private let list: UnsafeMutablePointer<AvahiStringList>?

    init(_ strings: [[UInt8]]) {
        // A list grows at its head, and is written to the wire from its end.
        list = strings.reduce(nil) { avahi_string_list_add_arbitrary($0, $1, $1.count) }
    }

    deinit { avahi_string_list_free(list) }

    /// Lends the list, which must not be kept.
    borrowing func withList<Result>(_ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result) -> Result {
        body(list)
    }
}

/// The name that the field's programs take instead of `name`, if that is taken: `Hub #2`, at most 63 bytes.
func alternativeName(to name: String) -> String {
    guard let pointer = avahi_alternative_service_name(name) else { return name }
    defer { avahi_free(pointer) }
    return String(cString: pointer)
}

/// When to try the next name (RFC 6762 § 8.1): at once, but from the 15th conflict on every 5 seconds. The threat is
/// a host that claims every name.
struct RenamePolicy: Sendable {
    private(set) var conflicts = 0

    /// How long to wait after one more conflict.
    mutating func delay() -> Duration {
        conflicts = min(conflicts + 1, 15)
        return conflicts < 15 ? .zero : .seconds(5)
    }
}

/// When a service is published anew that its stack has neither established nor refused.
///
/// avahi probes for about a second (RFC 6762 § 8.1). But if an address goes while it does so, avahi 0.8 goes on waiting
/// for the probes that went with it, for ever and without a word (its issues 7 and 234): only what is published anew is
/// probed anew. It waits twice as long every time, since avahi by itself holds a service back for 20 seconds after 15
/// attempts, and each attempt begins that time again.
struct RegistrationTimeout: Sendable {
    static let longest = Duration.seconds(80)
    private let first: Duration
    private(set) var current: Duration

    init(first: Duration = .seconds(10)) { (self.first, current) = (first, first) }

    /// True as long as none has passed since the service was last established.
    var isFirst: Bool { current == first }

    /// This time has passed.
    mutating func extend() { current = min(current * 2, RegistrationTimeout.longest) }

    /// The service is established.
    mutating func reset() { current = first }
}
