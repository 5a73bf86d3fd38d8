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
    var selection = HubSelection()
    /// The search ends once so many hubs are told.
    var limit: Int?
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
        // Who watches a domain wants to know; a list of one would connect all over the world.
        options.connects = domain == nil
        if selection != HubSelection() { options.wanted = { [selection] in selection.fits($0) } }
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
        var told: [AssessedHub] = []
        let found = try await SearchHubs(known: known, options: options).run { event in
            guard let event = selection.of(event) else { return }
            if case .added(let hub) = event { told.append(hub) }
            if let limit, told.count == limit {
                try output.show(event)
                try output.show(.over(told))
                _exit(0)
            }
            guard case .over(let hubs) = event else { return try output.show(event) }
            if explainsWaits {
                Console.note("\(milliseconds(since: start)) ms: nothing more is waited for")
                ListOutput.explain(hubs)
            }
            try output.show(event)
            // The kernel closes what the search has opened, at once. To do it here, thread after thread,
            // takes a fifth of the search where 200 hosts have just answered on a slow machine.
            if !hubs.isEmpty { _exit(0) }
        }
        let place = options.domain.map { "in the domain \($0)" } ?? "on this network"
        let words =
            found.isEmpty ? "no hub found \(place)" : "no hub \(place) is called so or has that id"
        Console.report(words, hint: found.isEmpty ? hint : "'hubpair list' shows all", exit: .nothingFound)
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
