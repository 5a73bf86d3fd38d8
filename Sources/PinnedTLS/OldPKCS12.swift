import Crypto

/// A key and its certificate in PKCS #12 (RFC 7292) as systems before about 2020 read it: SHA-1 and Triple
/// DES under a key from the passphrase (appendix B), with SHA-1 in its check.
///
/// Weak against a passphrase that can be guessed. Those of hubpair have 80 random bits.
struct OldPKCS12 {
    private static let iterations = 2_048

    let key: [UInt8]
    let certificate: [UInt8]
    let name: String

    /// - Parameters:
    ///   - key: PKCS #8, DER.
    ///   - certificate: DER.
    ///   - name: what systems call it.
    init(key: [UInt8], certificate: [UInt8], name: String) {
        (self.key, self.certificate, self.name) = (key, certificate, name)
    }

    /// - Parameter salts: of the key, the certificate and the check, 8 bytes each.
    func serialized(passphrase: String, salts: [[UInt8]] = (0..<3).map { _ in OldPKCS12.salt() }) -> [UInt8] {
        let password = OldPKCS12.bigEndian(passphrase) + [0, 0]
        // Ties the two together.
        let id = Array(Insecure.SHA1.hash(data: certificate))
        let attributes = DER.set(
            DER.sequence(DER.friendlyName + DER.set(DER.value(0x1E, OldPKCS12.bigEndian(name))))
                + DER.sequence(DER.localKeyID + DER.set(DER.octets(id))))
        let keyBag = DER.sequence(
            DER.shroudedKeyBag
                + DER.explicit(
                    DER.sequence(
                        OldPKCS12.scheme(salts[0]) + DER.octets(OldPKCS12.encrypt(key, password, salts[0]))))
                + attributes)
        let certificateBag = DER.sequence(
            DER.certificateBag
                + DER.explicit(DER.sequence(DER.x509Certificate + DER.explicit(DER.octets(certificate))))
                + attributes)
        let encrypted = OldPKCS12.encrypt(DER.sequence(certificateBag), password, salts[1])
        let encryptedData = DER.sequence(
            DER.encryptedData
                + DER.explicit(
                    DER.sequence(
                        DER.integer(0)
                            + DER.sequence(DER.data + OldPKCS12.scheme(salts[1]) + DER.value(0x80, encrypted))
                    )))
        let safe = DER.sequence(encryptedData + DER.content(DER.sequence(keyBag)))
        let check = HMAC<Insecure.SHA1>.authenticationCode(
            for: safe, using: SymmetricKey(data: OldPKCS12.derive(password, salts[2], use: 3, count: 20)))
        return DER.sequence(
            DER.integer(3) + DER.content(safe)
                + DER.sequence(
                    DER.sequence(DER.sequence(DER.sha1 + DER.null) + DER.octets(Array(check)))
                        + DER.octets(salts[2]) + DER.integer(OldPKCS12.iterations)))
    }

    static func salt() -> [UInt8] { (0..<8).map { _ in UInt8.random(in: .min ... .max) } }

    /// A BMPString (X.680).
    private static func bigEndian(_ text: String) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
    }

    private static func scheme(_ salt: [UInt8]) -> [UInt8] {
        DER.sequence(DER.sha1AndTripleDES + DER.sequence(DER.octets(salt) + DER.integer(iterations)))
    }

    private static func encrypt(_ plain: [UInt8], _ password: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        TripleDES(key: derive(password, salt, use: 1, count: 24))
            .encrypt(plain, vector: derive(password, salt, use: 2, count: 8))
    }

    /// RFC 7292 appendix B.2 with SHA-1: u is 20 bytes, v is 64.
    static func derive(_ password: [UInt8], _ salt: [UInt8], use: UInt8, count: Int) -> [UInt8] {
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            (0..<64 * ((bytes.count + 63) / 64)).map { bytes[$0 % bytes.count] }
        }
        var input = filled(salt) + filled(password)
        var result: [UInt8] = []
        while result.count < count {
            var digest = Array(Insecure.SHA1.hash(data: [UInt8](repeating: use, count: 64) + input))
            for _ in 1..<iterations { digest = Array(Insecure.SHA1.hash(data: digest)) }
            result += digest
            // Each block of the input becomes itself and the digest and one, modulo 2^512.
            let addend = filled(digest)
            for start in stride(from: 0, to: input.count, by: 64) {
                var carry = 1
                for offset in (0..<64).reversed() {
                    carry += Int(input[start + offset]) + Int(addend[offset])
                    input[start + offset] = UInt8(truncatingIfNeeded: carry)
                    carry >>= 8
                }
            }
        }
        return Array(result.prefix(count))
    }

    /// What is needed of X.690.
    private enum DER {
        static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            let length: [UInt8]
            switch count {
            case ..<0x80: length = [UInt8(count)]
            case ..<0x100: length = [0x81, UInt8(count)]
            default: length = [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            }
            return [tag] + length + content
        }
        static func sequence(_ content: [UInt8]) -> [UInt8] { value(0x30, content) }
        static func set(_ content: [UInt8]) -> [UInt8] { value(0x31, content) }
        static func octets(_ content: [UInt8]) -> [UInt8] { value(0x04, content) }
        static func explicit(_ content: [UInt8]) -> [UInt8] { value(0xA0, content) }
        static func content(_ bytes: [UInt8]) -> [UInt8] { sequence(data + explicit(octets(bytes))) }
        /// Below 32,768.
        static func integer(_ number: Int) -> [UInt8] {
            number < 0x80
                ? [0x02, 1, UInt8(number)] : [0x02, 2, UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        }
        static let null: [UInt8] = [0x05, 0]
        private static let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01]
        private static func id(_ rest: [UInt8]) -> [UInt8] { value(0x06, pkcs + rest) }
        static let data = id([7, 1])
        static let encryptedData = id([7, 6])
        static let friendlyName = id([9, 20])
        static let localKeyID = id([9, 21])
        static let x509Certificate = id([9, 22, 1])
        static let sha1AndTripleDES = id([12, 1, 3])
        static let shroudedKeyBag = id([12, 10, 1, 2])
        static let certificateBag = id([12, 10, 1, 3])
        static let sha1 = value(0x06, [0x2B, 0x0E, 0x03, 0x02, 0x1A])
    }
}
