import Addresses
import CGlibc
import Glibc

/// Asks an MQTT broker whether it lets somebody in: one CONNECT of MQTT 3.1.1, and its answer. The house
/// has a library for the rest (`House/MQTT`), which a command does not need.
enum AskBroker {
    private static let milliseconds: Int32 = 5_000

    static func ask(_ server: JoinedServer) throws(JoinError) {
        var code = ECONNREFUSED
        for address in server.url.addresses {
            let hello = hello(server.login)
            let bytes: [UInt8]? = TCPConnect.connect(
                to: address, port: server.url.port, milliseconds: milliseconds, failed: { code = $0 }
            ) { descriptor in answer(to: hello, at: descriptor) }
            guard let bytes else { continue }
            switch reason(bytes) {
            case 0?: return
            // A bad name or password, and one that may not come in.
            case 4?, 5?: throw .refused(server.kind)
            case let other: throw .other(server.kind, server.url.text, other ?? 0)
            }
        }
        throw .silent(server.kind, server.url.text, String(cString: strerror(code)).lowercased())
    }

    /// CONNECT: MQTT 3.1.1, § 3.1.
    static func hello(_ login: JoinedServer.Login?) -> [UInt8] {
        func text(_ text: String) -> [UInt8] {
            [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + text.utf8
        }
        // A new session, perhaps with name and password; 10 s; the broker names the client.
        var rest = text("MQTT") + [4, login == nil ? 0x02 : 0xC2, 0, 10] + text("")
        if let login { rest += text(login.name) + text(login.password) }
        let length =
            rest.count < 128 ? [UInt8(rest.count)] : [UInt8(rest.count & 127) | 128, UInt8(rest.count >> 7)]
        return [0x10] + length + rest
    }

    /// The reason in a CONNACK (§ 3.2); nil for what is none.
    static func reason(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4, bytes[0] == 0x20, (2..<128).contains(bytes[1]), bytes[2] <= 1 else {
            return nil
        }
        return Int(bytes[3])
    }

    /// The beginning of what comes back; empty if nothing does.
    private static func answer(to hello: [UInt8], at descriptor: Int32) -> [UInt8] {
        guard send(descriptor, hello, hello.count, Int32(MSG_NOSIGNAL)) == hello.count else { return [] }
        var bytes: [UInt8] = []
        while bytes.count < 4 {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, milliseconds) == 1 else { return bytes }
            var piece = [UInt8](repeating: 0, count: 4 - bytes.count)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return bytes }
            bytes += piece.prefix(count)
        }
        let goodbye: [UInt8] = [0xE0, 0]
        _ = send(descriptor, goodbye, goodbye.count, Int32(MSG_NOSIGNAL))
        return bytes
    }
}
