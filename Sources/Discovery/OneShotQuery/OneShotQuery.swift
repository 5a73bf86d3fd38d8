/// Asks for the services of one type from an ephemeral port on every multicast interface, IPv4 and IPv6, and
/// hears the answers, which come by unicast and at once (RFC 6762 § 5.1, § 6.7): an accelerator.
///
/// Not every responder answers such a question, and one answer holds only so much. So it is never the only
/// way; but a host that answers one question and not the next shows that packets get lost here.
///
/// It asks for multicast answers, too, and hears them, beside the mDNS stack: with 200 hubs the stack is busy
/// with them for most of a second. Where there is no stack it follows what it has heard, by itself.
///
/// Used on the thread of an avahi poll loop only, and freed there.
final class OneShotQuery {
    /// If nobody has answered until then, the question is asked then, too: silence must not be the loss of a
    /// packet.
    static let insistence = Duration.milliseconds(60)
    /// Where nobody has answered the first question at once, the last is asked here: early enough to be over
    /// before the network has gone quiet.
    static let repetition = Duration.milliseconds(120)
    private static let maximumInterfaces = 16

    enum News: Sendable {
        /// `isDirect`: it is the answer to a one-shot question.
        case hint(HeardRecords.Found, NetworkInterface, source: NetworkAddress, isDirect: Bool)
        /// Names of instances that a host has multicast.
        case announced([[UInt8]], NetworkInterface, NetworkAddress.Family)
        case ended(HeardRecords.Ended, NetworkInterface)
    }

    private let type: DNSName
    private let loop: EventLoopThread
    private var networks: [LocalNetwork] = []
    private let firstID = UInt16.random(in: 0...0xFFFC)
    private var links: [Link: Sockets] = [:]
    /// They hear the group, until ``stopHearing()``.
    private var hears = true
    /// When what was heard is looked through next, from ``follow()`` on.
    private var nextRenewal: ContinuousClock.Instant?
    private var follows: Bool { nextRenewal != nil }
    private var changes: DescriptorWatch?
    /// By interface.
    private var records: [String: HeardRecords] = [:]
    private var rounds: UInt8 = 0
    private(set) var answers = AnswerRounds()
    /// The names in direct answers, at most as many as one browse follows.
    private var direct: Set<[UInt8]> = []
    private let report: (News) -> Void

    private struct Link: Hashable {
        let interface: String
        let family: NetworkAddress.Family
    }

    private struct Sockets {
        let network: LocalNetwork
        let socket: MulticastSocket
        var listener: MulticastSocket?
    }

    /// Nil if the service type is not valid.
    ///
    /// - Parameter report: may close the query.
    init?(serviceType: String, on loop: EventLoopThread, report: @escaping (News) -> Void) {
        guard let type = DNSName(serviceType: serviceType) else { return nil }
        (self.type, self.loop, self.report) = (type, loop, report)
        openLinks()
    }

    /// Opens sockets on the networks of this machine that have none, and closes those whose network is gone.
    private func openLinks() {
        networks = LocalNetwork.current()
        // Of IPv6 only link-local: it is there on every interface, and the scope of mDNS.
        let usable = networks.filter {
            $0.isMulticast && !$0.address.isLoopback && ($0.address.family == .ipv4 || $0.address.isLinkLocal)
        }
        var left: [NetworkInterface] = []
        for (link, sockets) in links where !usable.contains(sockets.network) {
            links[link] = nil
            left.append(sockets.socket.interface)
            sockets.socket.close()
            sockets.listener?.close()
        }
        for network in usable { open(network) }
        for interface in left where !links.keys.contains(where: { $0.interface == interface.name }) {
            let ended = records.removeValue(forKey: interface.name)?.all ?? []
            for one in ended { report(.ended(one, interface)) }
        }
    }

