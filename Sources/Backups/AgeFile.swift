package import Crypto
import FoundationEssentials
import Identity

/// A file of the age format (age-encryption.org/v1) for one passphrase, which `age -d` reads too:
///
///     file   = header payload
///     header = "age-encryption.org/v1" LF "-> scrypt " salt SP work LF body LF "--- " mac LF
///     salt   = 22 base64       ; 16 bytes; base64 is the standard one, canonical, without padding
///     work   = 1*2DIGIT        ; log2 of scrypt's N, without a leading zero
///     body   = 43 base64       ; the file's key (16 bytes), sealed under scrypt's key
///     mac    = 43 base64       ; HMAC-SHA-256 over the header up to and with "---"
///     payload = nonce 1*chunk  ; 16 bytes; chunks of 64 KiB, each with a tag of 16 bytes, the last marked
///
/// Accepted: what `age -p` writes. Rejected: other recipients, armour, a work above 20, a last chunk that
/// is empty after others, anything behind it.
///
/// Source: the age specification, C2SP/age.md. The cryptography is swift-crypto's; scrypt is the caller's, so
/// that the reader can be fuzzed.
package enum AgeFile {
    /// What age writes: 256 MiB of memory, and a second on a Raspberry Pi 4 or so.
    package static let usualWork = 18
    /// A file decides how much work it takes to find out that a passphrase is wrong. This is 1 GiB.
    package static let mostWork = 20
    package static let version = "age-encryption.org/v1"
    private static let chunkByteCount = 65_536
    private static let tagByteCount = 16

    /// - Parameters:
    ///   - work: log2 of scrypt's N.
    ///   - wrappingKey: the key of 32 bytes that scrypt makes of the passphrase, this salt and this work.
    package static func encrypt(
        _ content: [UInt8], work: Int, wrappingKey: (_ salt: [UInt8], _ work: Int) throws -> SymmetricKey
    ) throws -> [UInt8] {
        let fileKey = SymmetricKey(size: .bits128)
        let salt = randomBytes(16)
        let body = try seal(
            fileKey.withUnsafeBytes { Array($0) }[...], under: wrappingKey(salt, work),
            nonce: [UInt8](repeating: 0, count: 12))
        var header = "\(version)\n-> scrypt \(base64(salt)) \(work)\n\(base64(body))\n---"
        let mac = HMAC<SHA256>.authenticationCode(for: Data(header.utf8), using: macKey(fileKey))
        header += " \(base64(Array(mac)))\n"
        let nonce = randomBytes(16)
        var file = Array(header.utf8) + nonce
        let key = payloadKey(fileKey, nonce)
        var (rest, number) = (content[...], UInt64(0))
        repeat {
            let chunk = rest.prefix(chunkByteCount)
            rest = rest.dropFirst(chunkByteCount)
            file += try seal(chunk, under: key, nonce: chunkNonce(number, isLast: rest.isEmpty))
            number += 1
        } while !rest.isEmpty
        return file
    }

    /// - Parameter wrappingKey: as for writing; the work is ``mostWork`` at most. What it throws means that
    ///   there is not enough memory.
    package static func decrypt(
        _ file: [UInt8], wrappingKey: (_ salt: [UInt8], _ work: Int) throws -> SymmetricKey
    ) throws(BackupError) -> [UInt8] {
        let header = try AgeHeader(parsing: file[...])
        guard header.work <= mostWork else { throw .tooMuchWork(header.work) }
        guard let key = try? wrappingKey(header.salt, header.work) else {
            throw .noMemory(mebibytes: 1 << max(0, header.work - 10))
        }
        guard let wrapped = try? open(header.body[...], under: key, nonce: [UInt8](repeating: 0, count: 12))
        else { throw .wrongPassphrase }
        let fileKey = SymmetricKey(data: wrapped)
        guard wrapped.count == 16,
            HMAC<SHA256>.isValidAuthenticationCode(
                header.mac, authenticating: header.authenticated, using: macKey(fileKey))
        else { throw .damaged }
        var rest = header.payload
        let nonce = Array(rest.prefix(16))
        guard nonce.count == 16 else { throw .damaged }
        rest = rest.dropFirst(16)
        let chunkKey = payloadKey(fileKey, nonce)
        var (content, number) = ([UInt8](), UInt64(0))
        repeat {
            let chunk = rest.prefix(chunkByteCount + tagByteCount)
            rest = rest.dropFirst(chunkByteCount + tagByteCount)
            // An empty chunk is the whole of an empty file, and never the end of another.
            guard chunk.count > tagByteCount || number == 0,
                let bytes = try? open(chunk, under: chunkKey, nonce: chunkNonce(number, isLast: rest.isEmpty))
            else { throw .damaged }
            content += bytes
            number += 1
        } while !rest.isEmpty
        return content
    }

    private static func macKey(_ fileKey: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fileKey, salt: Data(), info: Data("header".utf8), outputByteCount: 32)
    }

    private static func payloadKey(_ fileKey: SymmetricKey, _ nonce: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fileKey, salt: nonce, info: Data("payload".utf8), outputByteCount: 32)
    }

    /// The number of the chunk in 11 bytes, and whether it is the last.
    private static func chunkNonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
        [0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } + [isLast ? 1 : 0]
    }

    private static func seal(
        _ bytes: ArraySlice<UInt8>, under key: SymmetricKey, nonce: [UInt8]
    ) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(bytes, using: key, nonce: ChaChaPoly.Nonce(data: nonce))
        return Array(box.ciphertext + box.tag)
    }

    private static func open(
        _ bytes: ArraySlice<UInt8>, under key: SymmetricKey, nonce: [UInt8]
    ) throws -> [UInt8] {
        let box = try ChaChaPoly.SealedBox(
            nonce: ChaChaPoly.Nonce(data: nonce), ciphertext: bytes.dropLast(tagByteCount),
            tag: bytes.suffix(tagByteCount))
        return Array(try ChaChaPoly.open(box, using: key))
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
    }

    static func base64(_ bytes: [UInt8]) -> String {
        String(Data(bytes).base64EncodedString().prefix { $0 != "=" })
    }
}

