package import Identity
package import Pairing

/// Decides for each request, from its head, whether the hub answers it, handles it as a pairing request, or
/// forwards it. A pure value; the connection only carries out its actions and makes no decision itself.
///
/// The threat is an unapproved client that reaches the server behind the gateway. So a single line in this
/// file forwards a request, after an approval and a role that were looked up for this very request.
package struct RequestRouter: Sendable {
    /// The client, as far as the TLS handshake identifies it.
    package struct Client: Equatable, Sendable {
        /// The client's certificate in the handshake, or what its session stands for.
        package enum Certificate: Equatable, Sendable {
            case none
            /// A key of a type that no device uses; the string names it: "an RSA key".
            case otherKey(String)
            /// A key of a device's type. Whether the device is known is looked up for each request.
            case device(Pin)
        }

        package var certificate: Certificate
        /// True if the client's address is that of a proxy that the owner trusts.
        package let isTrustedProxy: Bool

        package init(certificate: Certificate, isTrustedProxy: Bool) {
            (self.certificate, self.isTrustedProxy) = (certificate, isTrustedProxy)
        }

        /// The pin of the client's key; nil unless it is a device's.
        package var pin: Pin? { if case .device(let pin) = certificate { pin } else { nil } }
    }

    /// A device's access according to the keyfile, now.
    package enum Access: Sendable {
        case approved(ApprovedDevice)
        /// The device is in the keyfile but has no access, as the verdict says.
        case refused(ApprovedDevice, DeviceVerdict)
        case unknown
        /// The keyfile cannot be read; no device has access until it can.
        case unreadable
    }

    /// What to do with a request.
    package enum Action: Equatable, Sendable {
        /// Collect the body, at most `PairRequest.maximumByteCount` bytes, and handle it as a pairing
        /// request.
        ///
        /// - Parameter asksForBody: true if the client waits for `100 Continue`.
        case pair(asksForBody: Bool)
        /// The same for a request for a session.
        case session(asksForBody: Bool)
        /// Take this device's own approval back: it leaves.
        case leave(ApprovedDevice)
        /// The hub answers the request itself.
        ///
        /// - Parameter admits: the device, if it has access but this request goes no further.
        case answer(Answer, RestOfRequest, admits: ApprovedDevice? = nil)
        /// Collect the body, at most ``HubResource/maximumBodyByteCount`` bytes, and let this device, which
        /// has access and the role for it, use one of the hub's own resources.
        case serve(HubResource, ApprovedDevice, asksForBody: Bool)
        /// Collect the body, at most ``HubResource/maximumBodyByteCount`` bytes, and let the house answer
        /// this device, which has access and the role for it: the thing is one of a joined server's.
        case house(ApprovedDevice, asksForBody: Bool)
        /// Find out what this appliance is, and decide again: a guest is to set it, and nobody has asked yet.
        case ask(appliance: String)
        /// Forward the request of this device, which has access, to the upstream.
        case forward(ApprovedDevice)
    }

    /// The hub's own answers.
    package enum Answer: Equatable, Sendable {
        /// The hub's description, for everyone.
        case hub
        /// The same with the ways to it, for an approved device.
        case hubWithWays
        /// The hubs of its site, for an approved device.
        case site
        /// The status of the requesting device.
        case device(ApprovedDevice, DeviceVerdict)
        /// The answer to a proxy: it may let this device's request pass.
        case verified(ApprovedDevice)
        /// A pairing request whose head announces this many bytes, more than allowed.
        case pairingTooLarge(Int)
        /// A file of the hub's page.
        case page(PagePath)
        /// What a browser needs to trust the hub.
        case trust(TrustPath)
        /// A person's browser has come to the hub's front door: the page is elsewhere.
        case toPage
        /// A person has followed a link of another origin's: the browser asks for the same again by itself.
        case again
        case refusal(RequestRefusal)
    }

    /// What to do with the unread rest of a request whose answer is known.
    package enum RestOfRequest: Equatable, Sendable {
        /// Read and discard at most `discardedByteCount` bytes, then answer; the connection stays open.
        case discarded
        /// Answer at once and close the connection.
        case unread
    }

    /// The maximum number of body bytes that are read only to keep the connection open.
    package static let discardedByteCount = 65_536

    private let hasUpstream: Bool
    private let maximumBodyByteCount: Int
    let crossSite: CrossSiteRule
    private let service: ServiceRule?
    private let devicePin: @Sendable (ArraySlice<UInt8>) -> Pin?

    /// - Parameters:
    ///   - hasUpstream: true if there is a server behind the gateway.
    ///   - maximumBodyByteCount: the maximum number of body bytes that are forwarded.
    ///   - crossSite: what browsers may not send.
    ///   - service: the service whose port this is; nil for the hub's own.
    ///   - devicePin: parses the value of `X-SSL-Client-Cert`; returns the pin, or nil if it is not a
    ///     device's certificate.
    package init(
        hasUpstream: Bool, maximumBodyByteCount: Int, crossSite: CrossSiteRule, service: ServiceRule? = nil,
        devicePin: @escaping @Sendable (ArraySlice<UInt8>) -> Pin?
    ) {
        (self.hasUpstream, self.maximumBodyByteCount) = (hasUpstream, maximumBodyByteCount)
        (self.crossSite, self.service) = (crossSite, service)
        self.devicePin = devicePin
    }

    /// Decides what to do with a request.
    ///
    /// - Parameters:
    ///   - guests: whether guests may set the appliance of this id; nil if nobody has asked yet.
    ///   - access: looks up a device in the keyfile; called at most once, and only if needed.
    package func action(
        for head: RequestHead, from client: Client,
        guests: (String) -> GuestVerdict? = { _ in .unknown }, access: (Pin) -> Access
    ) -> Action {
        if let service { return action(for: head, from: client, at: service, access) }
        let isStranger = client.certificate == .none && !client.isTrustedProxy
        switch crossSite.verdict(
            head.fields, isTrustedProxy: client.isTrustedProxy, isStranger: isStranger)
        {
        case .allowed: break
        case .otherSite: return answer(head, head.isWayToService ? .again : .refusal(.crossSite))
        case .otherHost(let host): return answer(head, .refusal(.otherHost(host)))
        }
        let path = GatewayPath(target: head.target, method: head.method)
        // A proxy's question has the fields of a request to another origin.
        if head.fields.has(.serviceWorker), path != .own(.verify), path != .page(.worker) {
            return answer(head, .refusal(.serviceWorker))
        }
        // To people the hub shows its page, approved or not; a code may stand behind `#`, and stays there.
        if head.method == "GET", head.path == "/", head.fields.asksForHTML, !client.isTrustedProxy {
            return answer(head, .toPage)
        }
        switch path {
        case .resource(let resource): return use(resource, head, from: client, access)
        case .own(let endpoint):
            guard endpoint.methods.contains(head.method) else {
                return answer(head, .refusal(.wrongMethod(endpoint.methods)))
            }
            switch endpoint {
            case .pair: return pairing(head, from: client)
            case .session:
                if let action = tooLarge(head) { return action }
                return .session(asksForBody: head.expectsContinue)
            case .hub: return answer(head, isApproved(client, access) ? .hubWithWays : .hub)
            case .site:
                return admit(head, from: client, access, if: { _ in true }) { device in
                    answer(head, .site, admits: device)
                }
            case .device where head.method == "DELETE": return leave(head, from: client, access)
            case .device: return answer(head, device(client, access))
            case .verify: return verification(head, client, guests, access)
            }
        case .page(let file):
            guard PagePath.methods.contains(head.method) else {
                return answer(head, .refusal(.wrongMethod(PagePath.methods)))
            }
            if file.isPublic { return answer(head, .page(file)) }
            return admit(head, from: client, access, if: { _ in true }) { device in
                answer(head, .page(file), admits: device)
            }
        case .trust(let path):
            guard PagePath.methods.contains(head.method) else {
                return answer(head, .refusal(.wrongMethod(PagePath.methods)))
            }
            return answer(head, .trust(path))
        case .withheld: return answer(head, .refusal(.notFound))
        case .upstream: return passage(head, from: client, guests, access)
        }
    }

    /// The pin of the device on whose behalf `/hubpair/v1/verify` is requested; nil for none.
    ///
    /// `X-SSL-Client-Cert` counts only from a trusted proxy, which has verified the client's key in its own
    /// handshake and must drop the field if a client sends it. The proxy's own certificate never counts,
    /// because it does not identify a client: nginx omits the field for a client without a certificate. For
    /// all others, the certificate of the connection itself counts.
    package func vouchedPin(_ fields: FieldBlock, from client: Client) -> Pin? {
        guard client.isTrustedProxy else { return client.pin }
        return fields.onlyValue(.clientCertificate).flatMap(devicePin)
    }

    /// A proxy's own certificate says nothing of its clients.
    private func isApproved(_ client: Client, _ access: (Pin) -> Access) -> Bool {
        guard !client.isTrustedProxy, let pin = client.pin, case .approved = access(pin) else { return false }
        return true
    }

    private func pairing(_ head: RequestHead, from client: Client) -> Action {
        // Without a device's certificate another refusal takes precedence.
        if client.pin != nil, let action = tooLarge(head) { return action }
        return .pair(asksForBody: head.expectsContinue)
    }

    /// Decided by the announced length.
    private func tooLarge(_ head: RequestHead) -> Action? {
        guard case .length(let count) = head.body, count > PairRequest.maximumByteCount else { return nil }
        return .answer(.pairingTooLarge(count), .unread)
    }

    /// A device may leave whatever the keyfile says of it, but one that was revoked has left.
    private func leave(_ head: RequestHead, from client: Client, _ access: (Pin) -> Access) -> Action {
        guard !head.body.hasBytes else { return answer(head, .refusal(.unexpectedBody)) }
        guard let pin = client.pin else { return answer(head, device(client, access)) }
        switch access(pin) {
        case .approved(let device): return .leave(device)
        case .refused(let device, let verdict) where verdict != .revoked: return .leave(device)
        case .refused(_, let verdict): return answer(head, .refusal(.notApproved(verdict)))
        case .unknown: return answer(head, .refusal(.stranger))
        case .unreadable: return answer(head, .refusal(.unreadable))
        }
    }

    private func device(_ client: Client, _ access: (Pin) -> Access) -> Answer {
        switch client.certificate {
        case .none: return .refusal(.noCertificate)
        case .otherKey(let kind): return .refusal(.wrongKey(kind))
        case .device(let pin):
            switch access(pin) {
            case .unreadable: return .refusal(.unreadable)
            case .unknown: return .refusal(.stranger)
            case .refused(_, .unknownRole): return .refusal(.notApproved(.unknownRole))
            case .approved(let device): return .device(device, .approved)
            case .refused(let device, let verdict): return .device(device, verdict)
            }
        }
    }

    private func verification(
        _ head: RequestHead, _ client: Client, _ guests: (String) -> GuestVerdict?, _ access: (Pin) -> Access
    ) -> Action {
        admitVouched(head, from: client, access) { device, role, request in
            guard case .request(let kind) = request else {
                // Configurations of version 0.1 do not say.
                return RoleTable.allowsAll(role)
                    ? answer(head, .verified(device)) : answer(head, .refusal(.notAllowedByProxy(request)))
            }
            guard RoleTable.allows(role, kind) else { return answer(head, .refusal(.notAllowed(role))) }
            let appliance = ProxiedRequest.appliance(in: head.fields)
            return held(head, role, kind, appliance, guests) ?? answer(head, .verified(device))
        }
    }

    /// Lets a device go on for which a proxy asks, unless the proxy does not know what for, or it is for the
    /// hub's own paths; refuses all others.
    func admitVouched(
        _ head: RequestHead, from client: Client, _ access: (Pin) -> Access,
        _ goOn: (ApprovedDevice, Role, ProxiedRequest) -> Action
    ) -> Action {
        func refusal(_ refusal: RequestRefusal) -> Action { answer(head, .refusal(refusal)) }
        guard let pin = vouchedPin(head.fields, from: client) else { return refusal(.notVerified) }
        switch access(pin) {
        case .unreadable: return refusal(.unreadable)
        case .refused(_, .unknownRole): return refusal(.notApproved(.unknownRole))
        case .unknown, .refused: return refusal(.notVerified)
        case .approved(let device):
            guard let role = device.knownRole else { return refusal(.notApproved(.unknownRole)) }
            let request = ProxiedRequest(head.fields)
            switch request {
            case .contradicting, .withheld: return refusal(.notAllowedByProxy(request))
            case .unsaid, .request: return goOn(device, role, request)
            }
        }
    }

    /// What happens to a request that the role may send for some appliances only; nil if it may for this one.
    private func held(
        _ head: RequestHead, _ role: Role?, _ kind: RequestKind, _ appliance: String?,
        _ guests: (String) -> GuestVerdict?, admits device: ApprovedDevice? = nil
    ) -> Action? {
        guard RoleTable.depends(role, kind) else { return nil }
        guard let appliance else { return answer(head, .refusal(.guarded), admits: device) }
        return switch guests(appliance) {
        case .allowed: nil
        case .guarded: answer(head, .refusal(.guarded), admits: device)
        case .unknown: answer(head, .refusal(.unknownAppliance), admits: device)
        case nil: .ask(appliance: appliance)
        }
    }

    /// True if a request that was forwarded for a device may go on now that the device is as `device` says.
    /// What goes on for long, a stream or a WebSocket, has to end when the role no longer allows it.
    package func allows(
        _ head: RequestHead, of device: ApprovedDevice, guests: (String) -> GuestVerdict? = { _ in .unknown }
    ) -> Bool {
        if let service { return service.rights.admits(device) }
        guard case .resource(let resource) = GatewayPath(target: head.target, method: head.method) else {
            let kind = RequestKind(head)
            let isFree =
                !RoleTable.depends(device.knownRole, kind)
                || (RequestKind.activator(in: head.target.utf8)?.appliance).flatMap(guests) == .allowed
            return isFree && RoleTable.allows(device.knownRole, kind)
        }
        return resource.pattern.use(of: head.method).map { RoleTable.allows(device.knownRole, $0) } ?? false
    }

    private func use(
        _ resource: HubResource, _ head: RequestHead, from client: Client, _ access: (Pin) -> Access
    ) -> Action {
        guard let use = resource.pattern.use(of: head.method) else {
            return answer(head, .refusal(.wrongMethod(resource.pattern.methods)))
        }
        return admit(head, from: client, access, if: { RoleTable.allows($0, use) }) { device in
            refusedBody(head, for: device)
                ?? .serve(resource, device, asksForBody: head.expectsContinue && head.body.hasBytes)
        }
    }

    /// The answer to a body that the hub itself does not collect; nil if it does.
    private func refusedBody(_ head: RequestHead, for device: ApprovedDevice) -> Action? {
        let takesBody = head.method == "PUT" || head.method == "POST"
        guard takesBody || !head.body.hasBytes else {
            return answer(head, .refusal(.unexpectedBody), admits: device)
        }
        let limit = HubResource.maximumBodyByteCount
        guard case .length(let count) = head.body, count > limit else { return nil }
        return answer(head, .refusal(.tooLarge(limit: limit)), admits: device)
    }

    private func passage(
        _ head: RequestHead, from client: Client, _ guests: (String) -> GuestVerdict?,
        _ access: (Pin) -> Access
    ) -> Action {
        // The response to TRACE would reveal the request as forwarded, with the fields that only the gateway
        // writes.
        guard head.method != "TRACE" else { return answer(head, .refusal(.methodNotPassedOn)) }
        let kind = RequestKind(head)
        return admit(head, from: client, access, if: { RoleTable.allows($0, kind) }) { device in
            let appliance = RequestKind.activator(in: head.target.utf8)?.appliance
            func holding() -> Action? {
                held(head, device.knownRole, kind, appliance, guests, admits: device)
            }
            if JoinedKind(target: head.target) != nil {
                return refusedBody(head, for: device)
                    ?? holding() ?? .house(device, asksForBody: head.expectsContinue && head.body.hasBytes)
            }
            return forward(head, for: device, unless: holding())
        }
    }

    /// The one place that forwards a request.
    func forward(
        _ head: RequestHead, for device: ApprovedDevice, unless held: @autoclosure () -> Action? = nil
    ) -> Action {
        guard hasUpstream else { return answer(head, .refusal(.noUpstream), admits: device) }
        if case .length(let count) = head.body, count > maximumBodyByteCount {
            return answer(head, .refusal(.tooLarge(limit: maximumBodyByteCount)), admits: device)
        }
        return held() ?? .forward(device)
    }

    /// Lets a device go on whose approval and role, looked up for this very request, allow it; answers all
    /// others.
    func admit(
        _ head: RequestHead, from client: Client, _ access: (Pin) -> Access, if isAllowed: (Role) -> Bool,
        _ goOn: (ApprovedDevice) -> Action
    ) -> Action {
        switch client.certificate {
        case .none: return answer(head, .refusal(.noCertificate))
        case .otherKey(let kind): return answer(head, .refusal(.wrongKey(kind)))
        case .device(let pin):
            switch access(pin) {
            case .unreadable: return answer(head, .refusal(.unreadable))
            case .unknown: return answer(head, .refusal(.stranger))
            case .refused(_, let verdict): return answer(head, .refusal(.notApproved(verdict)))
            case .approved(let device):
                guard let role = device.knownRole else {
                    return answer(head, .refusal(.notApproved(.unknownRole)))
                }
                guard isAllowed(role) else {
                    return answer(head, .refusal(.notAllowed(role)), admits: device)
                }
                return goOn(device)
            }
        }
    }

    /// Answers after reading the rest of the request if it is short, otherwise at once.
    func answer(
        _ head: RequestHead, _ answer: Answer, admits device: ApprovedDevice? = nil
    ) -> Action {
        let isNear =
            if case .length(let count) = head.body { count <= RequestRouter.discardedByteCount } else { true }
        // A client that waits for `100 Continue` sends its body later or not at all.
        let isOnItsWay = !head.expectsContinue || !head.body.hasBytes
        return .answer(answer, isNear && isOnItsWay ? .discarded : .unread, admits: device)
    }
}
