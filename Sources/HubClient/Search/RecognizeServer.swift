package import Addresses
import Home
package import Identity
import JSON
import Pairing

/// A server that answers over TLS on a port, with any key.
package enum RecognizedServer: Equatable, Sendable {
    /// A hub with hubpair: `GET /hubpair/v1/hub`. Name and `id` are its claims, the pin is that of its TLS
    /// key.
    case hubpair(name: PeerName, id: Fingerprint, pin: Pin)
    /// A stock hub (a Hestia server without hubpair): `GET /devices/` returns a JSON list without
    /// authentication.
    case stock(pin: Pin)
    /// Another server; the string completes a sentence that begins with its address.
    case other(String)

    /// The name that stock hubs announce over mDNS. They do not report a name over HTTPS.
    package static let stockName = "HestiaServer"
}

/// Finds out what a server is, with at most two requests without content.
package struct RecognizeServer: Sendable {
    /// The maximum size of a response in bytes: enough for a stock hub with some hundred appliances.
    private static let maximumByteCount = 1 << 20

    private let connector: HubConnector
    private let connecting: Duration
    private let deadlines: HubConnection.Deadlines

    /// - Parameters:
    ///   - connecting: the maximum time for TCP and TLS.
    ///   - answering: the maximum time for each of the two responses.
    package init(connecting: Duration = .seconds(5), answering: Duration = .seconds(5)) throws {
        self.connecting = connecting
        deadlines = HubConnection.Deadlines(quiet: answering, total: answering)
        // TLS 1.2 is allowed: a stock hub of 2018 may not support TLS 1.3.
        connector = try HubConnector(allowsTLS12: true)
    }

    /// Asks the first server at `addresses` that answers.
    ///
    /// - Returns: the address that answered, and what the server is. Throws if no server speaks TLS there.
    package func run(
        _ addresses: [HubAddress]
    ) async throws -> (address: HubAddress, server: RecognizedServer) {
        var connection = try await connector.connect(to: addresses, expecting: .any, deadline: connecting)
        defer { connection.close() }
        let address = connection.address
        var words = ""
        if let answer = try? await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.hub.path), maximumBodyByteCount: 4_096,
            deadlines: deadlines)
        {
            if answer.response.status == 200,
                let hub = try? HubDescription(parsing: answer.body)
            {
                return (address, .hubpair(name: hub.name, id: hub.id, pin: connection.pin))
            }
            words = answer.response["Server"].map { " (\($0.prefix(64)))" } ?? ""
        }
        // A second connection to the same server: many servers close the first after one request.
        let pin = connection.pin
        connection.close()
        guard
            let second = try? await connector.connect(
                to: [address], expecting: .pin(pin), deadline: connecting)
        else { return (address, .other("answers over TLS, but not to requests")) }
        connection = second
        do {
            let answer = try await connection.send(
                HubRequest(method: "GET", target: ControlRequest.devices.target),
                maximumBodyByteCount: Self.maximumByteCount, deadlines: deadlines)
            if answer.response.status == 200,
                (try? JSONReader.read([Entry].self, from: answer.body)) != nil
            {
                return (address, .stock(pin: pin))
            }
            let answered = "it answers \(answer.response.status) to /devices/"
            return (address, .other("is a web server\(words), but not a hub: \(answered)"))
        } catch {
            return (address, .other("answers over TLS, but not as a hub does"))
        }
    }

    /// One entry of the list, parsed and discarded: only the presence of a list matters.
    private struct Entry: JSONReadable {
        init(reading reader: inout JSONReader) throws(JSONFault) { try reader.skip() }
    }
}