/// The header of an ``AgeFile``, parsed and not verified.
private struct AgeHeader {
    let salt: [UInt8]
    let work: Int
    let body: [UInt8]
    let mac: [UInt8]
    /// What the MAC is over.
    let authenticated: ArraySlice<UInt8>
    let payload: ArraySlice<UInt8>

    init(parsing file: ArraySlice<UInt8>) throws(BackupError) {
        var rest = file
        let version = AgeHeader.line(&rest)
        guard version == "age-encryption.org/v1" else {
            throw version?.hasPrefix("age-encryption.org/") == true ? .newer : .foreign
        }
        let words = (AgeHeader.line(&rest) ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.first == "->" else { throw .damaged }
        guard words.count == 4, words[1] == "scrypt" else { throw .foreign }
        guard let salt = AgeHeader.bytes(String(words[2]), count: 16), words[3].utf8.count <= 2,
            let work = Int(digits: words[3]), words[3].first != "0",
            let body = AgeHeader.line(&rest).flatMap({ AgeHeader.bytes($0, count: 32) })
        else { throw .damaged }
        let start = rest.startIndex
        guard let last = AgeHeader.line(&rest), last.hasPrefix("--- "),
            let mac = AgeHeader.bytes(String(last.dropFirst(4)), count: 32)
        else { throw .damaged }
        (self.salt, self.work, self.body, self.mac) = (salt, work, body, mac)
        authenticated = file[..<(start + 3)]
        payload = rest
    }

    /// Takes a line of ASCII from the front, without its end; nil if there is none of at most 128 bytes.
    private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let end = rest.prefix(129).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = rest[..<end]
        guard line.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        rest = rest[(end + 1)...]
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads canonical base64 without padding.
    private static func bytes(_ text: String, count: Int) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding), data.count == count else { return nil }
        return AgeFile.base64(Array(data)) == text ? Array(data) : nil
    }
}
