import GatewayRules

/// What the gateway holds of the upstream, and what the upstream has got.
struct GateUpstream {
    /// A connection, as the upstream sees it.
    final class Connection {
        var framing = ResponseFraming(toHead: false, upgrades: false)
        /// What it will send, and what has come of that and is not processed.
        var outbox: ArraySlice<UInt8> = []
        var pending: [UInt8] = []
        var isUsable = true
        /// The request that is under way on it.
        var carries: Int?
        /// True if the upstream may take what was sent for another request.
        var isTainted = false
        var requestHasEnded = false
    }

    let isExclusive: Bool
    var exchange: ExchangeMachine?
    var head: RequestHead?
    var number = 0
    var active: Connection?
    var idle: [Connection] = []
    /// Reads the rest of an answer that nobody waits for.
    var late: Connection?
    var isWritable = true
    var isQueued = false
    var hasTurn = false
    var isReaching = false
    var readsBodies = false
    var isTrusted = false
    var sendCount = 0
    var kept: [Int] = []
    var bodyCount = 0
    var sentCount = 0
    var heldCount: Int?
    var answerHasBegun = false

    init(isExclusive: Bool) { self.isExclusive = isExclusive }

    mutating func begin(_ head: RequestHead, _ number: Int, limit: Int) {
        (self.head, self.number) = (head, number)
        exchange = ExchangeMachine(head, isExclusive: isExclusive, limit: limit)
        (sendCount, bodyCount, sentCount, kept, heldCount) = (0, 0, 0, [], nil)
        (isReaching, answerHasBegun) = (false, false)
    }

    /// Gives back what the exchange has.
    mutating func leave() {
        (active, exchange, isQueued, isReaching) = (nil, nil, false, false)
        if late == nil { hasTurn = false }
    }
}

