import Addresses
import CGlibc
import Glibc
import Identity

/// One request over HTTP without TLS; only the status counts.
enum PlainHTTP {
    /// The status of `GET path`, nil without an answer in HTTP within `milliseconds`. It blocks for that
    /// time.
    static func status(
        of path: String, at address: NetworkAddress, port: UInt16, milliseconds: Int32 = 500
    ) -> Int? {
        let host = address.description(withPort: port)
        let request = "GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        return TCPConnect.connect(to: address, port: port, milliseconds: milliseconds) { descriptor in
            let bytes = Array(request.utf8)
            guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                return nil
            }
            var reply: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 64)
            // A status line that comes in pieces of a byte each has no need to be understood.
            for _ in 0..<4 {
                var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&wait, 1, milliseconds / 4) == 1 else { continue }
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { break }
                reply += chunk[..<count]
                if let status = status(in: reply) { return status }
            }
            return nil
        }
    }

    /// The status at the beginning of a reply (RFC 9112 § 4); nil if that is not a whole status line.
    ///
    /// Accepted: `HTTP/1.0 200 OK`, `HTTP/1.1 404` and a line end. Rejected: `HTTP/1.1 20`, `HTTP/2 200`,
    /// `SSH-2.0`.
    static func status(in reply: [UInt8]) -> Int? {
        guard reply.count > 12, reply.starts(with: "HTTP/1.".utf8), (0x30...0x39).contains(reply[7]),
            reply[8] == UInt8(ascii: " "), " \r\n".utf8.contains(reply[12])
        else { return nil }
        guard let status = Int(digits: String(decoding: reply[9..<12], as: UTF8.self)), status >= 100 else {
            return nil
        }
        return status
    }
}
