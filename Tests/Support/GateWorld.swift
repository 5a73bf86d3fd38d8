import GatewayRules

/// A client, the gateway's two machines, and an upstream, all without a network: somebody else chooses what
/// happens next. It carries out the machines' actions as the connections do, and holds them against what must
/// be true whatever happens; it knows the wires, and nothing of phases or stages.
package final class GateWorld {
    /// The first ones come more often; the last ones end the connection.
    private static let requests = [
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12345",
        "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
        "PUT /d HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
        "DELETE /e HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "HEAD /f HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /g HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "GET /h HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET /i HTTP/1.0\r\n\r\n",
        "GET /j HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ]
    private static let faults = [
        "POST /k HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nx", "nonsense\r\n",
    ]
    private static let largeRequest: [UInt8] =
        Array("PUT /l HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\n".utf8)
        + [UInt8](repeating: 0x61, count: 70_000)
    static let bodyLimit = 60_000
    /// The most that is read at once.
    static let maximumRead = 16_384
    /// The most that waits to be processed: a head that is not complete, or one read ahead.
    static let maximumWaiting = 2 * maximumRead + RequestFraming.maximumHeadByteCount

    package let choose: (Int) -> Int
    /// The first thing that was not as it must be.
    package private(set) var fault: String?
    package private(set) var stepCount = 0
    package internal(set) var requestCount = 0
    /// True once nothing more is to be seen.
    package var isOver: Bool { isClosed || isLingering || fault != nil }
    var isClosed = false

    var client = ClientMachine(isTrustedProxy: false)
    var upstream: GateUpstream
    var outbox: ArraySlice<UInt8> = []
    var pending: [UInt8] = []
    var isFeeding = false
    private(set) var isWritable = true
    var isLingering = false
    /// How many answers have begun; one is open until it has ended.
    var answerCount = 0
    var answerIsOpen = false
    var answerSaysClose = false
    var mustEnd = false
    var isDraining = false
    var hubWorks = false
    var mayRevoke = false
    var replyWaits = false
    var bodyRoom = 0

    /// - Parameter choose: a number from 0 on, below the one given.
    package init(choose: @escaping (Int) -> Int) {
        self.choose = choose
        upstream = GateUpstream(isExclusive: choose(2) == 0)
        if choose(2) == 0 { client.approve() }
    }

    func check(_ isSo: Bool, _ words: @autoclosure () -> String) {
        if !isSo, fault == nil { fault = words() }
    }

    // MARK: Steps

    package func step() {
        stepCount += 1
        switch choose(24) {
        case 0..<5: send()
        case 5..<10: deliver()
        case 10..<17: upstreamMoves()
        case 17..<20: hubMoves()
        case 20, 21:
            isWritable.toggle()
            if isWritable, client.isHeldByAnswers, client.startNext() { feed() }
        case 22: carryOutExchange(upstream.exchange?.gatheringEnded() ?? .nothing)
        default: disturb()
        }
    }

    /// What is under way comes to its end, and the connection closes.
    package func end() {
        isWritable = true
        for _ in 0..<200 where !isClosed && fault == nil {
            if client.phase == .streaming { endAnswer() }
            hubMoves()
            carryOutExchange(upstream.exchange?.gatheringEnded() ?? .nothing)
            settleUpstream()
            if client.isHeldByAnswers, client.startNext() { feed() }
        }
        // The rest of a request may be missing; then its deadline passes.
        if !isClosed, !isLingering, client.phase != .tunnel, client.phase != .waiting { refuse() }
        check(isClosed || client.phase == .tunnel || !answerIsOpen, "an answer has no end")
        check(isClosed || answerCount == requestCount, "a request has no answer")
        close()
        check(client.body(1) == .nothing && client.end() == .nothing, "it acts after the end")
        check(client.answered() == .nothing && client.retire() == .nothing, "it acts after the end")
        check(client.refuse(answerHasStarted: false) == .nothing, "it acts after the end")
        check(client.drain(hasPending: false) == .nothing && !client.mayParse, "it acts after the end")
        check(!upstream.hasTurn || upstream.late != nil, "a turn is lost")
        check(upstream.active == nil && upstream.exchange == nil, "an upstream's connection is lost")
    }

    private func send() {
        guard outbox.count < 100_000 else { return }
        switch choose(128) {
        case 0: outbox += GateWorld.largeRequest
        case 1: outbox += GateWorld.faults[choose(GateWorld.faults.count)].utf8
        case 2: outbox.append(UInt8(truncatingIfNeeded: choose(256)))
        default: outbox += GateWorld.requests[choose(1 + choose(GateWorld.requests.count))].utf8
        }
    }

    private func deliver() {
        let mayRead =
            switch client.reading(hasPending: !pending.isEmpty) {
            case .any: true
            case .none: false
            case .whileWritable: isWritable
            case .asPassed:
                upstream.exchange?.mayReadClient(isUpstreamWritable: upstream.isWritable) ?? true
            }
        guard mayRead, !isClosed, !outbox.isEmpty else { return }
        let count = choose(3) == 0 ? 1 + choose(40) : GateWorld.maximumRead
        let part = outbox.prefix(count)
        outbox = outbox.dropFirst(count)
        if client.phase == .tunnel || client.isOver { return }
        pending += part
        check(pending.count <= GateWorld.maximumWaiting, "too much of what the client sends waits")
        feed()
        carryOutExchange(upstream.exchange?.clientReadComplete() ?? .nothing)
    }

    func feed() {
        guard !isFeeding else { return }
        isFeeding = true
        var used = 0
        loop: while client.mayParse, fault == nil {
            do {
                let (count, part) = try pending.withUnsafeBytes {
                    try client.next(UnsafeRawBufferPointer(rebasing: $0[used...]))
                }
                used += count
                switch part {
                case nil: break loop
                case .head(let head): begin(head)
                case .body(let range): carryOut(client.body(range.count), range.count)
                case .end(let trailers):
                    let action = client.end()
                    if action == .forward {
                        carryOutExchange(upstream.exchange?.clientEnd(trailers) ?? .nothing)
                    } else {
                        carryOut(action)
                    }
                }
            } catch {
                used = pending.count
                refuse()
            }
        }
        isFeeding = false
        pending = isLingering || isClosed ? [] : Array(pending.dropFirst(used))
    }
}
