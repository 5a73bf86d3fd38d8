import FoundationEssentials
import Identity
import Pairing
import Testing

@testable import GatewayRules

/// What becomes of a request, by its head and its client.
@Suite struct RequestRouterTests {
    private typealias Client = RequestRouter.Client

    private let device: ApprovedDevice
    private let other: ApprovedDevice

    init() throws {
        let pins = try [1, 2].map { try #require(Pin(bytes: [UInt8](repeating: $0, count: 32))) }
        device = ApprovedDevice(name: try PeerName("Tablet"), pin: pins[0], status: .approved)
        other = ApprovedDevice(name: try PeerName("Phone"), pin: pins[1], status: .approved)
    }

    private var client: Client { Client(certificate: .device(device.pin), isTrustedProxy: false) }
    private var proxy: Client { Client(certificate: .device(device.pin), isTrustedProxy: true) }
    private let anonymous = Client(certificate: .none, isTrustedProxy: false)
    private let rsa = Client(certificate: .otherKey("an RSA key"), isTrustedProxy: false)

    private func head(
        _ start: String, _ fields: String..., version: String = "1.1"
    ) throws -> RequestHead {
        try requestHead("\(start) HTTP/\(version)\r\nHost: h\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n")
    }

    /// What is done, and whose access was looked up. The field of a certificate that begins with `p` is
    /// `other`'s.
    private func route(
        _ head: RequestHead, _ client: Client, _ access: RequestRouter.Access = .unknown,
        hasUpstream: Bool = true
    ) -> (action: RequestRouter.Action, asked: [Pin]) {
        let pin = other.pin
        let router = RequestRouter(hasUpstream: hasUpstream, maximumBodyByteCount: 100_000, crossSite: .hubH)
        {
            $0.first == UInt8(ascii: "p") ? pin : nil
        }
        var asked: [Pin] = []
        let action = router.action(for: head, from: client) {
            asked.append($0)
            return access
        }
        return (action, asked)
    }

    private func refusal(_ action: RequestRouter.Action) -> RequestRefusal? {
        if case .answer(.refusal(let refusal), _, _) = action { refusal } else { nil }
    }

    // MARK: What is passed on

    @Test(arguments: [
        "GET /", "HEAD /devices/", "POST /x", "PUT /x?y=/hubpair", "PATCH /x", "DELETE /x", "OPTIONS /x",
        "PROPFIND /x",
    ])
    func anApprovedDevicesRequestIsPassedOn(start: String) throws {
        let (action, asked) = route(try head(start), client, .approved(device))
        #expect(action == .forward(device) && asked == [device.pin])
    }

    @Test func everybodyElseIsToldWhy() throws {
        let request = try head("GET /devices/")
        let verdicts: [DeviceVerdict] = [.pending, .revoked, .expired(since: .distantPast)]
        for verdict in verdicts {
            let action = route(request, client, .refused(device, verdict)).action
            #expect(action == .answer(.refusal(.notApproved(verdict)), .discarded))
        }
        #expect(refusal(route(request, client, .unknown).action) == .stranger)
        #expect(refusal(route(request, client, .unreadable).action) == .unreadable)
        #expect(refusal(route(request, anonymous, .approved(device)).action) == .noCertificate)
        #expect(refusal(route(request, rsa, .approved(device)).action) == .wrongKey("an RSA key"))
    }

    @Test func aTrustedProxyComesInByItsOwnKeyOnly() throws {
        let request = try head("GET /", "X-SSL-Client-Cert: p")
        let (action, asked) = route(request, proxy, .approved(device))
        #expect(action == .forward(device) && asked == [device.pin])
    }

    @Test func traceIsPassedOnForNobody() throws {
        let (action, asked) = route(try head("TRACE /"), client, .approved(device))
        #expect(refusal(action) == .methodNotPassedOn && asked.isEmpty)
    }

    @Test(arguments: [(100_000, true), (100_001, false)])
    func aBodyIsPassedOnUpToTheLimit(length: Int, passes: Bool) throws {
        let request = try head("POST /x", "Content-Length: \(length)")
        let action = route(request, client, .approved(device)).action
        let refused = RequestRouter.Action.answer(
            .refusal(.tooLarge(limit: 100_000)), .unread, admits: device)
        #expect(action == (passes ? .forward(device) : refused))
    }

    @Test func chunksAndAnUpgradeArePassedOn() throws {
        for request in [
            try head("POST /x", "Transfer-Encoding: chunked"),
            try head("GET /x", "Connection: Upgrade", "Upgrade: websocket"),
            try head("POST /x", "Expect: 100-continue", "Content-Length: 5"),
        ] { #expect(route(request, client, .approved(device)).action == .forward(device)) }
    }

    @Test func withoutAnUpstreamAnApprovedDeviceComesInAllTheSame() throws {
        let action = route(try head("GET /"), client, .approved(device), hasUpstream: false).action
        #expect(action == .answer(.refusal(.noUpstream), .discarded, admits: device))
    }

    // MARK: The hub's own paths

    @Test(arguments: [
        "/hubpair", "/hubpair/v1/hub/", "//hubpair/v1/hub", "/%68ubpair", "/x/..%2fHUBPAIR", "/%2568ubpair",
        "/hubpair/v2/pair", "/.%2f/hubpair", "/;x/hubpair",
    ])
    func anotherSpellingOfTheHubsNamesIsWithheld(target: String) throws {
        for method in ["GET", "POST"] {
            let (action, asked) = route(try head("\(method) \(target)"), client, .approved(device))
            #expect(refusal(action) == .notFound && asked.isEmpty)
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func theHubIsDescribedToAnybody(method: String) throws {
        let request = try head("\(method) /hubpair/v1/hub?x")
        for client in [anonymous, rsa, proxy] {
            let (action, asked) = route(request, client, .approved(device))
            #expect(action == .answer(.hub, .discarded) && asked.isEmpty)
        }
        #expect(route(request, client).action == .answer(.hub, .discarded))
    }

    @Test func onlyAnApprovedDeviceIsToldTheWays() throws {
        let request = try head("GET /hubpair/v1/hub")
        #expect(route(request, client, .approved(device)).action == .answer(.hubWithWays, .discarded))
        for access in [RequestRouter.Access.unknown, .refused(device, .revoked), .unreadable] {
            #expect(route(request, client, access).action == .answer(.hub, .discarded))
        }
    }

    @Test(arguments: [
        ("POST /hubpair/v1/hub", PairEndpoint.hub), ("PUT /hubpair/v1/device", .device),
        ("GET /hubpair/v1/session", .session),
        ("OPTIONS /hubpair/v1/verify", .verify), ("GET /hubpair/v1/pair", .pair),
        ("TRACE /hubpair/v1/hub", .hub),
    ])
    func anEndpointTakesItsOwnMethodsOnly(start: String, endpoint: PairEndpoint) throws {
        let (action, asked) = route(try head(start), client, .approved(device))
        #expect(refusal(action) == .wrongMethod(endpoint.methods) && asked.isEmpty)
    }

    @Test func aDeviceIsToldWhatTheHubKnowsOfIt() throws {
        let request = try head("GET /hubpair/v1/device")
        let told = { RequestRouter.Action.answer(.device(device, $0), .discarded) }
        #expect(route(request, client, .approved(device)).action == told(.approved))
        #expect(route(request, client, .refused(device, .pending)).action == told(.pending))
        #expect(refusal(route(request, client, .unknown).action) == .stranger)
        #expect(refusal(route(request, client, .unreadable).action) == .unreadable)
        #expect(refusal(route(request, anonymous).action) == .noCertificate)
        #expect(refusal(route(request, rsa).action) == .wrongKey("an RSA key"))
    }

    // MARK: Verify

    @Test func aProxyAsksForTheClientThatItVouchesFor() throws {
        let request = try head("GET /hubpair/v1/verify", "X-SSL-Client-Cert: p")
        let (action, asked) = route(request, proxy, .approved(other))
        #expect(action == .answer(.verified(other), .discarded) && asked == [other.pin])
    }

    @Test func nobodyElseVouches() throws {
        let request = try head("GET /hubpair/v1/verify", "X-SSL-Client-Cert: p")
        let (action, asked) = route(request, client, .approved(device))
        #expect(action == .answer(.verified(device), .discarded) && asked == [device.pin])
        #expect(refusal(route(request, anonymous, .approved(other)).action) == .notVerified)
    }

    @Test(arguments: [[], ["x"], ["p", "p"]])
    func aProxyWithoutOneCertificateOfADeviceVouchesForNobody(values: [String]) throws {
        let fields = values.map { "X-SSL-Client-Cert: \($0)\r\n" }.joined()
        let request = try requestHead("GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        let (action, asked) = route(request, proxy, .approved(device))
        #expect(refusal(action) == .notVerified && asked.isEmpty)
    }

    @Test func onlyAnApprovedDeviceIsVerified() throws {
        let request = try head("GET /hubpair/v1/verify")
        #expect(refusal(route(request, client, .unknown).action) == .notVerified)
        #expect(refusal(route(request, client, .refused(device, .revoked)).action) == .notVerified)
        #expect(refusal(route(request, client, .unreadable).action) == .unreadable)
    }

    // MARK: Pairing

    @Test func aPairingRequestIsCollectedWithoutALookUp() throws {
        let request = try head("POST /hubpair/v1/pair", "Content-Length: 4096")
        for client in [client, anonymous] {
            let (action, asked) = route(request, client, .approved(device))
            #expect(action == .pair(asksForBody: false) && asked.isEmpty)
        }
    }

    @Test func aClientThatWaitsIsAskedForTheBody() throws {
        let request = try head("POST /hubpair/v1/pair", "Expect: 100-continue", "Content-Length: 9")
        #expect(route(request, client).action == .pair(asksForBody: true))
    }

    @Test func aPairingRequestThatAnnouncesTooMuchIsNotRead() throws {
        let request = try head("POST /hubpair/v1/pair", "Content-Length: 4097")
        #expect(route(request, client).action == .answer(.pairingTooLarge(4097), .unread))
        // Without a certificate the answer is another one, whatever the body is.
        #expect(route(request, anonymous).action == .pair(asksForBody: false))
    }

    @Test func behindAnotherKeyThereMayBeABrowsersOwn() throws {
        let request = try head("POST /hubpair/v1/pair", "Content-Length: 9")
        #expect(route(request, rsa).action == .pair(asksForBody: false))
    }

    @Test func aSessionIsAskedForByAnybody() throws {
        for client in [anonymous, rsa, client, proxy] {
            let request = try head("POST /hubpair/v1/session", "Content-Length: 9")
            #expect(route(request, client).action == .session(asksForBody: false))
            let long = try head("POST /hubpair/v1/session", "Content-Length: 4097")
            #expect(route(long, client).action == .answer(.pairingTooLarge(4097), .unread))
        }
    }

    @Test func aDeviceLeavesByItself() throws {
        let request = try head("DELETE /hubpair/v1/device")
        for verdict in [DeviceVerdict.pending, .expired(since: .distantPast), .unknownRole] {
            #expect(route(request, client, .refused(device, verdict)).action == .leave(device))
        }
        #expect(route(request, client, .approved(device)).action == .leave(device))
        #expect(refusal(route(request, client, .refused(device, .revoked)).action) == .notApproved(.revoked))
        #expect(refusal(route(request, client, .unknown).action) == .stranger)
        #expect(refusal(route(request, anonymous).action) == .noCertificate)
    }

    @Test func peopleGoToThePage() throws {
        for client in [anonymous, rsa, client] {
            let (action, asked) = route(try head("GET /?x", "Accept: text/html"), client)
            #expect(action == .answer(.toPage, .discarded) && asked.isEmpty)
        }
        for start in ["GET /x", "POST /", "HEAD /", "GET //"] {
            let action = route(try head(start, "Accept: text/html"), client, .approved(device)).action
            #expect(action != .answer(.toPage, .discarded))
        }
        #expect(route(try head("GET /", "Accept: */*"), client, .approved(device)).action == .forward(device))
        #expect(route(try head("GET /", "Accept: text/html"), proxy).action != .answer(.toPage, .discarded))
    }

    // MARK: The rest of a request

    @Test(arguments: [
        ("Accept: */*", RequestRouter.RestOfRequest.discarded), ("Content-Length: 65536", .discarded),
        ("Content-Length: 65537", .unread), ("Transfer-Encoding: chunked", .discarded),
        ("Expect: 100-continue", .discarded), ("Expect: 100-continue\r\nContent-Length: 0", .discarded),
        ("Expect: 100-continue\r\nContent-Length: 1", .unread),
        ("Expect: 100-continue\r\nTransfer-Encoding: chunked", .unread),
    ])
    func aRefusedBodyIsReadOnlyIfItIsNear(fields: String, rest: RequestRouter.RestOfRequest) throws {
        let action = route(try head("POST /", fields), anonymous).action
        #expect(action == .answer(.refusal(.noCertificate), rest))
    }

    // MARK: Refusals

    @Test(arguments: [
        "GET /worker.js", "GET /hubpair/page/page.js", "GET /hubpair/v1/hub", "GET /hubpair/none",
    ])
    func noServiceWorkerIsInstalled(start: String) throws {
        let head = try head(start, "service-worker: script", "Sec-Fetch-Site: same-origin")
        let (action, asked) = route(head, client, .approved(device))
        #expect(refusal(action) == .serviceWorker && asked.isEmpty)
    }

    /// It is the same for everybody.
    @Test func thePagesOwnWorkerIsInstalled() throws {
        let head = try head("GET /hubpair/worker.js", "Service-Worker: script", "Sec-Fetch-Site: same-origin")
        #expect(route(head, anonymous).action == .answer(.page(.worker), .discarded))
    }

    /// Of another origin, a proxy may say what it likes.
    @Test func aProxyMayAskAboutAServiceWorker() throws {
        let head = try head("GET /hubpair/v1/verify", "Service-Worker: script")
        #expect(refusal(route(head, client, .approved(device)).action) == nil)
    }

    @Test(arguments: [
        (RequestRefusal.notFound, 404, "not_found"), (.unexpectedBody, 400, "bad_request"),
        (.wrongMethod(["GET", "HEAD"]), 405, "method_not_allowed"),
        (.methodNotPassedOn, 405, "method_not_allowed"), (.noCertificate, 401, "no_certificate"),
        (.wrongKey("an RSA key"), 401, "no_certificate"), (.notVerified, 401, "no_certificate"),
        (.unreadable, 503, "unavailable"), (.stranger, 403, "not_approved"),
        (.notApproved(.revoked), 403, "not_approved"), (.serviceWorker, 403, "service_worker"),
        (.noUpstream, 502, "no_upstream"),
        (.tooLarge(limit: 1), 413, "too_large"),
    ])
    func aRefusalHasItsStatusAndItsWord(refusal: RequestRefusal, status: Int, word: String) {
        #expect(refusal.status == status && refusal.word == word && !refusal.message.isEmpty)
    }

    @Test func aRefusalHasTheFieldThatItsStatusDemands() {
        #expect(RequestRefusal.wrongMethod(["GET", "HEAD"]).field ?? ("", "") == ("Allow", "GET, HEAD"))
        #expect(RequestRefusal.wrongMethod(["POST"]).field ?? ("", "") == ("Allow", "POST"))
        #expect(RequestRefusal.noCertificate.field?.name == "WWW-Authenticate")
        #expect(RequestRefusal.notFound.field == nil)
    }
}