    private func open(_ network: LocalNetwork) {
        let link = Link(interface: network.interface, family: network.address.family)
        if links[link] == nil, links.count < OneShotQuery.maximumInterfaces {
            let socket = MulticastSocket(
                network, on: loop, isReadable: { [unowned self] in _ = receive(at: link) })
            if let socket { links[link] = Sockets(network: network, socket: socket) }
        }
        guard links[link]?.network == network else { return }
        if hears, links[link]?.listener == nil {
            links[link]?.listener = MulticastSocket(
                network, isInGroup: true, on: loop, isReadable: { [unowned self] in hear(at: link) })
        }
        if let sockets = links[link], follows { includeOwn(sockets) }
        if records[link.interface] == nil {
            let families = networks.filter { $0.interface == link.interface }.map(\.address.family)
            records[link.interface] = HeardRecords(type: type, families: Set(families), follows: follows)
        }
    }

    /// Asks this machine, too: with a daemon on it that knows all of this machine's services, that would be
    /// asking twice.
    func includeOwn() {
        links.values.forEach(includeOwn)
        ask()
    }

    private func includeOwn(_ sockets: Sockets) {
        sockets.socket.includeOwn()
        sockets.listener?.includeOwn()
    }

    /// Takes the place of a stack: from now on what was heard is asked for again in time, and what ends is
    /// told, too. Networks may come and go.
    func follow() {
        (hears, nextRenewal) = (true, .now)
        records = [:]
        openLinks()
        changes = DescriptorWatch.networkChanges(on: loop) { [unowned self] in
            openLinks()
            askForMulticast()
        }
        askForMulticast()
    }

    /// Ends it: no news comes after that.
    func close() {
        changes?.close()
        stopHearing()
        for sockets in links.values { sockets.socket.close() }
        links = [:]
    }

    /// Leaves the group: an mDNS stack that starts meanwhile would take this for another one.
    func stopHearing() {
        hears = false
        for link in links.keys {
            links[link]?.listener?.close()
            links[link]?.listener = nil
        }
    }

    /// Asks, at most three times in all; `isLast`: nothing is asked after that.
    func ask(isLast: Bool = false) {
        guard rounds < 3 else { return }
        let message = DNSMessage.question(forServicesOf: type, id: firstID + UInt16(rounds))
        rounds += 1
        answers.ask(isLast: isLast, at: .now)
        for sockets in links.values { sockets.socket.send(message) }
    }

    /// Asks for answers that are multicast: responders that ignore one-shot queries give one, within 120 ms
    /// (RFC 6762 § 6), and the stack hears them. The stack collects its own question with others for 100 ms
    /// first.
    ///
    /// Where the stack knows more than one message holds, it is left to the stack: with 200 hubs the answers
    /// of all would keep every host on the network busy, this one too, for most of a second. The stack asks
    /// with what it knows, or has asked a moment ago.
    ///
    /// - Parameters:
    ///   - isWhole: it is asked everywhere, as there is a hub that the stack has not heard. What one message
    ///     cannot name is asked over IPv4 alone if all that IPv6 has told is known there, too: the answers of
    ///     200 hubs over both cost forty hosts in a lab a second of one processor.
    ///   - known: the names that the stack has heard on an interface in a family: their hosts need not say
    ///     them again.
    /// - Returns: true if it was asked on all networks.
    func askForMulticast(
        isWhole: Bool, known: (NetworkInterface, NetworkAddress.Family) -> [[UInt8]]
    ) -> Bool {
        var isAsked = true
        for (link, sockets) in links {
            let names = known(sockets.socket.interface, link.family)
            let isSecond =
                !follows && link.family == .ipv6
                && Set(names).isSubset(of: known(sockets.socket.interface, .ipv4))
            guard let listener = sockets.listener,
                let question = DNSMessage.multicastQuestion(
                    forServicesOf: type, known: names, isWhole: isWhole && !isSecond)
            else {
                isAsked = false
                continue
            }
            listener.send(question)
        }
        return isAsked
    }

    /// The same where there is no stack: what was heard here, and is fresh, need not be said again.
    func askForMulticast() {
        _ = askForMulticast(isWhole: true) { [records] interface, family in
            records[interface.name]?.known(over: family, at: .now) ?? []
        }
    }

