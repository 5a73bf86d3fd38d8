public import Addresses
public import Identity

/// An event of a ``HubBrowser``'s search.
///
/// Nothing in it can be trusted: any host on the network can announce any name, host, address and TXT record.
/// Escape before printing.
public enum Sighting: Hashable, Sendable {
    /// The mDNS stack (the daemon or the embedded one) has started to browse; a busy daemon can take seconds
    /// for that. Reported once; hints may come before it.
    case began
    /// The daemon cannot be used, for this reason, and the embedded stack replaces it
    /// (``HubBrowser/Stack/automatic``). Reported at most once, usually before ``began``.
    case withoutDaemon(DiscoveryError)
    /// The daemon has been asked, and has not answered for a second: from now on ``resolved(_:)`` tells what
    /// this process hears itself. Reported at most once; ``began`` may follow.
    case hanging
    /// A service was resolved to an address. Reported again if the service is announced again.
    case resolved(ResolvedService)
    /// A service answered a one-shot query (RFC 6762 § 5.1) with its address. The only evidence is that one
    /// packet, until ``resolved(_:)`` of the same instance confirms it. There is no ``gone(_:)`` for an
    /// unconfirmed hint.
    case hinted(ResolvedService)
    /// The host of this name has answered a one-shot query itself, with some of its services or all: one
    /// message holds about six. `host` is spelled as in ``ResolvedService/host``. Reported once for each.
    case direct(host: String)
    /// An A or AAAA record on this interface gives the host this address. `host` is spelled as in
    /// ``ResolvedService/host``.
    case address(NetworkAddress, host: String, interface: NetworkInterface)
    /// A host no longer has this address.
    case addressGone(NetworkAddress, host: String, interface: NetworkInterface)
    /// A service is announced, but its address was not received. A later ``resolved(_:)`` is possible.
    case unresolved(ServiceInstance, ResolveError)
    /// A service sent a goodbye or its records expired (RFC 6762 § 10).
    case gone(ServiceInstance)
    /// The mDNS stack expects no more answers for now, and every resolver has answered or timed out. Reported
    /// once; later sightings are changes on the network.
    case settled
    /// The number of services whose address has not arrived yet. Reported whenever it changes from or to 0.
    case pending(Int)
    /// Every host that answers one-shot queries has answered all of them within 120 ms: no packet was lost,
    /// and none is late. Reported at most once.
    case prompt
    /// As ``prompt``, within 50 ms, where the stack already knew more services than one message can name:
    /// each of them has answered so. No other is to be expected from the stack's own question. Reported at
    /// most once, before ``prompt``.
    case confirmed
    /// No host has answered the one-shot queries. This machine's own services are not asked for. Reported at
    /// most once, instead of ``prompt``.
    case silent
    /// The host at this address answered one question but not another: this network loses packets. Reported
    /// once.
    case lossy(NetworkAddress)
    /// An answer to a one-shot query took this long: a host, or this machine, is busy, and what is still to
    /// come may be as late. Reported from 50 ms on, and again for each 25 ms more, until it is a second.
    case slow(Duration)
    /// The daemon was lost. Earlier sightings remain valid; the browse continues by itself when the daemon is
    /// back.
    case interrupted(DiscoveryError)
    /// The daemon is back. Services that it does not see again within a few seconds are reported as
    /// ``gone(_:)``.
    case resumed
    /// More services are announced than are followed (``HubBrowser/maximumInstances``); the rest is ignored.
    /// Reported once.
    case flooded
}

/// Why the address of an announced service is missing.
public enum ResolveError: Hashable, UserError {
    /// No answer within ``HubBrowser/resolveDeadline``.
    case timedOut
    /// The name servers have no SRV record for it, or no address of its host.
    case noAddress
    /// A name server's answer is no DNS message, or larger than one may be.
    case unreadable
    /// The name servers refuse to answer.
    case refused
    /// An error of avahi-daemon or of the embedded stack; `code` is avahi's error code (negative), `text` its
    /// meaning.
    case avahi(code: Int32, text: String)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .timedOut: "no answer to the question for its address"
        case .noAddress: "the domain has no address for it"
        case .unreadable: "the name server's answer cannot be read"
        case .refused: "the name servers refuse to answer"
        case .avahi(let code, let text): "avahi: \(text) (\(code))"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .unavailable }

    /// Nil: there is nothing to fix, and the service may still answer.
    public var hint: String? { nil }
}
