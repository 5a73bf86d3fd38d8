import Addresses
package import Discovery
package import Pairing

/// Finds the hubs on the local network, and compares them with the hubs that this computer knows.
package struct SearchHubs: Sendable {
    /// How to search.
    package struct Options: Sendable {
        /// The duration of the search; nil: until the network is quiet (``EndRule``).
        package var time: Duration?
        /// True to search forever (or for `time`) and report every change.
        package var watches = false
        package var usesMDNS = true
        package var usesUDP = true
        /// Sends the UDP probes, and counts what becomes of them; nil: one of the search's own.
        package var prober: HubProber?
        /// The service types that are looked for, over multicast DNS or in ``domain``.
        package var types = [ServiceType.hestia]
        /// Asks the name servers of this domain.
        package var domain: SearchDomain?
        /// Also tries every address of this range.
        package var sweep: SweepRange?
        /// What is looked for: until there is one, the search has found nothing. Nil: every hub.
        package var wanted: (@Sendable (DiscoveredHub) -> Bool)?
        /// Connects to each hub, and says in its row whether it answers.
        package var connects = false
        /// Reports what the search waits for (``SearchState/Event/wait(_:)``).
        package var explainsWaits = false

        package init() {}
    }

    /// The interval of checks.
    private static let interval = Duration.milliseconds(10)
    /// How long sightings pile up before the search looks at them.
    private static let gathering = Duration.milliseconds(2)
    /// If nothing has been looked at for this much longer than the interval of checks, the process could not
    /// run. A timer on an idle machine is late by a millisecond; the times of ``EndRule`` begin at 50 ms.
    private static let stall = Duration.milliseconds(30)
    /// The maximum time for a hub to present its key.
    private static let keyDeadline = Duration.milliseconds(750)
    /// The maximum time for a connection: a lost packet is sent again after a second, and a telephone that
    /// sleeps takes half of that.
    private static let reachDeadline = Duration.seconds(1)

    /// A wait is reported again if its end has moved by this much.
    private static let shift = Duration.milliseconds(20)

    private let browser: HubBrowser
    private let known: KnownHubs
    private let options: Options

    package init(browser: HubBrowser = HubBrowser(through: .automatic), known: KnownHubs, options: Options) {
        self.browser = browser
        self.known = known
        self.options = options
    }

    /// Searches, and reports events as they happen.
    ///
    /// - Returns: the hubs present at the end, impostors first, then by name.
    package func run(_ report: (SearchState.Event) throws -> Void) async throws -> [AssessedHub] {
        let start = ContinuousClock.now
        let (steps, continuation) = AsyncThrowingStream<SearchState.Step, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(HubBrowser.maximumUnread))
        let inbox = StepInbox()
        let browses = browses
        var search = SearchState(
            known: known.hubs, networks: LocalNetwork.current(), browses: browses,
            isProbing: options.usesUDP, watches: options.watches,
            connects: options.connects || options.watches, wanted: options.wanted)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for (number, browse) in browses.enumerated() {
                switch browse {
                case .multicast(let type):
                    group.addTask { await self.browse(type, number, inbox, continuation) }
                case .domain(let domain): group.addTask { await self.browse(domain, number, continuation) }
                }
            }
            if options.usesUDP { group.addTask { await probe(since: start, continuation) } }
            group.addTask { try await tick(continuation) }
            for task in tries(since: start, continuation) {
                _ = search.take(.begun, at: .zero)
                group.addTask {
                    await task()
                    continuation.yield(.ended)
                }
            }
            if let range = options.sweep {
                _ = search.take(.swept(done: 0, total: 1), at: .zero)
                group.addTask { try await sweep(range, since: start, continuation) }
            }
            var explained: [String: Duration] = [:]
            var (lastLook, nextLook) = (Duration.zero, Duration.zero)
            steps: for try await step in steps {
                let now = start.duration(to: .now)
                let pause = now - lastLook - SearchHubs.interval
                lastLook = now
                // Before the step itself: it may decide that the search is over.
                let stall: [SearchState.Step] = pause >= SearchHubs.stall ? [.stalled(pause)] : []
                var hasNews = false
                for event in (stall + inbox.take() + [step]).flatMap({ search.take($0, at: now) }) {
                    try report(event)
                    if case .table = event { hasNews = true }
                }
                for address in search.takeQuestions() {
                    group.addTask { await ask(address, since: start, continuation) }
                }
                for address in search.takeTrials(at: now) {
                    group.addTask {
                        let isOpen = await address.isOpen(within: SearchHubs.reachDeadline)
                        if !Task.isCancelled { continuation.yield(.reached(address, isOpen: isOpen)) }
                    }
                }
                if case .tick = step {
                    hasNews = true
                    if options.explainsWaits {
                        for wait in search.waits(at: now) {
                            let (before, until) = (explained[wait.subject], wait.until ?? .zero)
                            if let before, abs((until - before) / SearchHubs.shift) < 1 { continue }
                            explained[wait.subject] = until
                            try report(.wait(wait, at: now))
                        }
                    }
                    if let time = options.time {
                        if now >= time { break steps }
                    } else if !options.watches, search.isOver(at: now) {
                        break steps
                    }
                }
                // A row, and the end, are not a tick late. A flood of steps does not ask for that each time.
                guard hasNews || search.isStale && nextLook <= now else { continue }
                let end = options.watches || options.time != nil ? nil : search.quietTime(at: now)
                let next = [search.nextReport, end].compactMap { $0 }.filter { $0 > now }.min()
                if let next, next - now < SearchHubs.interval, nextLook <= now || next < nextLook {
                    nextLook = next
                    group.addTask {
                        try await Task.sleep(for: next - now)
                        continuation.yield(.tick)
                    }
                }
            }
            for event in search.finish(at: start.duration(to: .now)) { try report(event) }
            try report(.over(search.table))
        }
        return search.table
    }

    private typealias Steps = AsyncThrowingStream<SearchState.Step, any Error>.Continuation

    private var browses: [SearchState.Browse] {
        (options.usesMDNS ? options.types.map { .multicast($0) } : [])
            + (options.domain.map { [.domain($0)] } ?? [])
    }

    private func browse(_ domain: SearchDomain, _ number: Int, _ steps: Steps) async {
        let rules = HubAddressRules(networks: LocalNetwork.current())
        let browse = DomainBrowse(
            domain: domain, types: options.types, rules: rules, follows: options.watches)
        do {
            try await browse.run { event in
                switch event {
                case .sighting(let sighting): steps.yield(.sighting(sighting, browse: number))
                case .incomplete(let words): steps.yield(.note(words))
                }
            }
        } catch is CancellationError {
        } catch {
            steps.finish(throwing: error)
        }
    }

    private func browse(
        _ type: ServiceType, _ number: Int, _ inbox: StepInbox, _ steps: Steps
    ) async {
        var browser = browser
        browser.serviceType = type.description
        browser.follows = options.watches
        do {
            try await browser.sightings.deliver { sighting in
                // It may be the last thing that was waited for.
                let isAwaited =
                    if case .quiet(let source) = sighting {
                        source.isPrompt || source.isConfirmed || source.isSilent
                    } else { false }
                let addition = inbox.add(.sighting(sighting, browse: number))
                if isAwaited {
                    steps.yield(.tick)
                } else if addition == .first {
                    Task {
                        try await Task.sleep(for: SearchHubs.gathering)
                        steps.yield(.tick)
                    }
                }
                return addition != .refused
            }
        } catch {
            // What it has brought is looked at first.
            steps.yield(.tick)
            // mDNS is the only enabled search method.
            if options.sweep == nil, !options.usesUDP, options.domain == nil {
                steps.finish(throwing: error)
            } else {
                steps.yield(.browseEnded("\(error); searching without multicast DNS", browse: number))
            }
        }
    }

    private func probe(since start: ContinuousClock.Instant, _ steps: Steps) async {
        do {
            let prober = options.prober ?? HubProber(hearsNotices: options.watches)
            for try await answer in prober.replies {
                let reply = answer.reply
                steps.yield(
                    .proven(
                        HubProof(
                            address: answer.address, port: reply.port, pin: reply.pin,
                            name: reply.name.description, id: reply.pin.fingerprint, source: .udp,
                            isHandshake: false, time: start.duration(to: .now))))
            }
        } catch {
            if options.usesMDNS || options.sweep != nil || options.domain != nil {
                steps.yield(.probesEnded("\(error); searching without UDP probes"))
            } else {
                steps.finish(throwing: error)
            }
        }
    }

    private func tick(_ steps: Steps) async throws {
        while !Task.isCancelled {
            try await Task.sleep(for: SearchHubs.interval)
            steps.yield(.tick)
        }
    }

    /// Tasks that try the last addresses of paired hubs, with one handshake each, and the addresses of added
    /// hubs.
    private func tries(
        since start: ContinuousClock.Instant, _ steps: Steps
    ) -> [@Sendable () async -> Void] {
        let added = known.added.compactMap { hub -> (@Sendable () async -> Void)? in
            guard let address = HubAddress(hub.address) else { return nil }
            return {
                guard
                    let (address, server) = try? await RecognizeServer(
                        connecting: SearchHubs.keyDeadline, answering: Sweep.answering
                    ).run([address]),
                    let proof = server.proof(
                        at: address, source: .scan, time: start.duration(to: .now),
                        stockName: hub.name.description)
                else { return }
                if case .stock = server { steps.yield(.unprotected(address)) }
                steps.yield(.proven(proof))
            }
        }
        return added
            + known.hubs.compactMap { hub in
                guard let address = hub.address.flatMap({ HubAddress($0) }) else { return nil }
                return {
                    guard let connector = try? HubConnector(),
                        let connection = try? await connector.connect(
                            to: [address], expecting: .pin(hub.pin), deadline: SearchHubs.keyDeadline)
                    else { return }
                    connection.close()
                    guard case .address(let host) = connection.address.host else { return }
                    // A hub whose key has changed announces itself by the new one.
                    let pin = connection.statement?.new ?? hub.pin
                    steps.yield(
                        .proven(
                            HubProof(
                                address: host, port: address.port, pin: pin, name: hub.name.description,
                                id: pin.fingerprint, source: .scan, isHandshake: true,
                                time: start.duration(to: .now))))
                }
            }
    }

    private func ask(_ address: HubAddress, since start: ContinuousClock.Instant, _ steps: Steps) async {
        guard case .address(let host) = address.host, let connector = try? HubConnector(allowsTLS12: true),
            let connection = try? await connector.connect(
                to: [address], expecting: .any, deadline: SearchHubs.keyDeadline)
        else {
            steps.yield(.noProof(address))
            return
        }
        connection.close()
        steps.yield(
            .proven(
                HubProof(
                    address: host, port: address.port, pin: connection.pin, name: "", id: nil, source: nil,
                    isHandshake: true, time: start.duration(to: .now))))
    }

    private func sweep(
        _ range: SweepRange, since start: ContinuousClock.Instant, _ steps: Steps
    ) async throws {
        try await Sweep(range).run { found, done, total in
            let time = start.duration(to: .now)
            if let (address, server) = found, let proof = server.proof(at: address, source: .scan, time: time)
            {
                if case .stock = server { steps.yield(.unprotected(address)) }
                steps.yield(.proven(proof))
            }
            steps.yield(.swept(done: done, total: total))
        }
    }
}
