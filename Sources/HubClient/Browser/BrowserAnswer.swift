import Identity
import JSON
import NIOCore
import NIOHTTP1
import Synchronization

/// The answer to one request of the browser.
struct BrowserAnswer {
    /// What belongs to the hub's own connection (RFC 9110 § 7.6.1), or would stay with this computer's
    /// browser.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "transfer-encoding", "upgrade", "set-cookie", "strict-transport-security",
        "alt-svc",
    ]

    let output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// - Parameter body: nil if it is too large.
    func send(
        _ head: HTTPRequestHead, body: [UInt8]?, _ gate: borrowing Mutex<BrowserGate>, _ relay: HubRelay
    ) async throws {
        let fields = head.headers.map { (name: $0.name, value: $0.value) }
        let verdict = gate.withLock {
            $0.verdict(method: head.method.rawValue, target: head.uri, fields: fields)
        }
        switch verdict {
        case .refuse(let status, let word, let message): try await refuse(status, word, message)
        case .enter:
            let cookie = gate.withLock { $0.cookie }
            try await write(303, [("Location", "/hubpair/"), ("Set-Cookie", cookie)], [])
        case .pass:
            guard let body else {
                return try await refuse(413, "too_large", "the body has more bytes than a hub takes")
            }
            try await pass(
                HubRequest(
                    method: head.method.rawValue, target: head.uri, headers: fields,
                    body: body.isEmpty ? nil : body), relay)
        }
    }

    private func pass(_ request: HubRequest, _ relay: HubRelay) async throws {
        var hasBegun = false
        do {
            try await relay.send(request) { response in
                hasBegun = true
                var headers = HTTPHeaders()
                for field in response.headers where !BrowserAnswer.dropped.contains(field.name.lowercased()) {
                    headers.add(name: field.name, value: field.value)
                }
                try await output.write(
                    .head(
                        HTTPResponseHead(
                            version: .http1_1, status: .init(statusCode: response.status), headers: headers)))
            } body: { bytes in
                try await output.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
            }
            try await output.write(.end(nil))
        } catch {
            // The end of the connection tells a browser that the answer is not whole.
            guard !hasBegun else { throw error }
            try await refuse(502, "hub_away", message(of: error))
        }
    }

    private func refuse(_ status: Int, _ word: String, _ message: String) async throws {
        var json: [UInt8] = []
        JSONValue.object(["error": .string(word), "message": .string(message)]).write(to: &json)
        try await write(status, [("Content-Type", "application/json")], json)
    }

    private func write(_ status: Int, _ fields: [(String, String)], _ body: [UInt8]) async throws {
        var headers = HTTPHeaders(fields)
        headers.add(name: "Content-Length", value: "\(body.count)")
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "Referrer-Policy", value: "no-referrer")
        try await output.write(
            .head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)))
        try await output.write(.body(.byteBuffer(ByteBuffer(bytes: body))))
        try await output.write(.end(nil))
    }
}
