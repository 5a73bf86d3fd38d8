import Identity
import Pairing

// At the port of a service everything but the hub's own paths is the service's.
extension RequestRouter {
    /// What browsers need for what the hub itself shows there.
    private static let served: Set<PagePath> = [.icon, .plainStyle]

    func action(
        for head: RequestHead, from client: Client, at service: ServiceRule, _ access: (Pin) -> Access
    ) -> Action {
        let isStranger = client.certificate == .none && !client.isTrustedProxy
        switch crossSite.verdict(
            head.fields, isTrustedProxy: client.isTrustedProxy, isStranger: isStranger)
        {
        case .allowed: break
        // The hub's page links to it, and is another origin. Whatever page does, it gets no further than the
        // front page; where that leads to is the service's own.
        case .otherSite:
            let isFront = head.target == "/" && head.isDocument
            return answer(head, isFront ? .again : .refusal(.crossSite))
        case .otherHost(let host): return answer(head, .refusal(.otherHost(host)))
        }
        switch GatewayPath(target: head.target, method: head.method) {
        case .page(let file) where RequestRouter.served.contains(file):
            guard PagePath.methods.contains(head.method) else {
                return answer(head, .refusal(.wrongMethod(PagePath.methods)))
            }
            return answer(head, .page(file))
        // A proxy in front of this service asks here; to all others it is the hub's, and not here.
        case .own(.verify) where client.isTrustedProxy:
            guard PairEndpoint.verify.methods.contains(head.method) else {
                return answer(head, .refusal(.wrongMethod(PairEndpoint.verify.methods)))
            }
            return admitVouched(head, from: client, access) { device, _, _ in
                guard service.rights.admits(device) else {
                    return answer(head, .refusal(service.rights.refusal(of: device)))
                }
                return answer(head, .verified(device))
            }
        case .page, .own, .trust, .resource, .withheld: return answer(head, .refusal(.notFound))
        case .upstream:
            guard head.method != "TRACE" else { return answer(head, .refusal(.methodNotPassedOn)) }
            return admit(head, from: client, access, if: { _ in true }) { device in
                guard service.rights.admits(device) else {
                    return answer(head, .refusal(service.rights.refusal(of: device)), admits: device)
                }
                return forward(head, for: device)
            }
        }
    }
}

extension ServiceRights {
    /// Why a device may not use it.
    fileprivate func refusal(of device: ApprovedDevice) -> RequestRefusal {
        .serviceNotAllowed(denied.contains(device.fingerprint) ? nil : device.knownRole)
    }
}
