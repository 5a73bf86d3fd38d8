import GatewayRules
import HubPage
import Identity
import JSON
import NIOCore
import NIOHTTP1
import Synchronization

/// The answer to one request of the browser.
struct BrowserAnswer {
    /// What belongs to the hub's own connection (RFC 9110 § 7.6.1), or would stay with this computer's
    /// browser.
    private static let dropped = OriginGuard.dropped.union([
        "connection", "keep-alive", "transfer-encoding", "upgrade", "set-cookie",
    ])
    private static let noSniffing = ("X-Content-Type-Options", "nosniff")

    /// A comment of a stream, so that both sides notice when the other is gone.
    private static let beat = Duration.seconds(15)

    let output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// - Parameter body: nil if it is too large.
    func send(
        _ head: HTTPRequestHead, body: [UInt8]?, _ verdict: BrowserGate.Verdict, _ visit: PageVisit
    )
        async throws
    {
        switch verdict {
        case .refuse(let status, let word, let message): try await refuse(status, word, message, to: head)
        case .enter:
            let cookie = visit.gate.withLock { $0.cookie }
            try await write(303, [("Location", PagePath.page.rawValue), ("Set-Cookie", cookie)], [])
        case .pass:
            guard let body else {
                return try await refuse(413, "too_large", "this takes no body of so many bytes", to: head)
            }
            let path = head.uri.prefix { $0 != "?" }
            if head.method == .GET, let (file, isLasting) = PageFile.at(path: path) {
                try await write(file, isLasting, to: head)
            } else if let relays = visit.local?.relays, path.hasPrefix(KnownRelays.prefix) {
                guard let place = try? relays.place(head.uri) else {
                    return try await refuse(
                        404, "no_hub", "this computer is paired with no such hub", to: head)
                }
                try await pass(BrowserAnswer.request(head, place.target, body), place, relays, to: head)
            } else if let local = visit.local, path.hasPrefix(LocalPaths.prefix) {
                try await write(local.answer(head.method.rawValue, head.uri, body))
            } else if let relay = visit.shown.relay {
                try await pass(BrowserAnswer.request(head, head.uri, body), relay, to: head)
            } else {
                try await refuse(404, "no_hub", "this computer is not paired with a hub yet", to: head)
            }
        }
    }

    /// A file of the page, or that the browser has it already. It is of this program's own version, whatever
    /// the hub's is: the page may pair and forget here, which is no hub's business.
    private func write(_ file: PageFile, _ isLasting: Bool, to head: HTTPRequestHead) async throws {
        let isKnown = head.headers["If-None-Match"].contains(file.entityTag)
        let codings = head.headers[canonicalForm: "Accept-Encoding"].map { $0.lowercased() }
        let (bytes, fields) = file.form(for: codings)
        try await write(
            isKnown ? 304 : 200,
            PageHeaders.local + [("ETag", file.entityTag), ("Content-Type", file.contentType)]
                + (isKnown ? [] : fields),
            isKnown ? [] : bytes, cacheControl: PageFile.cacheControl(isLasting: isLasting))
    }

    private func write(_ answer: LocalPaths.Answer) async throws {
        switch answer {
        case .json(let status, let value):
            try await write(status, [("Content-Type", "application/json")], Array(value.text.utf8))
        case .events(let values):
            let headers: HTTPHeaders = [
                "Content-Type": "text/event-stream", "Cache-Control": "no-store",
                BrowserAnswer.noSniffing.0: BrowserAnswer.noSniffing.1,
            ]
            try await output.write(
                .head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)))
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask {
                    while true {
                        try await output.write(.body(.byteBuffer(ByteBuffer(string: ":\n\n"))))
                        try await Task.sleep(for: BrowserAnswer.beat)
                    }
                }
                for await value in values {
                    try await output.write(.body(.byteBuffer(ByteBuffer(string: "data: \(value.text)\n\n"))))
                }
                // The search has failed, and has said so; the browser would begin it again at once.
                while !Task.isCancelled { try await Task.sleep(for: BrowserAnswer.beat) }
            }
        }
    }

    private static func request(_ head: HTTPRequestHead, _ target: String, _ body: [UInt8]) -> HubRequest {
        HubRequest(
            method: head.method.rawValue, target: target, headers: head.headers.map { ($0.name, $0.value) },
            body: body.isEmpty ? nil : body)
    }

    /// Of one of several hubs: how its house is, is remembered.
    private func pass(
        _ request: HubRequest, _ place: KnownRelays.Place, _ relays: KnownRelays, to head: HTTPRequestHead
    ) async throws {
        let limit = relays.limit(request, of: place.hub)
        var seen: [UInt8] = []
        // The page reads it; opened as a document, one hub's answer must not act on the others.
        try await pass(request, place.relay, to: head, isSandboxed: true) { bytes in
            if limit > 0, seen.count <= limit { seen += bytes }
        }
        if !seen.isEmpty, seen.count <= limit { relays.note(seen, of: place.hub) }
    }

    private func pass(
        _ request: HubRequest, _ relay: HubRelay, to head: HTTPRequestHead, isSandboxed: Bool = false,
        seeing see: ([UInt8]) -> Void = { _ in }
    ) async throws {
        var hasBegun = false
        let isSandboxed = isSandboxed || GatewayPath(target: request.target) == .upstream
        do {
            try await relay.send(request) { response in
                hasBegun = true
                var headers = HTTPHeaders(PageHeaders.relayed)
                for field in response.headers where !BrowserAnswer.dropped.contains(field.name.lowercased()) {
                    headers.add(name: field.name, value: field.value)
                }
                // Whatever the hub does itself: it may be an older one.
                headers.add(contentsOf: isSandboxed ? OriginGuard.added : [BrowserAnswer.noSniffing])
                try await output.write(
                    .head(
                        HTTPResponseHead(
                            version: .http1_1, status: .init(statusCode: response.status), headers: headers)))
            } body: { bytes in
                see(bytes)
                try await output.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
            }
            try await output.write(.end(nil))
        } catch {
            // The end of the connection tells a browser that the answer is not whole.
            guard !hasBegun else { throw error }
            try await refuse(502, "hub_away", message(of: error), to: head)
        }
    }

    /// An error: JSON for the page and for programs, and a sentence for a person who opens an address.
    private func refuse(
        _ status: Int, _ word: String, _ message: String, to head: HTTPRequestHead
    ) async throws {
        let isForPerson = head.headers["Sec-Fetch-Dest"] == ["document"]
        let text = isForPerson ? "hubpair: \(message)\n" : LocalPaths.fault(word, message).text
        let type = isForPerson ? "text/plain; charset=utf-8" : "application/json"
        try await write(status, [("Content-Type", type)] + PageHeaders.relayed, Array(text.utf8))
    }

    private func write(
        _ status: Int, _ fields: [(String, String)], _ body: [UInt8], cacheControl: String = "no-store"
    ) async throws {
        var headers = HTTPHeaders(fields)
        if status != 304 { headers.add(name: "Content-Length", value: "\(body.count)") }
        headers.add(name: "Cache-Control", value: cacheControl)
        headers.add(name: BrowserAnswer.noSniffing.0, value: BrowserAnswer.noSniffing.1)
        if headers["Referrer-Policy"].isEmpty { headers.add(name: "Referrer-Policy", value: "no-referrer") }
        try await output.write(
            .head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)))
        try await output.write(.body(.byteBuffer(ByteBuffer(bytes: body))))
        try await output.write(.end(nil))
    }
}
