package import Addresses
import GatewayRules
public import Identity
import NIOCore
import NIOHTTP1
package import Pairing

/// A connection to a hub whose key has been checked. Requests are sent one at a time.
///
/// It is closed by ``close()``, or when the last reference goes.
public final class HubConnection: Sendable {
    /// How long a request may take.
    package struct Deadlines: Sendable {
        /// The maximum time without data from the hub: before the response, and between its parts.
        package var quiet = usual
        /// The maximum time for the whole exchange; nil: no limit.
        package var total: Duration?

        /// The time without data if the user gives none: longer than a hub takes.
        package static let usual = AnswerTimes.client
        /// The least time without data that a hub gets, so that it can say that its server does not answer.
        package static let least = AnswerTimes.least

        package init(quiet: Duration = usual, total: Duration? = nil) {
            self.quiet = quiet
            self.total = total
        }
    }

    /// The default maximum size of a response body that is read as a whole, in bytes.
    package static let maximumBodyByteCount = 1 << 20

    /// The IP address of the connection, never a host name.
    package let address: HubAddress
    /// What led to it: a host name, or the same address.
    package let way: HubAddress
    /// The pin of the hub's key.
    public let pin: Pin
    /// How the key that was expected names another one: it is that one, or was shown itself.
    package let statement: KeyStatement?
    private let channel: any Channel
    private let handler: NIOLoopBound<HTTPClientHandler>

    init(
        channel: any Channel, handler: NIOLoopBound<HTTPClientHandler>, address: HubAddress, way: HubAddress,
        pin: Pin, statement: KeyStatement? = nil
    ) {
        self.statement = statement
        self.channel = channel
        self.handler = handler
        self.address = address
        self.way = way
        self.pin = pin
    }

    deinit { close() }

    /// Closes the connection without waiting for the hub.
    public func close() { channel.close(promise: nil) }

    /// Sends a request and returns the whole response.
    package func send(
        _ request: HubRequest, maximumBodyByteCount: Int = maximumBodyByteCount,
        deadlines: Deadlines = Deadlines(total: .seconds(60))
    ) async throws -> (response: HubResponse, body: [UInt8]) {
        try await closingOnError {
            guard case .head(let head) = try await begin(request, deadlines) else {
                throw HubConnectionError.Reason.closed
            }
            let response = HubResponse(head)
            let length = response["Content-Length"].flatMap(Int.init(_:)) ?? 0
            guard length <= maximumBodyByteCount || request.method == "HEAD" else {
                throw HubConnectionError.Reason.tooLarge(maximumBodyByteCount)
            }
            // The length is unverified, so no more memory is reserved than a usual response needs.
            let capacity = max(0, min(length, 1 << 20))
            let body = try await untilCancelled {
                $0.rest(maximumByteCount: maximumBodyByteCount, capacity: capacity)
            }
            return (response, body)
        }
    }

    /// Sends a request and delivers the response as it arrives: the head once, then the parts of the body. No
    /// more data is read while `body` handles a part. Any error closes the connection.
    package func send(
        _ request: HubRequest, deadlines: Deadlines = Deadlines(),
        head: (HubResponse) async throws -> Void, body: ([UInt8]) async throws -> Void
    ) async throws {
        try await closingOnError {
            var part = try await begin(request, deadlines)
            while true {
                switch part {
                case .head(let part): try await head(HubResponse(part))
                case .body(let piece): try await body(Array(piece.readableBytesView))
                case .end: return
                }
                part = try await next()
            }
        }
    }

    /// From the next part of the response on, the maximum time without data from the hub.
    func expectData(within quiet: Duration) {
        channel.eventLoop.execute { [handler] in handler.value.quiet = TimeAmount(quiet) }
    }

    private func closingOnError<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            close()
            if Task.isCancelled { throw CancellationError() }
            throw (error as? HubConnectionError.Reason).map(failure) ?? error
        }
    }

    private func failure(_ reason: HubConnectionError.Reason) -> HubConnectionError {
        HubConnectionError(address: "\(address)", reason: reason)
    }

    /// Sends a request.
    ///
    /// - Returns: the first part of the response.
    private func begin(
        _ request: HubRequest, _ deadlines: Deadlines
    ) async throws -> HTTPClientResponsePart {
        var head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: request.target)
        guard request.method.utf8.allSatisfy(isTokenByte), (1...64).contains(request.method.utf8.count)
        else {
            throw HubConnectionError.Reason.invalidRequest("\(quoted(request.method)) is not an HTTP method")
        }
        guard request.target.utf8.first == UInt8(ascii: "/"), request.target.utf8.count <= 8_192,
            request.target.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw HubConnectionError.Reason.invalidRequest(
                request.target.utf8.first == UInt8(ascii: "/")
                    ? "the path holds visible ASCII, at most 8192 bytes; the rest is percent-encoded"
                    : "the path must begin with '/'")
        }
        head.headers.add(name: "Host", value: hostField)
        for field in request.headers {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenByte),
                !field.value.unicodeScalars.contains(where: {
                    $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F
                })
            else {
                throw HubConnectionError.Reason.invalidRequest(
                    "a header field has a character that is not allowed")
            }
            head.headers.add(name: field.name, value: field.value)
        }
        // A POST without content announces the length 0 (RFC 9110 § 8.6). Otherwise NIO uses chunked coding,
        // which old servers cannot read.
        let mayHaveContent = ["POST", "PUT", "PATCH"].contains(request.method)
        if let length = request.body?.count ?? (mayHaveContent ? 0 : nil) {
            head.headers.add(name: "Content-Length", value: "\(length)")
        }
        let body = ByteBuffer(bytes: request.body ?? [])
        let ready = head
        return try await untilCancelled { handler in
            handler.begin(
                ready, body: body, quiet: TimeAmount(deadlines.quiet),
                total: deadlines.total.map(TimeAmount.init))
        }
    }

    private func next() async throws -> HTTPClientResponsePart { try await untilCancelled { $0.next() } }

    /// Returns the result of a call to the handler. If the task is cancelled, the connection is closed.
    private func untilCancelled<Answer: Sendable>(
        _ question: @escaping @Sendable (HTTPClientHandler) -> EventLoopFuture<Answer>
    ) async throws -> Answer {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit { [handler] in question(handler.value) }.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// The `Host` field (RFC 9110 § 7.2): the address without its scope, which is meaningful only on this
    /// machine.
    private var hostField: String {
        let text = address.description
        guard let percent = text.firstIndex(of: "%"), let end = text.firstIndex(of: "]") else { return text }
        return String(text[..<percent] + text[end...])
    }
}
