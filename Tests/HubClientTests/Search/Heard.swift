import Addresses
import Discovery

@testable import HubClient

/// What a source says, in a word: of the network, or of itself.
enum Heard {
    case resolved(ResolvedService), hinted(ResolvedService), direct(ResolvedService)
    case gone(ServiceInstance)
    case address(NetworkAddress, host: String, interface: NetworkInterface)
    case addressGone(NetworkAddress, host: String, interface: NetworkInterface)
    case began, withoutDaemon, hanging, settled, prompt, confirmed, silent, resumed
    case pending(Int)
    case lossy(NetworkAddress)
    case slow(Duration)
    case interrupted(DiscoveryError)

    /// - Parameter source: what the source has said of itself before.
    fileprivate func sighting(after source: SourceProgress) -> Sighting {
        var source = source
        switch self {
        case .resolved(let service): return .found(service, by: .announced)
        case .hinted(let service): return .found(service, by: .heard)
        case .direct(let service): return .found(service, by: .direct)
        case .gone(let instance): return .gone(.service(instance))
        case .address(let address, let host, let interface):
            return .changed(address, host: host, interface: interface)
        case .addressGone(let address, let host, let interface):
            return .gone(.address(address, host: host, interface: interface))
        case .began: source.hasBegun = true
        case .withoutDaemon: source.withoutDaemon = .noDaemon
        case .hanging: source.isHanging = true
        case .settled: source.hasSettled = true
        case .prompt: source.isPrompt = true
        case .confirmed: source.isConfirmed = true
        case .silent: source.isSilent = true
        case .resumed: source.interruption = nil
        case .pending(let count): source.pendingCount = count
        case .lossy(let host): source.lose(host)
        case .slow(let time): source.slowest = time
        case .interrupted(let error): source.interrupt(error)
        }
        return .quiet(source)
    }
}

extension SearchState {
    mutating func hear(_ heard: Heard, at time: Duration) -> [Event] {
        take(.sighting(heard.sighting(after: browses.first?.source ?? SourceProgress())), at: time)
    }
}

extension SearchState.Step {
    /// A proof of a key, which belongs to no browse.
    static func proven(_ proof: HubProof) -> SearchState.Step { .sighting(.proven(proof)) }
}
