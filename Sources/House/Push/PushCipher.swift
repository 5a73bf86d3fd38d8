import Crypto

/// The encryption of one message for one browser (RFC 8291), as a single record of `aes128gcm` (RFC 8188).
enum PushCipher {
    static let saltByteCount = 16
    /// The size of the record; push services take 4,096 bytes (RFC 8291 § 4).
    private static let recordByteCount: UInt32 = 4096
    /// The end of the text in the last record (RFC 8188 § 2).
    private static let lastDelimiter: UInt8 = 2
    private static let overhead = 16 + 4 + 1 + 65 + 1 + 16
    static let maximumTextByteCount = Int(recordByteCount) - overhead

    static func isKey(_ bytes: [UInt8]) -> Bool {
        (try? P256.KeyAgreement.PublicKey(x963Representation: bytes)) != nil
    }

    /// - Parameters:
    ///   - text: at most ``maximumTextByteCount`` bytes.
    ///   - padded: so many bytes, if it is shorter: a push service sees the length.
    ///   - salt: ``saltByteCount`` bytes, random and never used before.
    ///   - sender: a key for this message alone.
    static func seal(
        _ text: [UInt8], padded: Int = 0, for browser: [UInt8], auth: [UInt8], salt: [UInt8],
        sender: P256.KeyAgreement.PrivateKey
    ) throws -> [UInt8] {
        let ours = Array(sender.publicKey.x963Representation)
        let shared = try sender.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: browser))
        let input = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: auth, sharedInfo: info("WebPush: info") + browser + ours,
            outputByteCount: 32)
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: info("Content-Encoding: aes128gcm"),
            outputByteCount: 16)
        let nonce = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: input, salt: salt, info: info("Content-Encoding: nonce"), outputByteCount: 12)
        let padding = [UInt8](repeating: 0, count: max(0, min(padded, maximumTextByteCount) - text.count))
        let box = try AES.GCM.seal(
            text + [lastDelimiter] + padding, using: key,
            nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))
        let size = (0..<4).map { UInt8(truncatingIfNeeded: recordByteCount >> (24 - 8 * UInt32($0))) }
        return salt + size + [UInt8(ours.count)] + ours + Array(box.ciphertext) + Array(box.tag)
    }

    private static func info(_ words: String) -> [UInt8] { Array(words.utf8) + [0] }
}
