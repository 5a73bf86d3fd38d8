import FoundationEssentials
import GatewayRules
import NIOCore
import NIOHTTP1
import Pairing
import Synchronization

// What a request asks for, and whether whoever asks may have it.
extension ServeConnection {
    func take(_ head: RequestHead) {
        guard case .waiting = phase else { return }
        request = head
        requestHasEnded = false
        keepsAlive = head.keepsAlive && !loop.isDraining
        timer.stop()
        switch GatewayPath(target: head.target) {
        case .own(let endpoint): take(head, for: endpoint)
        case .withheld: answer(.notFound)
        case .upstream: pass(head)
        }
    }

    private func take(_ head: RequestHead, for endpoint: PairEndpoint) {
        guard endpoint.methods.contains(head.method) else { return answer(.wrongMethod(for: endpoint)) }
        switch endpoint {
        case .pair: collect(head)
        case .hub: answer(shared.hub)
        case .device: answer(device())
        case .verify: answer(verified(head))
        }
    }

    /// Waits for the body of a pairing request; one that is too long is refused by the length that it
    /// announces.
    private func collect(_ head: RequestHead) {
        if let otherKey { return answer(.wrongKey(otherKey)) }
        if case .length(let count) = head.body, count > PairRequest.maximumByteCount, pin != nil {
            let refusal = PairRefusal(PairMessageError.tooLarge(count))
            return refuse(ServeReply(.payloadTooLarge, json: refusal.serialized))
        }
        phase = .collecting([])
        timer.start(.body, shared.limits.smallBody)
        if expectsContinue {
            write("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            flush()
        }
    }

    private func pass(_ head: RequestHead) {
        guard head.method != "TRACE" else { return answer(.methodNotAllowed) }
        guard let pin else { return answer(otherKey.map { .wrongKey($0) } ?? .noCertificate) }
        switch shared.devices.access(of: pin) {
        case .unreadable: return answer(.unreadable)
        case .unknown: return answer(.stranger)
        case .refused(_, let verdict): return answer(.refused(verdict))
        case .approved(let device):
            guard enter(device) else { return }
            guard let upstream = shared.upstream else { return answer(.noUpstream) }
            if case .length(let count) = head.body, count > shared.limits.bodyByteCount {
                return answer(.tooLarge(shared.limits.bodyByteCount))
            }
            let exchange = GatewayExchange(
                self, request: head, from: described(device), authority: upstream.authority)
            phase = .proxying(exchange)
            if hasBody { timer.start(.body, shared.limits.body) }
            exchange.start()
        }
    }

    /// The device may come in: the connection is its own from now on, and closed when it may no longer.
    ///
    /// - Returns: false if it has too many connections; then this one is closed.
    @discardableResult
    func enter(_ device: ApprovedDevice) -> Bool {
        watchExpiry(of: device)
        guard !hasBeenApproved, let channel = context?.channel else { return hasBeenApproved }
        let limits = shared.limits
        hasBeenApproved = shared.connections.withLock {
            $0.approve(ConnectionKey(channel: channel), as: device.pin, limits: limits)
        }
        guard !hasBeenApproved else { return true }
        shared.log.warning(
            .limit,
            "closed a connection of \(device.fingerprint) from \(source): it has \(limits.connectionsPerSource)"
        )
        close()
        return false
    }

    /// What is written of a device into headers, made once for many requests.
    private func described(_ device: ApprovedDevice) -> DescribedDevice {
        if let last = lastDevice, last.device == device { return last }
        let described = DescribedDevice(device)
        lastDevice = described
        return described
    }

    /// Looks again when the approval expires, which changes no file; and in an hour, since the clock may be
    /// set.
    func watchExpiry(of device: ApprovedDevice) {
        guard let left = shared.devices.secondsLeft(of: device) else { return timer.clear(.expiry) }
        let seconds = min(3600, max(0, left))
        timer.start(.expiry, .milliseconds(Int64(seconds * 1000) + 1))
    }

    private func device() -> ServeReply {
        guard let pin else { return otherKey.map { .wrongKey($0) } ?? .noCertificate }
        switch shared.devices.access(of: pin) {
        case .unreadable: return .unreadable
        case .unknown: return .stranger
        case .approved(let device): return ServeReply(device, verdict: .approved)
        case .refused(let device, let verdict): return ServeReply(device, verdict: verdict)
        }
    }

    private func verified(_ head: RequestHead) -> ServeReply {
        let isFromProxy = shared.isTrustedProxy(source)
        guard let pin = ServeVerify.pin(head.fields, own: pin, isFromTrustedProxy: isFromProxy) else {
            return .notVerified
        }
        switch shared.devices.access(of: pin) {
        case .unreadable: return .unreadable
        case .unknown, .refused: return .notVerified
        case .approved(let device):
            let fields = described(device).fields
            return ServeReply(.noContent, json: []).with(DeviceFields.fingerprintName, fields.fingerprint)
                .with(DeviceFields.nameName, fields.encodedName)
        }
    }

    func take(_ bytes: ByteBuffer) {
        switch phase {
        case .refusing(let reply, let left):
            guard bytes.readableBytes <= left else { return refuse(reply) }
            phase = .refusing(reply, left: left - bytes.readableBytes)
        case .collecting(var body):
            phase = .waiting  // so that the array is not copied
            let room = PairRequest.maximumByteCount + 1 - body.count
            body.append(contentsOf: bytes.readableBytesView.prefix(room))
            // One byte too many is enough to be refused; the rest of a large body is not waited for.
            guard body.count <= PairRequest.maximumByteCount else { return pair(body) }
            phase = .collecting(body)
        case .proxying(let exchange): exchange.clientBody(bytes)
        default: break
        }
    }

    func takeEnd(_ trailers: FieldBlock) {
        requestHasEnded = true
        switch phase {
        case .refusing(let reply, _): respond(reply)
        case .collecting(let body): pair(body)
        case .proxying(let exchange):
            // A response that has begun may last: nothing more is waited for.
            if exchange.responseHasStarted {
                timer.stop()
            } else {
                timer.start(.upstream, shared.limits.upstream)
            }
            exchange.clientEnd(trailers)
        default: break
        }
    }

    private func pair(_ body: [UInt8]) {
        phase = .answering
        timer.stop()
        let (pairing, pin, source) = (shared.pairing, pin, source)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task {
            let answer = await pairing.answer(body, devicePin: pin, source: source)
            eventLoop.execute { connection.value.finishPairing(answer) }
        }
    }

    private func finishPairing(_ answer: PairingAnswer) {
        if let event = answer.event {
            if answer.status < 300 {
                shared.log.info("\(source): \(event)")
            } else {
                shared.log.warning(answer.status < 500 ? .pairing : .fault, event)
            }
        }
        guard case .answering = phase else { return }
        let reply = ServeReply(HTTPResponseStatus(statusCode: answer.status), json: answer.body)
        if requestHasEnded { respond(reply) } else { refuse(reply) }
    }

    var expectsContinue: Bool { request?.expectsContinue ?? false }
    var hasBody: Bool { request?.body.hasBytes ?? false }
}

extension ServeReply {
    /// What a device is told of itself.
    fileprivate init(_ device: ApprovedDevice, verdict: DeviceVerdict) {
        self =
            DeviceDescription(device, verdict: verdict).map { ServeReply(.ok, json: $0.serialized) }
            ?? .stranger
    }
}
