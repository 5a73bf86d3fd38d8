/// One browse of one service type: a stack, what is known of its services, and the one-shot query beside it.
///
/// Lifetime: the stack's events and the query's output get to this actor unretained. So from `open` to
/// `close` the actor holds itself, and `close` runs on the loop's thread: after it has closed the stack no
/// event can come. After `open`, the caller must see to it that `close` is called.
actor BrowseSession: SearchSession {
    private typealias Timer = Task<Void, Never>
    private enum State { case new, open(BrowseSession), closed }

    let loop: EventLoopThread
    private let browser: HubBrowser
    /// False: what the query hears and asks for is enough.
    private var usesDaemon: Bool
    private let output: SearchResults<Sighting>.Output
    private let ended: SearchResults<Sighting>.Ended

    private var state = State.new
    private var isClosing = false
    private var isReconnecting = false
    /// Until the next attempt to reach a daemon that was lost.
    private var pause = BrowseSession.firstPause
    private var daemon: DaemonThread?
    /// What the daemon's thread has said, by the number of the connection.
    private let events = Batch<(connection: Int, event: BrowsingEvent)>()
    private var connection = 0
    private var hasBegun = false
    /// Wait for the daemon, for the next attempt to reach it, and for the times without one.
    private var (expectation, attempt, repetition): (Timer?, Timer?, Timer?)
    private var book: BrowseBook
    private var addresses = HostAddresses()
    private var deadlines: Task<Void, Never>?
    private var query: OneShotQuery?
    private var questions: Task<Void, Never>?
    /// Asks for what the services that were heard of lack.
    private var pursuit: Task<Void, Never>?
    /// All that the stack knew before it asked is announced.
    private var isCacheRead = false
    private var isGraceOver = false
    private var begun: ContinuousClock.Instant?
    /// When the question for multicast answers has been answered.
    private var multicastAnswers: ContinuousClock.Instant?
    /// That question is left to the stack.
    private var isLeftToStack = false
    /// The hosts that were reported as direct.
    private var directHosts: Set<String> = []
    private var progress: SourceProgress {
        get { book.progress }
        set {
            book.progress = newValue
            carryOut()
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var isOpen: Bool { if case .open = state { !isClosing } else { false } }

    init(
        _ browser: HubBrowser,
        output: @escaping SearchResults<Sighting>.Output, ended: @escaping SearchResults<Sighting>.Ended
    ) throws(DiscoveryError) {
        loop = try EventLoopThread()
        self.browser = browser
        usesDaemon = browser.stack != .embedded
        self.output = output
        self.ended = ended
        book = BrowseBook(
            follows: browser.follows, patience: browser.resolveDeadline,
            maximumQuestions: DaemonBrowsing.maximumQuestions, awaitsHints: browser.asksOnce)
    }

    func open() {
        guard case .new = state else { return }
        state = .open(self)
        // Before the stack is asked: the answers arrive while the bus is still being talked to.
        if browser.asksOnce { askOnce() }
        connect()
    }

    /// Never from within an event: avahi goes on using its objects after the callback returns.
    func close(_ error: DiscoveryError?) {
        if case .closed = state { return }
        state = .closed
        for task in [deadlines, questions, pursuit, expectation, attempt, repetition] { task?.cancel() }
        query?.close()
        query = nil
        disconnect()
        ended(error)
    }

    private func connect() {
        hasBegun = false
        guard usesDaemon else {
            begin()
            return standAlone()
        }
        connection += 1
        let (number, events) = (connection, events)
        do throws(DiscoveryError) {
            daemon = try DaemonThread(
                serviceType: browser.serviceType, follows: browser.follows
            ) { [weak self] event in
                guard events.add((number, event)) == .first, let self else { return }
                Task { await self.takeEvents() }
            }
            daemon?.post { $0.start() }
            expectDaemon()
        } catch {
            failToConnect(error)
        }
    }

    private func takeEvents() {
        let batch = events.take()
        if batch.count >= HubBrowser.maximumUnread { closeLater(.overrun) }
        for (number, event) in batch where number == connection && daemon != nil { take(event) }
    }

    private func disconnect() {
        daemon?.post { $0.stack = nil }
        daemon = nil
    }

    private func begin() {
        hasBegun = true
        expectation?.cancel()
        if isReconnecting {
            Task { await resume() }
        } else {
            begun = .now
            progress.hasBegun = true
        }
    }

    private func take(_ event: BrowsingEvent) {
        let now = ContinuousClock.now
        switch event {
        case .began: begin()
        case .unavailable(let error): failToConnect(error)
        case .announced(let instance, let domain): book.announce(instance, domain: domain, at: now)
        case .gone(let instance): book.remove(instance, at: now)
        case .cacheRead:
            isCacheRead = true
            if isGraceOver { askForMulticast() }
        case .allForNow: book.allForNow()
        case .resolved(let service): book.answer(service, at: now)
        case .unresolved(let instance, let error): book.fail(instance, error, at: now)
        case .address(let address, let host): addresses.add(address, of: host).map(send)
        case .unwatched(let host): addresses.forget(host)
        case .addressGone(let address, let host): addresses.remove(address, of: host).map(send)
        case .lost(let error): reconnectLater(error)
        case .failed(let error): if fallsBack(error) { reconnectLater(error) } else { closeLater(error) }
        }
        carryOut()
    }

    /// Does what the book says. It may be called again from within, by an event.
    private func carryOut() {
        while let step = book.nextStep() {
            switch step {
            case .say(let sighting): send(sighting)
            case .ask(let instance, let domain): daemon?.post { $0.stack?.ask(instance, domain: domain) }
            case .free(let instance): daemon?.post { $0.stack?.free(instance) }
            }
        }
        if deadlines == nil, book.nextDeadline != nil { deadlines = Task { await watchDeadlines() } }
    }

    private func watchDeadlines() async {
        while let next = book.nextDeadline {
            do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
            book.expire(at: .now)
            carryOut()
        }
        deadlines = nil
    }

    private func send(_ sighting: Sighting) {
        if !output(sighting) { closeLater(.overrun) }
    }

    private func closeLater(_ error: DiscoveryError) {
        guard !isClosing else { return }
        isClosing = true
        Task { close(error) }
    }
}

// Without a daemon, this process takes its place where the browser allows it.
extension BrowseSession {
    /// A daemon that has not taken the question by then hangs, or is busy for as long: what this process
    /// hears itself counts from then on. An idle one takes it within 10 ms, one on a machine with twenty busy
    /// processes within 300.
    private static let patience = Duration.seconds(1)

    /// True if another way is used from the next connection on; false if this error has none.
    private func fallsBack(_ error: DiscoveryError) -> Bool {
        guard browser.stack == .automatic, error.isWithoutDaemon, usesDaemon else { return false }
        usesDaemon = false
        progress.withoutDaemon = error
        return true
    }

    private func expectDaemon() {
        let number = connection
        expectation?.cancel()
        expectation = Task {
            try? await Task.sleep(for: BrowseSession.patience)
            guard isOpen, connection == number, daemon != nil, !hasBegun, browser.stack == .automatic else {
                return
            }
            if browser.follows {
                failToConnect(.daemonHangs)
            } else {
                // It may still come to itself.
                progress.isHanging = true
                standAlone()
            }
        }
    }

    /// What hosts say counts, without a stack that confirms it. The question is asked again as a stack does
    /// it (RFC 6762 § 5.2), as long as the search lasts.
    private func standAlone() {
        if query == nil { askOnce() }
        if !usesDaemon {
            query?.includeOwn()
            if browser.follows {
                query?.follow()
                multicastAnswers = .now + BrowseSession.answerTime
                pursue()
            }
        }
        book.standAlone(at: .now)
        carryOut()
        isCacheRead = true
        if isGraceOver { askForMulticast() }
        repetition = Task {
            try? await Task.sleep(for: BrowseSession.stackAnswerTime)
            book.allForNow()
            carryOut()
            var pause = Duration.seconds(1)
            while isOpen {
                do { try await Task.sleep(for: pause) } catch { return }
                query?.askForMulticast()
                pause = min(pause * 2, BrowseSession.longestPause)
            }
        }
    }
}

// A stack that has lost its daemon is of no use any more: a new one takes its place.
extension BrowseSession {
    /// How long a new daemon has to see again what the old one saw: past the repetition of its first
    /// question, one second later (RFC 6762 § 5.2), and the one after that, two seconds later.
    private static let timeToSeeAgain = Duration.milliseconds(3_500)
    private static let firstPause = Duration.milliseconds(50)

    private func reconnectLater(_ error: DiscoveryError) {
        guard isOpen, !isReconnecting else { return }
        isReconnecting = true
        Task { reconnect(error) }
    }

    private func reconnect(_ error: DiscoveryError) {
        guard isOpen else { return }
        disconnect()
        book.interrupt(error)
        addresses.interrupt()
        carryOut()
        pause = BrowseSession.firstPause
        connect()
    }

    private func failToConnect(_ error: DiscoveryError) {
        guard isOpen else { return }
        disconnect()
        if fallsBack(error) { return connect() }
        switch error {
        case .noBus, .noDaemon, .daemonLost, .daemonHangs:
            guard isReconnecting else { return close(error) }
            let time = pause
            pause = min(pause * 2, .seconds(1))
            attempt = Task {
                try? await Task.sleep(for: time)
                if isOpen { connect() }
            }
        default: close(error)
        }
    }

    private func resume() async {
        isReconnecting = false
        guard isOpen else { return }
        progress.interruption = nil
        try? await Task.sleep(for: BrowseSession.timeToSeeAgain)
        guard isOpen, !isReconnecting else { return }
        book.removeStale(at: .now)
        carryOut()
        addresses.removeStale().forEach(send)
    }
}

// The one-shot query beside the browse: what it hints at is said at once, and needs no resolver when the
// browse confirms it.
extension BrowseSession {
    /// Resolvers wait this long for hints: each costs a round trip over the bus and the daemon's time, and a
    /// responder that answers a one-shot query does so within a few milliseconds. Where only a few hubs wait,
    /// it is over sooner: once answers have come, and then none for a quarter of it.
    ///
    /// If somebody has answered, the second question follows, and only after it the one for multicast
    /// answers: with 200 hubs those keep every host busy for a second or two, and an answer that is late then
    /// looks like one that is lost. That one waits for what the stack knows, at most until
    /// ``OneShotQuery/insistence``.
    private static let grace = Duration.milliseconds(20)
    /// When all may have answered twice: before the stack asks, which collects its questions for 100 ms.
    private static let confirmation = Duration.milliseconds(90)
    /// From the question for multicast answers on: 120 ms (RFC 6762 § 6), and what an answer needs to get
    /// here.
    private static let answerTime = Duration.milliseconds(170)
    /// The same from the beginning, if it is left to the stack, which collects its questions for 100 ms.
    private static let stackAnswerTime = Duration.milliseconds(240)
    /// Without a stack the question for multicast answers is asked again after a second, and then each time
    /// after twice as long, up to this (RFC 6762 § 5.2).
    private static let longestPause = Duration.seconds(3_600)
    /// From the beginning: a second, and the time for answers (RFC 6762 § 5.2, § 6).
    private static let hearing = Duration.milliseconds(1_400)
    /// A slow answer is reported if it is this much slower than the one before.
    private static let slowStep = Duration.milliseconds(25)

    private func askOnce() {
        query = OneShotQuery(
            serviceType: browser.serviceType, on: loop, report: callback { $0.take($1) })
        query?.ask()
        questions = Task { await askAgain() }
    }

    private func askAgain() async {
        do {
            let beginning = ContinuousClock.now
            try await awaitDirectAnswers(until: beginning + BrowseSession.grace)
            let isAnswered = query?.isSilent == false
            if isAnswered { query?.ask(isLast: true) }
            // After it: with 200 hubs the questions to the stack take longer than the grace itself.
            book.hintsAreIn(at: .now)
            carryOut()
            isGraceOver = true
            if isCacheRead { askForMulticast() }
            try await Task.sleep(until: beginning + OneShotQuery.insistence)
            askForMulticast()
            if query?.isSilent == true { query?.ask() }
            try await Task.sleep(until: beginning + BrowseSession.confirmation)
            tellIfConfirmed()
            try await Task.sleep(until: beginning + OneShotQuery.repetition)
            if !isAnswered { query?.ask(isLast: true) }
            tellIfConfirmed()
            // No earlier, even if the last question was: until here a host can show that it is slow.
            try await Task.sleep(for: AnswerRounds.promptness)
            query?.readAnswers()
            if query?.answers.doubt(at: .now) == nil, let host = query?.answers.missing {
                progress.lose(host)
                return try await stopHearing()
            }
            tellIfConfirmed()
            if let multicastAnswers { try await Task.sleep(until: multicastAnswers) }
            query?.readAnswers()
            // Slower hosts multicast later, too.
            if let slowest = query?.answers.slowest, slowest > AnswerRounds.promptness,
                slowest <= AnswerRounds.usualTime
            {
                try await Task.sleep(for: slowest)
                query?.readAnswers()
            }
            if query?.answers.isPrompt(within: AnswerRounds.usualTime, at: .now) == true {
                progress.isPrompt = true
            }
            if query?.isSilent == true { progress.isSilent = true }
            while let doubt = query?.answers.doubt(at: .now) {
                try await Task.sleep(for: doubt)
                query?.readAnswers()
            }
            if let host = query?.answers.missing { progress.lose(host) }
            try await stopHearing()
        } catch {}  // closed
    }

    /// Until `end`, or sooner where few hubs wait: once answers have come, and then none for a while.
    private func awaitDirectAnswers(until end: ContinuousClock.Instant) async throws {
        let pause = BrowseSession.grace / 4
        repeat {
            try await Task.sleep(for: pause)
            query?.readAnswers()
            if query?.answers.isQuiet(for: pause, at: .now) == true, !book.awaitsMany { return }
        } while .now < end
    }

    /// Tells once that the stack's own question need not be waited for: it is left to the stack, and each
    /// service that the stack knows, more than one message holds, has answered directly and at once. With 200
    /// hubs that question is eight packets of known answers, which keep every host busy for a quarter of a
    /// second, this one too.
    ///
    /// What is missed then is a hub that answers no direct question, or late, where so many others do at
    /// once, and that the stack has not heard: neither its announcement (RFC 6762 § 8.3) nor an answer to
    /// anybody.
    private func tellIfConfirmed() {
        guard !progress.isConfirmed, isLeftToStack, isCacheRead, let query else { return }
        query.readAnswers()
        progress.isConfirmed =
            query.answers.isPrompt(at: .now) && book.knowsAllHints && query.hasAnswered(book.knownNames)
    }

    /// Once the repeated question has had its answers, too.
    private func stopHearing() async throws {
        try await Task.sleep(until: (begun ?? .now) + BrowseSession.hearing)
        guard hasBegun, usesDaemon else { return }
        query?.stopHearing()
    }

    /// Once, as soon as the stack's cache is read: the question names what was in it.
    private func askForMulticast() {
        guard multicastAnswers == nil, let query else { return }
        if !usesDaemon {
            // Nobody else asks, and what is known by direct answers need not be said again.
            query.askForMulticast()
            multicastAnswers = .now + BrowseSession.answerTime
            return
        }
        isLeftToStack = !query.askForMulticast(isWhole: !book.knowsAllHints) { book.names(on: $0, $1) }
        // Who follows goes by the stack, which says what is gone, too.
        if browser.follows { query.stopHearing() }
        multicastAnswers = .now + BrowseSession.answerTime
        if isLeftToStack, let begun {
            multicastAnswers = max(.now + BrowseSession.answerTime, begun + BrowseSession.stackAnswerTime)
        }
    }

    private func take(_ news: OneShotQuery.News) {
        guard isOpen else { return }
        switch news {
        case .hint(let hint, let interface, let source, let isDirect):
            hinted(hint, on: interface, from: source, isDirect: isDirect)
        // A host has multicast these: that is what the stack hears, too.
        case .announced(let names, let interface, let family):
            guard !browser.follows || !usesDaemon else { return }
            for name in names { book.hear(instance(name, on: interface, family), at: .now) }
        // Without a stack: said farewell to, or not heard again.
        case .ended(.service(let name, let family), let interface):
            book.remove(instance(name, on: interface, family), at: .now)
        case .ended(.address(let bytes, let host), let interface):
            guard let address = NetworkAddress(bytes: bytes, scope: interface.name) else { return }
            send(.gone(.address(address, host: host, interface: interface)))
        }
        carryOut()
        pursue()
    }

    /// Until nothing lacks any more, or all has been asked for.
    private func pursue() {
        guard pursuit == nil, query?.nextPursuit != nil else { return }
        pursuit = Task {
            while let next = query?.nextPursuit {
                do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
                query?.pursue()
            }
            pursuit = nil
        }
    }

    private func instance(
        _ name: [UInt8], on interface: NetworkInterface, _ family: NetworkAddress.Family
    ) -> ServiceInstance {
        ServiceInstance(
            nameBytes: name, interface: interface, family: family, service: "\(browser.serviceType).local")
    }

    private func hinted(
        _ hint: HeardRecords.Found, on interface: NetworkInterface, from source: NetworkAddress,
        isDirect: Bool
    ) {
        let family = hint.family
        let addresses = hint.addresses.compactMap { NetworkAddress(bytes: $0, scope: interface.name) }
        guard let address = addresses.first(where: { $0.family == family }) ?? addresses.first else { return }
        let least = max(progress.slowest, AnswerRounds.promptness - BrowseSession.slowStep)
        if let answer = query?.answers.slowest, least < AnswerRounds.limit,
            answer >= least + BrowseSession.slowStep
        {
            progress.slowest = answer
        }
        progress.isSilent = false
        let service = ResolvedService(
            instance: instance(hint.name, on: interface, family), host: hint.host, port: hint.port,
            address: address, txt: hint.txt)
        if isDirect {
            book.noteDirect(hint.host, on: interface, family)
            if directHosts.count < BrowseBook.maximumHints, directHosts.insert(hint.host).inserted {
                send(.found(service, by: .direct))
            }
        }
        for other in addresses where other != address {
            send(.changed(other, host: hint.host, interface: interface))
        }
        book.hint(service, from: source, at: .now)
    }
}
