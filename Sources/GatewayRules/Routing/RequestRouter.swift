package import Identity
package import Pairing

/// Decides over each request by its head: the hub answers it itself, pairs with it, or passes it on. A pure
/// value; the connection only carries its actions out, and reads no rule of its own.
///
/// The threat is a stranger who reaches the server behind the gateway. So only one line of this file passes a
/// request on, and it stands behind an approval that was looked up for this very request.
package struct RequestRouter: Sendable {
    /// The other end of the connection, as far as the handshake tells.
    package struct Client: Equatable, Sendable {
        /// The certificate of the handshake.
        package enum Certificate: Equatable, Sendable {
            case none
            /// Its key is of a kind that no device has; in words: "an RSA key".
            case otherKey(String)
            /// A device's key. Whether the hub knows it is looked up for each request.
            case device(Pin)
        }

        package var certificate: Certificate
        /// The other end's address is that of a proxy that the owner trusts.
        package let isTrustedProxy: Bool

        package init(certificate: Certificate, isTrustedProxy: Bool) {
            (self.certificate, self.isTrustedProxy) = (certificate, isTrustedProxy)
        }

        /// The pin of the client's key, if it is a device's.
        package var pin: Pin? { if case .device(let pin) = certificate { pin } else { nil } }
    }

    /// What the keyfile says of a device now.
    package enum Access: Sendable {
        case approved(ApprovedDevice)
        /// The keyfile knows the device, and it may not come in; the verdict says why.
        case refused(ApprovedDevice, DeviceVerdict)
        case unknown
        /// The keyfile cannot be read, so nobody comes in until it can.
        case unreadable
    }

    /// What is done with a request.
    package enum Action: Equatable, Sendable {
        /// Its body is collected, at most `PairRequest.maximumByteCount` bytes, and judged as a pairing
        /// request.
        ///
        /// - Parameter asksForBody: the client waits for `100 Continue`.
        case pair(asksForBody: Bool)
        /// The hub answers it itself.
        ///
        /// - Parameter admits: the device that may come in, although this request goes no further.
        case answer(Answer, RestOfRequest, admits: ApprovedDevice? = nil)
        /// The device may come in, and the request goes to the upstream.
        case forward(ApprovedDevice)
    }

    /// The hub's own answers.
    package enum Answer: Equatable, Sendable {
        /// What the hub is, for anybody.
        case hub
        /// What the hub knows of the device that asks.
        case device(ApprovedDevice, DeviceVerdict)
        /// A proxy may let this device's request pass.
        case verified(ApprovedDevice)
        /// A pairing request announces so many bytes, which are too many.
        case pairingTooLarge(Int)
        case refusal(RequestRefusal)
    }

    /// What becomes of the part of a request that has not been read when its answer is known.
    package enum RestOfRequest: Equatable, Sendable {
        /// It is read and thrown away, at most `discardedByteCount` bytes; then the answer goes out, and the
        /// connection stays.
        case discarded
        /// The answer goes out at once, and the connection closes.
        case unread
    }

    /// The most bytes of a body that are read only to keep the connection.
    package static let discardedByteCount = 65_536

    private let hasUpstream: Bool
    private let maximumBodyByteCount: Int
    private let devicePin: @Sendable (ArraySlice<UInt8>) -> Pin?

    /// - Parameters:
    ///   - hasUpstream: there is a server behind the gateway.
    ///   - maximumBodyByteCount: the most bytes of a body that are passed on.
    ///   - devicePin: reads the pin of a device from the value of `X-SSL-Client-Cert`; nil if it holds no
    ///     device's certificate.
    package init(
        hasUpstream: Bool, maximumBodyByteCount: Int,
        devicePin: @escaping @Sendable (ArraySlice<UInt8>) -> Pin?
    ) {
        (self.hasUpstream, self.maximumBodyByteCount) = (hasUpstream, maximumBodyByteCount)
        self.devicePin = devicePin
    }

    /// What is done with a request.
    ///
    /// - Parameter access: looks a device up in the keyfile; called once at most, and only if the action
    ///   depends on it.
    package func action(
        for head: RequestHead, from client: Client, access: (Pin) -> Access
    ) -> Action {
        switch GatewayPath(target: head.target) {
        case .own(let endpoint):
            guard endpoint.methods.contains(head.method) else {
                return answer(head, .refusal(.wrongMethod(endpoint)))
            }
            switch endpoint {
            case .pair: return pairing(head, from: client)
            case .hub: return answer(head, .hub)
            case .device: return answer(head, device(client, access))
            case .verify: return answer(head, verification(head, client, access))
            }
        case .withheld: return answer(head, .refusal(.notFound))
        case .upstream: return passage(head, from: client, access)
        }
    }

    /// The device that a request for `/hubpair/v1/verify` stands for; nil for none.
    ///
    /// From a trusted proxy, and from nobody else, the field `X-SSL-Client-Cert` counts: the proxy has seen
    /// the client prove its key in its own handshake, and must drop the field if a client sends it. The
    /// proxy's own certificate never counts: nginx leaves the field out for a client without one, and the
    /// certificate that identifies the proxy identifies no client. From everybody else it is the connection's
    /// own certificate.
    package func vouchedPin(_ fields: FieldBlock, from client: Client) -> Pin? {
        guard client.isTrustedProxy else { return client.pin }
        return fields.onlyValue(.clientCertificate).flatMap(devicePin)
    }

    private func pairing(_ head: RequestHead, from client: Client) -> Action {
        if case .otherKey(let kind) = client.certificate {
            return answer(head, .refusal(.wrongKey(kind)))
        }
        // By the length that the head announces; without a certificate another refusal comes first.
        if case .length(let count) = head.body, count > PairRequest.maximumByteCount, client.pin != nil {
            return .answer(.pairingTooLarge(count), .unread)
        }
        return .pair(asksForBody: head.expectsContinue)
    }

    private func device(_ client: Client, _ access: (Pin) -> Access) -> Answer {
        switch client.certificate {
        case .none: return .refusal(.noCertificate)
        case .otherKey(let kind): return .refusal(.wrongKey(kind))
        case .device(let pin):
            switch access(pin) {
            case .unreadable: return .refusal(.unreadable)
            case .unknown: return .refusal(.stranger)
            case .approved(let device): return .device(device, .approved)
            case .refused(let device, let verdict): return .device(device, verdict)
            }
        }
    }

    private func verification(_ head: RequestHead, _ client: Client, _ access: (Pin) -> Access) -> Answer {
        guard let pin = vouchedPin(head.fields, from: client) else { return .refusal(.notVerified) }
        switch access(pin) {
        case .unreadable: return .refusal(.unreadable)
        case .unknown, .refused: return .refusal(.notVerified)
        case .approved(let device): return .verified(device)
        }
    }

    private func passage(_ head: RequestHead, from client: Client, _ access: (Pin) -> Access) -> Action {
        // It asks for the request as the upstream got it, with the fields that only the gateway writes.
        guard head.method != "TRACE" else { return answer(head, .refusal(.methodNotPassedOn)) }
        switch client.certificate {
        case .none: return answer(head, .refusal(.noCertificate))
        case .otherKey(let kind): return answer(head, .refusal(.wrongKey(kind)))
        case .device(let pin):
            switch access(pin) {
            case .unreadable: return answer(head, .refusal(.unreadable))
            case .unknown: return answer(head, .refusal(.stranger))
            case .refused(_, let verdict): return answer(head, .refusal(.notApproved(verdict)))
            case .approved(let device):
                guard hasUpstream else { return answer(head, .refusal(.noUpstream), admits: device) }
                if case .length(let count) = head.body, count > maximumBodyByteCount {
                    return answer(head, .refusal(.tooLarge(limit: maximumBodyByteCount)), admits: device)
                }
                return .forward(device)
            }
        }
    }

    /// Answers when the request has been read to its end, if that is near; else at once.
    private func answer(
        _ head: RequestHead, _ answer: Answer, admits device: ApprovedDevice? = nil
    ) -> Action {
        let isNear =
            if case .length(let count) = head.body { count <= RequestRouter.discardedByteCount } else { true }
        // A client that waits for `100 Continue` sends its body later, or never.
        let isOnItsWay = !head.expectsContinue || !head.body.hasBytes
        return .answer(answer, isNear && isOnItsWay ? .discarded : .unread, admits: device)
    }
}
