import GatewayRules
import NIOCore
import NIOHTTP1
import Pairing
import Synchronization

// Carries out the router's decision for a request.
extension ServeConnection {
    func take(_ head: RequestHead) {
        guard rest.begin(), machine.begin(head, isDraining: loop.isDraining) else { return }
        timer.stop()
        noteRequest()
        identify(head)
        act(on: head) { _ in nil }
    }

    private func act(on head: RequestHead, guests: (String) -> GuestVerdict?) {
        let action = router.action(for: head, from: client, guests: guests) {
            access(of: $0)
        }
        switch action {
        case .ask(let appliance): ask(about: appliance, for: head)
        case .pair(let asksForBody): collect(for: .pair, asksForBody: asksForBody)
        case .session(let asksForBody): collect(for: .session, asksForBody: asksForBody)
        case .leave(let device): collect(for: .leave(device), asksForBody: false)
        case .serve(let resource, let device, let asksForBody):
            guard enter(device) else { return refuse(.tooManyConnections) }
            collect(for: .serve(ResourceRequest(resource, head, from: device)), asksForBody: asksForBody)
        case .house(let device, let asksForBody):
            guard enter(device) else { return refuse(.tooManyConnections) }
            collect(for: .house(head, device), asksForBody: asksForBody)
        case .answer(let answer, let rest, let device):
            if let device, !enter(device) { return refuse(.tooManyConnections) }
            send(reply(answer, to: head), after: rest)
        case .forward(let device):
            guard enter(device) else { return refuse(.tooManyConnections) }
            forward(head, from: device)
        }
    }

    /// Finds out whether guests may set an appliance. Nothing of the request goes on until that is known.
    private func ask(about appliance: String, for head: RequestHead) {
        machine.ask()
        let guests = shared.guests
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task {
            let verdict = await guests.ask(about: appliance)
            eventLoop.execute { connection.value.decide(head, verdict) }
        }
    }

    private func decide(_ head: RequestHead, _ verdict: GuestVerdict) {
        guard machine.isAsked() else { return }
        // The device's role and approval are looked up again: they may have changed meanwhile.
        act(on: head) { _ in verdict }
        framing.goOn()
    }

    private func reply(_ answer: RequestRouter.Answer, to head: RequestHead) -> ServeReply {
        switch answer {
        case .hub: showsOldKey ? shared.oldHub : shared.hub
        case .hubWithWays: shared.ways.reply(showsOldKey ? shared.certificate.old : nil)
        case .site: shared.ways.site
        case .device(let device, let verdict):
            ServeReply(device, verdict: verdict, version: shared.version)
        case .verified(let device): ServeReply(verified: described(device).fields)
        case .pairingTooLarge(let count):
            ServeReply(.payloadTooLarge, json: PairRefusal(PairMessageError.tooLarge(count)).serialized)
        case .page(let file): ServeReply(file, to: head, of: shared.page)
        case .trust(let path): shared.trust.reply(path, to: head)
        case .toPage: .toPage
        case .again: ServicePage.again(head)
        case .refusal(let refusal): self.refusal(refusal, of: head)
        }
    }

    private func refusal(_ refusal: RequestRefusal, of head: RequestHead) -> ServeReply {
        if let service {
            let page = ServicePage(
                refusal, service.record, hub: shared.page, port: shared.ways.port, to: head)
            if let page { return ServeReply(refusal, page: page.bytes) }
        }
        return StrangerPage(refusal, hub: shared.page, to: head).map { ServeReply(refusal, page: $0) }
            ?? ServeReply(refusal)
    }

    /// Collects the body of a request that the hub answers itself.
    private func collect(for task: HubTask, asksForBody: Bool) {
        machine.collect(task.maximumByteCount, mayRevoke: task.mayRevoke)
        work = .task(task, [])
        timer.start(.body, shared.limits.smallBody)
        if asksForBody {
            output.write("HTTP/1.1 100 Continue\r\n\r\n")
            output.flush()
        }
    }

    private func forward(_ head: RequestHead, from device: ApprovedDevice) {
        let link = service?.link ?? shared.link
        // Unreachable: the router forwards only if there is an upstream.
        guard link.upstream != nil else { return close() }
        let exchange = ForwardedRequest(
            self, on: loop, to: link, of: service, request: head, from: described(device),
            cookie: hasSession ? service?.sessions.use(by: head, of: device) : nil)
        machine.forward()
        work = .exchange(exchange)
        if head.body.hasBytes { timer.start(.body, shared.limits.body) }
        exchange.start()
    }

    func take(_ bytes: ByteBuffer) { carryOut(machine.body(bytes.readableBytes), bytes) }

    func takeEnd(_ trailers: FieldBlock) {
        let action = machine.end()
        if action == .forward { exchange?.clientEnd(trailers) } else { carryOut(action) }
    }

