import Crypto
import FoundationEssentials
import Testing

@testable import PinnedTLS

/// What old systems read of PKCS #12. That openssl reads a whole file shows Tests/CLI/devices/devices-add.
@Suite struct OldPKCS12Tests {
    private func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap {
            UInt8(hex.dropFirst($0).prefix(2), radix: 16)
        }
    }

    /// NIST SP 800-67 appendix B.1: three keys, three blocks in ECB; each is the first block of CBC from
    /// zero.
    @Test func tripleDESIsNISTs() {
        let cipher = TripleDES(key: bytes("0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123"))
        let zero = [UInt8](repeating: 0, count: 8)
        for (plain, encrypted) in [
            ("The qufc", "A826FD8CE53B855F"), ("k brown ", "CCE21C8112256FE6"),
            ("fox jump", "68D5C05DD9B6B900"),
        ] {
            #expect(Array(cipher.encrypt(Array(plain.utf8), vector: zero).prefix(8)) == bytes(encrypted))
        }
        // A whole block of padding, as openssl's -des-ede3-cbc has it.
        #expect(cipher.encrypt([UInt8](repeating: 0, count: 8), vector: zero).count == 16)
        #expect(cipher.encrypt([], vector: zero).count == 8)
    }

    @Test func theBytesAreTheSameForTheSameSalts() {
        let file = OldPKCS12(key: [1, 2, 3], certificate: [4, 5, 6], name: "Anna's browser")
        let salts = (0..<3).map { [UInt8](repeating: UInt8($0), count: 8) }
        let one = file.serialized(passphrase: "A-B", salts: salts)
        #expect(one == file.serialized(passphrase: "A-B", salts: salts))
        #expect(one != file.serialized(passphrase: "AB", salts: salts))
        #expect(one != file.serialized(passphrase: "A-B"))
    }
}
