import Addresses
package import Discovery
package import Pairing

/// Finds the hubs on the local network, and compares them with the hubs that this computer knows.
package struct SearchHubs: Sendable {
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

    /// A wait is reported again if its end has moved by this much, or, if it has none, whenever it is for
    /// something else: so often in all.
    private static let shift = Duration.milliseconds(20)
    private static let maximumExplained = 32

    private let known: KnownHubs
    private let options: Options

    package init(known: KnownHubs, options: Options) { (self.known, self.options) = (known, options) }

    /// Searches, and reports events as they happen.
    ///
    /// - Returns: the hubs present at the end, impostors first, then by name.
    package func run(_ report: (SearchState.Event) throws -> Void) async throws -> [AssessedHub] {
        let start = ContinuousClock.now
        let (steps, continuation) = AsyncThrowingStream<SearchState.Step, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(HubBrowser.maximumUnread))
        let inbox = Batch<SearchState.Step>()
        let findings = Findings(start: start, steps: continuation)
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
                case .domain(let domain):
                    let browse = DomainBrowse(
                        domain: domain, types: options.types,
                        rules: HubAddressRules(networks: LocalNetwork.current()), follows: options.watches,
                        number: number)
                    group.addTask {
                        do {
                            try await browse.run { continuation.yield($0) }
                        } catch is CancellationError {
                        } catch {
                            continuation.finish(throwing: error)
                        }
                    }
                }
            }
            if options.usesUDP { group.addTask { await probe(findings) } }
            group.addTask { try await tick(continuation) }
            for task in tries(findings) {
                _ = search.take(.begun, at: .zero)
                group.addTask {
                    await task()
                    continuation.yield(.ended)
                }
            }
            if let range = options.sweep {
                _ = search.take(.swept(done: 0, total: 1), at: .zero)
                group.addTask {
                    try await Sweep(range).run { found, done, total in
                        if let (address, server) = found { findings.note(server, at: address) }
                        continuation.yield(.swept(done: done, total: total))
                    }
                }
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
                    group.addTask { await ask(address, findings) }
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
                            let subject = wait.until == nil ? wait.what : wait.subject
                            let (before, until) = (explained[subject], wait.until ?? .zero)
                            if let before, abs((until - before) / SearchHubs.shift) < 1 { continue }
                            if before == nil, explained.count == SearchHubs.maximumExplained { continue }
                            explained[subject] = until
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

    fileprivate typealias Steps = AsyncThrowingStream<SearchState.Step, any Error>.Continuation

    private var browses: [SearchState.Browse] {
        (options.usesMDNS ? options.types.map { .multicast($0) } : [])
            + (options.domain.map { [.domain($0)] } ?? [])
    }

    private func browse(
        _ type: ServiceType, _ number: Int, _ inbox: Batch<SearchState.Step>, _ steps: Steps
    ) async {
        let browser = HubBrowser(serviceType: type.description, follows: options.watches)
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

    private func probe(_ findings: Findings) async {
        do {
            let prober = options.prober ?? HubProber(hearsNotices: options.watches)
            for try await answer in prober.replies {
                let reply = answer.reply
                findings.prove(
                    reply.pin, at: HubAddress(answer.address, port: reply.port), name: reply.name.description,
                    id: reply.pin.fingerprint, by: .udp)
            }
        } catch {
            if options.usesMDNS || options.sweep != nil || options.domain != nil {
                findings.steps.yield(.probesEnded("\(error); searching without UDP probes"))
            } else {
                findings.steps.finish(throwing: error)
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
    private func tries(_ findings: Findings) -> [@Sendable () async -> Void] {
        let added = known.added.compactMap { hub -> (@Sendable () async -> Void)? in
            guard let address = HubAddress(hub.address) else { return nil }
            return {
                let recognize = try? RecognizeServer(
                    connecting: SearchHubs.keyDeadline, answering: Sweep.answering)
                guard let (address, server) = try? await recognize?.run([address]) else { return }
                findings.note(server, at: address, stockName: hub.name.description)
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
                    // A hub whose key has changed announces itself by the new one.
                    let pin = connection.statement?.new ?? hub.pin
                    findings.prove(
                        pin, at: connection.address, name: hub.name.description, id: pin.fingerprint,
                        by: .scan)
                }
            }
    }

    private func ask(_ address: HubAddress, _ findings: Findings) async {
        guard let connector = try? HubConnector(allowsTLS12: true),
            let connection = try? await connector.connect(
                to: [address], expecting: .any, deadline: SearchHubs.keyDeadline)
        else {
            findings.steps.yield(.noProof(address))
            return
        }
        connection.close()
        findings.prove(connection.pin, at: address, by: nil)
    }

    /// Where the tasks of a search tell whom they have found.
    private struct Findings: Sendable {
        let start: ContinuousClock.Instant
        let steps: Steps

        func prove(
            _ pin: Pin, at place: HubAddress, name: String = "", id: Fingerprint? = nil,
            by source: DiscoveredHub.Source?
        ) {
            guard case .address(let address) = place.host else { return }
            let proof = HubProof(
                address: address, port: place.port, pin: pin, name: name, id: id, source: source,
                isHandshake: source != .udp, time: start.duration(to: .now))
            steps.yield(.sighting(.proven(proof)))
        }

        /// - Parameter stockName: the name to use for a stock hub, which does not report one.
        func note(
            _ server: RecognizedServer, at place: HubAddress, stockName: String = RecognizedServer.stockName
        ) {
            switch server {
            case .hubpair(let name, let id, let pin):
                prove(pin, at: place, name: name.description, id: id, by: .scan)
            case .stock(let pin):
                steps.yield(.unprotected(place))
                prove(pin, at: place, name: stockName, by: .scan)
            case .other: break
            }
        }
    }
}