    /// Keeps the first bytes of a body's part.
    func keep(_ count: Int, of bytes: ByteBuffer?) {
        guard let bytes, case .task(let task, var body) = work else { return }
        work = .none  // so that the array is not copied
        body.append(contentsOf: bytes.readableBytesView.prefix(count))
        work = .task(task, body)
    }

    /// Makes the hub's own answer.
    func carryOutTask() {
        guard case .task(let task, let body) = work else { return }
        work = .none
        timer.stop()
        switch task {
        case .pair: pair(body)
        case .session:
            work = .reply(shared.sessions.answer(body))
            carryOut(machine.answerIsMade(closes: false, isStream: false))
        case .leave(let device): leave(device)
        case .serve(let request): serve(request, body)
        case .house(let head, let device): askHouse(head, body, for: device)
        }
    }

    private func serve(_ request: ResourceRequest, _ body: [UInt8]) {
        guard body.count <= HubResource.maximumBodyByteCount else {
            return refuse(ServeReply(.tooLarge(limit: HubResource.maximumBodyByteCount)))
        }
        var request = request
        request.body = body
        let resources = shared.resources
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task { [request] in
            let answer = await resources.answer(request)
            eventLoop.execute { connection.value.finishServing(answer, to: request.device.pin) }
        }
    }

    /// The journal tells of it as of what goes to the upstream.
    private func askHouse(_ head: RequestHead, _ body: [UInt8], for device: ApprovedDevice) {
        guard body.count <= HubResource.maximumBodyByteCount else {
            return refuse(ServeReply(.tooLarge(limit: HubResource.maximumBodyByteCount)))
        }
        let (house, orders) = (shared.house, shared.orders)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task {
            let reply = await house.answer(head.method, head.target, body)
            if var noted = NotedRequest(head) {
                noted.take(body)
                noted.tell(orders, status: Int(reply.status.code), by: device)
            }
            eventLoop.execute { connection.value.finishServing(.reply(reply), to: device.pin) }
        }
    }

    private func finishServing(_ answer: ResourceAnswer, to device: Pin) {
        guard machine.phase == .answering else { return }
        // The device may have lost its approval or its role while the answer was being made.
        closeUnlessStillApproved()
        guard machine.phase == .answering else { return }
        switch answer {
        case .reply(let reply):
            work = .reply(reply)
            carryOut(machine.answerIsMade(closes: reply.closes, isStream: false))
        case .events(let events):
            guard machine.answerIsMade(closes: false, isStream: true) == .stream else { return }
            let desk = shared.desk
            let stream = ServeStream(
                events, to: self, on: loop.eventLoop, isChunked: machine.request?.isHTTP10 != true
            ) { desk.hold($0, for: device) }
            work = .stream(stream)
            stream.start()
        }
    }

    private func leave(_ device: ApprovedDevice) {
        let (state, shared) = (shared.pairing.state, shared)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task {
            let reply: ServeReply
            do {
                _ = try AdministerDevices(state: state, by: JournalEntry.Author(device)).revoke(
                    PeerSelector(device.fingerprint.description))
                reply = .left
            } catch {
                shared.log.error("\(device.fingerprint) cannot leave: \(describing(error))")
                reply = ServeReply(.serviceUnavailable, json: PairRefusal.unavailable.serialized)
            }
            shared.sessions.end(device.pin)
            shared.endAtServices(device.pin)
            eventLoop.execute { connection.value.finishLeaving(reply) }
        }
    }

    private func finishLeaving(_ reply: ServeReply) {
        guard machine.phase == .answering else { return }
        work = .reply(reply)
        carryOut(machine.answerIsMade(closes: true, isStream: false))
    }

    private func pair(_ body: [UInt8]) {
        // A browser may have shown a certificate that is for others.
        if case .otherKey(let kind) = certificate, (try? BrowserProof(parsing: body)) == nil {
            work = .reply(ServeReply(.wrongKey(kind)))
            return carryOut(machine.answerIsMade(closes: false, isStream: false))
        }
        // A session is nothing to pair with: the key in the body counts.
        let pin = hasSession ? nil : client.pin
        let (pairing, source, isRelayed) = (shared.pairing, source, isRelayed)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task {
            let answer = await pairing.answer(
                body, devicePin: pin, source: source, isRelayed: isRelayed)
            eventLoop.execute { connection.value.finishPairing(answer) }
        }
    }

    private func finishPairing(_ answer: PairingAnswer) {
        shared.metrics.notePairing(answer.result)
        if let event = answer.event {
            if answer.status < 300 {
                shared.log.info("\(source): \(event)")
            } else {
                shared.log.warning(answer.status < 500 ? .pairing : .fault, event)
            }
        }
        guard machine.phase == .answering else { return }
        work = .reply(ServeReply(HTTPResponseStatus(statusCode: answer.status), json: answer.body))
        carryOut(machine.answerIsMade(closes: false, isStream: false))
    }
}