extension GateWorld {
    /// The first ones come more often; the last ones end the upstream's connection, or the client's.
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 204 No\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
        "HTTP/1.0 200 OK\r\n\r\nto the end",
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n",
    ]
    private static let answerFaults = [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc", "nonsense\r\n",
    ]
    private static let largeAnswer: [UInt8] =
        Array("HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n".utf8)
        + [UInt8](repeating: 0x61, count: 600_000)

    func upstreamMoves() {
        switch choose(16) {
        case 0: upstream.isWritable.toggle()
        case 1..<5: turnMoves(isRefused: choose(16) == 0)
        case 5..<9: connectionMoves(fails: choose(16) == 0)
        case 9 where choose(4) == 0: breakOff(nil)
        case 10 where upstream.late != nil: endLate()
        default: answer()
        }
    }

    /// Everybody but the client comes to an end.
    func settleUpstream() {
        endLate()
        turnMoves(isRefused: false)
        connectionMoves(fails: false)
        if upstream.exchange != nil, upstream.active != nil { breakOff(nil) }
    }

    private func endLate() {
        guard upstream.late != nil else { return }
        (upstream.late, upstream.hasTurn) = (nil, false)
    }

    func turnMoves(isRefused: Bool) {
        guard upstream.isQueued, upstream.late == nil else { return }
        upstream.isQueued = false
        if isRefused { return refuse() }
        upstream.hasTurn = true
        let (readsBodies, isTrusted) = (choose(2) == 0, choose(2) == 0)
        (upstream.readsBodies, upstream.isTrusted) = (readsBodies, isTrusted)
        carryOutExchange(
            upstream.exchange?.turnCame(readsBodies: readsBodies, isTrusted: isTrusted) ?? .nothing)
    }

    private func connectionMoves(fails: Bool) {
        guard upstream.isReaching else { return }
        upstream.isReaching = false
        if fails { refuse() } else { attach(GateUpstream.Connection(), isReused: false) }
    }

    func attach(_ connection: GateUpstream.Connection, isReused: Bool) {
        guard let head = upstream.head,
            case .send(let closes)? = upstream.exchange?.connected(isReused: isReused)
        else { return check(false, "a connection that nobody needs") }
        upstream.sendCount += 1
        check(upstream.hasTurn, "a request is sent before its turn")
        check(upstream.sendCount == 1 || head.isRepeatable, "a request is repeated that must not be")
        check(connection.carries == nil && !connection.isTainted, "a connection is used that must not be")
        check(!isReused || head.isRepeatable || upstream.isTrusted, "a request may be lost")
        let taints = head.upgrade != nil || head.body.hasBytes && !upstream.readsBodies
        check(closes == taints, "the upstream is told wrongly whether it closes")
        connection.isTainted = taints
        connection.carries = upstream.number
        connection.requestHasEnded = false
        connection.framing = ResponseFraming(toHead: head.method == "HEAD", upgrades: head.upgrade != nil)
        upstream.active = connection
        upstream.sentCount = 0
        for count in upstream.kept {
            guard let (before, after) = upstream.exchange?.frame(count) else {
                return check(false, "what was kept does not fit")
            }
            writeBody(count, before, after)
        }
        upstream.kept = []
        guard let end = upstream.exchange?.frameEnd() else { return check(false, "the end does not fit") }
        if upstream.exchange?.answerIsDue == true { endBody(end) }
    }

    // MARK: The upstream's wire

    func writeBody(_ count: Int, _ before: String, _ after: String) {
        check(upstream.active?.requestHasEnded == false, "bytes behind the request")
        upstream.sentCount += count
        if upstream.head?.body == .chunked {
            check(before == String(count, radix: 16) + "\r\n" && after == "\r\n", "a chunk of another size")
        } else {
            check(before.isEmpty && after.isEmpty, "chunks that nobody expects")
        }
        if case .length(let length) = upstream.head?.body {
            check(upstream.sentCount <= length, "more bytes than announced")
        }
    }

    func endBody(_ end: [UInt8]) {
        check(upstream.active?.requestHasEnded == false, "a request ends twice")
        upstream.active?.requestHasEnded = true
        check(upstream.sentCount == upstream.bodyCount, "bytes of the body are lost")
        check(end.isEmpty == (upstream.head?.body != .chunked), "the upstream cannot find the end")
    }

    private func answer() {
        guard let connection = upstream.active, let exchange = upstream.exchange,
            exchange.mayReadUpstream(isClientWritable: isWritable)
        else { return }
        if connection.outbox.isEmpty {
            switch choose(128) {
            case 0: connection.outbox += GateWorld.largeAnswer
            case 1: connection.outbox += GateWorld.answerFaults[choose(2)].utf8
            default: connection.outbox += GateWorld.answers[choose(1 + choose(GateWorld.answers.count))].utf8
            }
        }
        let part = connection.outbox.prefix(choose(3) == 0 ? 1 + choose(40) : 100_000)
        connection.outbox = connection.outbox.dropFirst(part.count)
        connection.pending += part
        // It may carry another request after a part, or none.
        while upstream.active === connection, fault == nil {
            do {
                let (count, part) = try connection.pending.withUnsafeBytes {
                    try connection.framing.next($0)
                }
                connection.pending.removeFirst(count)
                guard let part else { break }
                take(part, on: connection)
            } catch {
                breakOff(error as? FramingError)
            }
        }
    }

    private func take(_ part: ResponseFraming.Part, on connection: GateUpstream.Connection) {
        switch part {
        case .head(let head):
            connection.isUsable = head.leavesConnectionUsable
            carryOutExchange(upstream.exchange?.answerHead(head) ?? .nothing)
            if connection.framing.hasSwitched {
                carryOutExchange(upstream.exchange?.answerSwitched() ?? .nothing)
            }
        case .body(let range):
            carryOutExchange(upstream.exchange?.answerBody(range.count) ?? .nothing, range.count)
        case .end(let trailers):
            let leavesUsable = connection.isUsable && connection.pending.isEmpty
            carryOutExchange(
                upstream.exchange?.answerEnd(trailers, leavesUsable: leavesUsable) ?? .nothing)
        }
    }

    /// The upstream's connection ends.
    private func breakOff(_ fault: FramingError?) {
        guard let connection = upstream.active else { return }
        if fault == nil, connection.framing.endWithConnection() {
            connection.isUsable = false
            let action = upstream.exchange?.answerEnd(FieldBlock(), leavesUsable: false)
            return carryOutExchange(action ?? .nothing)
        }
        upstream.active = nil
        carryOutExchange(upstream.exchange?.upstreamEnded(fault) ?? .nothing)
    }
}
