import FoundationEssentials
import Glibc
import PinnedTLS
import Testing

/// Strangers' programs.
enum Subprocess {
    struct Failed: Error { let text: String }

    /// Runs a script in `directory`; what it wrote on both outputs. It ends with 0, or this throws.
    static func sh(_ script: String, in directory: String) async throws -> String {
        let output = "\(directory)/output-\(UUID().uuidString)"
        let status = try await withCheckedThrowingContinuation {
            (done: CheckedContinuation<Int32, any Error>) in
            Thread.run {
                let text = "cd '\(directory)' && { \(script)\n} >'\(output)' 2>&1 </dev/null"
                done.resume(returning: system(text))
            }
        }
        let text = String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        guard status == 0 else { throw Failed(text: "\(status): \(text)") }
        return text
    }

    enum Thread {
        /// For what blocks, as system(3) does: a pool thread must not.
        static func run(_ body: @escaping @Sendable () -> Void) {
            final class Box: Sendable {
                let body: @Sendable () -> Void
                init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            }
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { raw in
                    guard let raw else { return nil }
                    Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
                    return nil
                }, Unmanaged.passRetained(Box(body)).toOpaque())
            pthread_detach(thread)
        }
    }

    /// curl's output and the status, with a certificate over a key of this type.
    static func curl(port: UInt16, path: String, key: String, in directory: String) async throws -> String {
        try await sh(
            """
            openssl req -x509 -newkey \(key) -nodes -keyout k.pem -out c.pem -days 9 -subj /CN=x \
            2>/dev/null &&
            curl -sk --max-time 20 --cert c.pem --key k.pem -w ' %{http_code}' \
            https://127.0.0.1:\(port)\(path)
            """, in: directory)
    }

    /// What `/hubpair/v1/verify` says to a device and to nobody, first and on two resumed sessions each, as
    /// `New STATUS` and `Reused STATUS`; and what becomes of a client that speaks TLS 1.2.
    static func resume(
        port: UInt16, device: TLSIdentity, in directory: String
    ) async throws -> (with: [String], without: [String], tls12: String) {
        try Data(device.keyPEM.utf8).write(to: URL(filePath: "\(directory)/device.pem"))
        try Data(device.certificatePEM().utf8).write(to: URL(filePath: "\(directory)/device.crt"))
        let client = "openssl s_client -connect 127.0.0.1:\(port) -ign_eof"
        let request =
            "printf 'GET /hubpair/v1/verify HTTP/1.1\\r\\nHost: h\\r\\nConnection: close\\r\\n\\r\\n'"
        func script(_ options: String, session: String) -> String {
            """
            \(request) | \(client) \(options) -sess_out \(session) 2>&1
            \(request) | \(client) \(options) -sess_in \(session) -sess_out \(session) 2>&1
            \(request) | \(client) \(options) -sess_in \(session) 2>&1
            """
        }
        func summary(_ text: String) -> [String] {
            var results: [String] = []
            var kind = ""
            for line in text.split(whereSeparator: \.isNewline) {
                if line.hasPrefix("New, TLSv1.3") { kind = "New" }
                if line.hasPrefix("Reused, TLSv1.3") { kind = "Reused" }
                // openssl's own lines do not always end before the answer.
                if let answer = line.firstRange(of: "HTTP/1.1 ") {
                    results.append("\(kind) \(line[answer.upperBound...].prefix(3))")
                }
            }
            return results
        }
        let with = try await sh(
            script("-cert device.crt -key device.pem", session: "a.session"), in: directory)
        let without = try await sh(script("", session: "b.session"), in: directory)
        let tls12 = try await sh("\(request) | \(client) -tls1_2 2>&1 || true", in: directory)
        return (summary(with), summary(without), tls12)
    }
}
