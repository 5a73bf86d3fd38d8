public import Addresses
public import Identity

/// An event of a ``HubBrowser``'s search.
///
/// Nothing in it can be trusted: any host on the network can announce any name, host, address and TXT record.
/// Escape before printing.
public enum Sighting: Hashable, Sendable {
    /// How certain it is that a service is there.
    public enum Evidence: Hashable, Sendable {
        /// It is announced: the stack has resolved it, or, where there is none, its host has told it.
        case announced
        /// One packet has told it, until ``announced`` confirms it; nothing says when it is gone.
        case heard
        /// The same, and its host has answered a one-shot query (RFC 6762 § 5.1) itself, with some of its
        /// services or all: one message holds about six.
        case direct
    }

    /// What is no longer there.
    public enum Gone: Hashable, Sendable {
        /// A service sent a goodbye or its records expired (RFC 6762 § 10).
        case service(ServiceInstance)
        /// A host no longer has this address.
        case address(NetworkAddress, host: String, interface: NetworkInterface)
    }

    /// A service with its address. Reported again if the service is announced again.
    case found(ResolvedService, by: Evidence)
    /// An A or AAAA record on this interface gives the host this address. `host` is spelled as in
    /// ``ResolvedService/host``.
    case changed(NetworkAddress, host: String, interface: NetworkInterface)
    /// A service, or a host's address, is gone.
    case gone(Gone)
    /// A server has proven its key.
    case proven(HubProof)
    /// How far this source is: what it still waits for, and what it knows of the network.
    case quiet(SourceProgress)
}

/// How far one source of a search is: whether more can come, and what says so.
public struct SourceProgress: Hashable, Sendable {
    /// A service that is announced, and whose address was not received.
    public struct Unresolved: Hashable, Sendable {
        /// A later ``Sighting/found(_:by:)`` is possible.
        public let instance: ServiceInstance
        /// Why.
        public let error: ResolveError

        package init(_ instance: ServiceInstance, _ error: ResolveError) {
            (self.instance, self.error) = (instance, error)
        }
    }

    /// It has started to browse; a busy daemon can take seconds for that.
    public package(set) var hasBegun = false
    /// The daemon cannot be used, for this reason, and this process takes its place
    /// (``HubBrowser/Stack/automatic``).
    public package(set) var withoutDaemon: DiscoveryError?
    /// The daemon has been asked, and has not answered for a second: from then on this process tells what it
    /// hears itself.
    public package(set) var isHanging = false
    /// The daemon was lost. What was found remains valid; the browse continues by itself when the daemon is
    /// back. Services that it does not see again within a few seconds are gone.
    public package(set) var interruption: DiscoveryError?
    /// How many services have no address yet.
    public package(set) var pendingCount = 0
    /// The last one whose address did not come.
    public package(set) var unresolved: Unresolved?
    /// No more answers are expected for now, and every question for an address is answered or has timed out:
    /// later sightings are changes on the network.
    public package(set) var hasSettled = false
    /// Every host that answers one-shot queries has answered all of them within 120 ms: no packet was lost,
    /// and none is late.
    public package(set) var isPrompt = false
    /// The same within 50 ms, where the stack already knew more services than one message can name: each of
    /// them has answered so. No other is to be expected from the stack's own question.
    public package(set) var isConfirmed = false
    /// No host has answered the one-shot queries. This machine's own services are not asked for.
    public package(set) var isSilent = false
    /// The host at this address answered one question but not another: this network loses packets.
    public package(set) var lossyHost: NetworkAddress?
    /// How long the slowest answer took, from 50 ms on: a host, or this machine, is busy.
    public package(set) var slowest = Duration.zero
    /// More services are announced than are followed (``HubBrowser/maximumInstances``): if
    /// ``HubBrowser/follows``, the oldest give way; else the rest is ignored.
    public package(set) var isFlooded = false

    package init() {}

    /// Packets get lost: what was prompt was not all.
    package mutating func lose(_ host: NetworkAddress) {
        lossyHost = host
        (isPrompt, isConfirmed) = (false, false)
    }

    package mutating func interrupt(_ error: DiscoveryError) {
        (interruption, pendingCount) = (error, 0)
        (isPrompt, isConfirmed, isSilent) = (false, false, false)
    }
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
    /// An error of avahi-daemon; `code` is avahi's error code (negative), `text` its
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
