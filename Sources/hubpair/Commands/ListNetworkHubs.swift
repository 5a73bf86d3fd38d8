import Addresses
import Discovery
import Glibc
import HubClient

/// `hubpair list`, as a plain value.
struct ListNetworkHubs: Equatable {
    var watch = false
    var timeout: Duration?
    /// In this way alone.
    var by: SearchWay?
    /// A range of addresses, as it was typed.
    var scan: String?
    var domain: String?
    var types: [String] = []
    var explainsWaits = false
    /// What `--config` names.
    var configurationPath: String?
    var json = false

    func run() async throws {
        var options = SearchHubs.Options()
        options.time = timeout
        options.watches = watch
        options.domain = try domain.map { text throws(ServiceNameError) in try SearchDomain(text) }
        // A domain is asked for its own hubs, wherever this computer is.
        options.usesMDNS = by ?? .mdns == .mdns && domain == nil
        options.explainsWaits = explainsWaits
        options.usesUDP = by ?? .udp == .udp && domain == nil
        if !types.isEmpty { options.types = [] }
        for type in try types.map({ text throws(ServiceNameError) in try ServiceType(text) })
        where !options.types.contains(type) {
            options.types.append(type)
        }
        options.sweep = try scan.map { text throws(SweepRangeError) in try SweepRange(text) }

        let known = try ConfigurationOption.configuration(at: configurationPath).knownHubs()
        let start = ContinuousClock.now
        var output = ListOutput(json: json, watches: watch)
        _ = try await SearchHubs(known: known, options: options).run { event in
            guard case .over(let hubs) = event else { return try output.show(event) }
            if explainsWaits { Console.note("\(milliseconds(since: start)) ms: nothing more is waited for") }
            try output.show(event)
            // The kernel closes what the search has opened, at once. To do it here, thread after thread,
            // takes a fifth of the search where 200 hosts have just answered on a slow machine.
            if !hubs.isEmpty { _exit(0) }
        }
        let place = options.domain.map { "in the domain \($0)" } ?? "on this network"
        Console.report("no hub found \(place)", hint: hint, exit: .nothingFound)
        throw ExitStatus.nothingFound
    }

    private func milliseconds(since start: ContinuousClock.Instant) -> Int {
        Int(start.duration(to: .now) / .milliseconds(1))
    }

    private var hint: String {
        if let domain {
            return "'hubpair hub records --domain \(domain)' on a hub says what its name servers need"
        }
        let question = "is the hub switched on, and on the same network?"
        guard scan == nil, let range = SweepRange(around: LocalNetwork.current()) else {
            return "\(question) 'hubpair list --timeout 5' searches longer"
        }
        return
            "\(question) where multicast does not arrive, 'hubpair list --scan \(range)' tries every address"
    }
}