    /// True if it was asked, and nobody has answered.
    var isSilent: Bool { !links.isEmpty && answers.isSilent }

    func hasAnswered(_ names: some Sequence<[UInt8]>) -> Bool { names.allSatisfy(direct.contains) }

    /// Reads the direct answers that wait: a loop that is busy has not got to them yet, and they are no loss.
    func readAnswers() {
        for link in links.keys {
            // More than all hosts that are counted can send.
            var batches = AnswerRounds.maximumSources * 3 / UDPSocket.maximumBatch
            while batches > 0, receive(at: link) { batches -= 1 }
        }
    }

    var nextPursuit: ContinuousClock.Instant? {
        [records.values.compactMap(\.nextTime).min(), nextRenewal].compactMap(\.self).min()
    }

    /// Asks, from an ephemeral port, for what the services that were heard of lack.
    func pursue() {
        for interface in records.keys {
            guard let (messages, found) = records[interface]?.pursue(at: .now) else { continue }
            for questions in messages {
                let bytes = DNSMessage.questions(questions, id: firstID + OneShotQuery.pursuit)
                for (link, sockets) in links where link.interface == interface { sockets.socket.send(bytes) }
            }
            guard let socket = links.first(where: { $0.key.interface == interface })?.value.socket else {
                continue
            }
            for one in found { report(.hint(one, socket.interface, source: socket.address, isDirect: false)) }
        }
        if let nextRenewal, nextRenewal <= .now { renew() }
    }

    private func renew() {
        nextRenewal = .now + .seconds(1)
        var asksForServices = false
        for name in records.keys {
            let there = links.filter { $0.key.interface == name }.map(\.value)
            guard let interface = there.first?.socket.interface, let renewal = records[name]?.renew(at: .now)
            else { continue }
            asksForServices = asksForServices || renewal.asksForServices
            for questions in renewal.questions {
                let bytes = DNSMessage.questions(questions, id: nil)
                for sockets in there { sockets.listener?.send(bytes) }
            }
            for one in renewal.ended { report(.ended(one, interface)) }
        }
        if asksForServices { askForMulticast() }
    }

    /// The message identifier of ``pursue()`` is the first of this query and this: there are at most three
    /// rounds.
    private static let pursuit: UInt16 = 3

    private func take(
        _ message: DNSMessage, at socket: MulticastSocket
    ) -> (names: [[UInt8]], found: [HeardRecords.Found]) {
        records[socket.interface.name]?.take(message, over: socket.family, at: .now) ?? ([], [])
    }

    private func hear(at link: Link) {
        guard let listener = links[link]?.listener else { return }
        _ = listener.receive(onLink: networks) { message, source, _ in
            let (names, found) = take(message, at: listener)
            // The names first: what is complete, too, is no direct answer, and does not show that its host
            // gives those.
            if !names.isEmpty { report(.announced(names, listener.interface, listener.family)) }
            for one in found where one.isNews {
                report(.hint(one, listener.interface, source: source, isDirect: false))
            }
        }
    }

    /// True if more may wait.
    private func receive(at link: Link) -> Bool {
        guard let socket = links[link]?.socket else { return false }
        return socket.receive(onLink: networks) { message, source, time in
            let round = message.id &- firstID
            guard round < UInt16(rounds) || round == OneShotQuery.pursuit else { return }
            let (names, found) = take(message, at: socket)
            if round < UInt16(rounds), !names.isEmpty {
                answers.note(
                    source, socket: Int(socket.interface.index), round: Int(round), at: time, read: .now)
            }
            for one in found {
                let isDirect = names.contains(one.name)
                guard isDirect || one.isNews else { continue }
                if isDirect, direct.count < BrowseBook.maximumInstances { direct.insert(one.name) }
                report(.hint(one, socket.interface, source: source, isDirect: isDirect))
            }
        }
    }
}
