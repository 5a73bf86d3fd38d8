import FoundationEssentials
public import Identity

/// What a browse says, as it happens.
///
/// Nothing in it can be trusted: names, hosts, addresses and TXT records are whatever a host of the network
/// sent. Escape before you print.
public enum Sighting: Hashable, Sendable {
    /// The daemon has taken the question, or the embedded stack has; a busy daemon can take seconds. It comes once. Hints
    /// may come before it.
    case began
    /// The daemon cannot be used, for this reason, and the embedded stack takes its place
    /// (``HubBrowser/Stack/either``). It comes at most once, as a rule before ``began``.
    case withoutDaemon(DiscoveryError)
    /// A service answered with its address. It comes again if the service is announced anew.
    case resolved(ResolvedService)
    /// A service answered a one-shot query (RFC 6762 § 5.1) with its address. Nothing but that one packet says so;
    /// ``resolved(_:)`` of the same instance confirms it. Nobody says ``gone(_:)`` of a hint that was never
    /// confirmed.
    case hinted(ResolvedService)
    /// A host has this address too, as its A or AAAA records on this interface say. Host as in
    /// ``ResolvedService/host``.
    case address(NetworkAddress, host: String, interface: NetworkInterface)
    /// A host no longer has this address.
    case addressGone(NetworkAddress, host: String, interface: NetworkInterface)
    /// A service is announced, but its address did not come. It may still come, as ``resolved(_:)``.
    case unresolved(ServiceInstance, ResolveError)
    /// A service said goodbye or its records ran out (RFC 6762 § 10).
    case gone(ServiceInstance)
    /// The daemon expects no more answers for now, and every resolver has answered or run out of time. It
    /// comes once; what comes after it is news.
    case settled
    /// As many services as are given wait for their address now; it comes with every change from or to 0.
    case pending(Int)
    /// A host answered one question and not another: on this network packets are lost. It comes once.
    case lossy
    /// The daemon went away. What was seen stays; when the daemon is back the browse goes on by itself.
    case interrupted(DiscoveryError)
    /// The daemon is back. What it does not see again within some seconds is ``gone(_:)``.
    case resumed
    /// More services are announced than are followed (``HubBrowser/maximumInstances``); the others are
    /// ignored. It comes once.
    case flooded
}

/// Why the address of an announced service is not there.
public enum ResolveError: Hashable, UserError {
    /// No answer within ``HubBrowser/resolveDeadline``.
    case timedOut
    /// The avahi-daemon's error.
    case avahi(code: Int32, text: String)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .timedOut: "no answer to the question for its address"
        case .avahi(let code, let text): "avahi: \(text) (\(code))"
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { .unavailable }

    /// Nothing: the service may still answer.
    public var hint: String? { nil }
}
