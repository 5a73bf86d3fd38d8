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

    /// NIST SP 800-17 table 4: every entry of every S-box is met. One key three times is DES.
    private static let substitutions = [
        ("7CA110454A1A6E57", "01A1D6D039776742", "690F5B0D9A26939B"),
        ("0131D9619DC1376E", "5CD54CA83DEF57DA", "7A389D10354BD271"),
        ("07A1133E4A0B2686", "0248D43806F67172", "868EBB51CAB4599A"),
        ("3849674C2602319E", "51454B582DDF440A", "7178876E01F19B2A"),
        ("04B915BA43FEB5B6", "42FD443059577FA2", "AF37FB421F8C4095"),
        ("0113B970FD34F2CE", "059B5E0851CF143A", "86A560F10EC6D85B"),
        ("0170F175468FB5E6", "0756D8E0774761D2", "0CD3DA020021DC09"),
        ("43297FAD38E373FE", "762514B829BF486A", "EA676B2CB7DB2B7A"),
        ("07A7137045DA2A16", "3BDD119049372802", "DFD64A815CAF1A0F"),
        ("04689104C2FD3B2F", "26955F6835AF609A", "5C513C9C4886C088"),
        ("37D06BB516CB7546", "164D5E404F275232", "0A2AEEAE3FF4AB77"),
        ("1F08260D1AC2465E", "6B056E18759F5CCA", "EF1BF03E5DFA575A"),
        ("584023641ABA6176", "004BD6EF09176062", "88BF0DB6D70DEE56"),
        ("025816164629B007", "480D39006EE762F2", "A1F9915541020B56"),
        ("49793EBC79B3258F", "437540C8698F3CFA", "6FBF1CAFCFFD0556"),
        ("4FB05E1515AB73A7", "072D43A077075292", "2F22E49BAB7CA1AC"),
        ("49E95D6D4CA229BF", "02FE55778117F12A", "5A6B612CC26CCE4A"),
        ("018310DC409B26D6", "1D9D5C5018F728C2", "5F4C038ED12B2E41"),
        ("1C587F1C13924FEF", "305532286D6F295A", "63FAC0D034D9F793"),
    ]

    @Test func itsTablesAreNISTs() {
        let zero = [UInt8](repeating: 0, count: 8)
        for (key, plain, encrypted) in Self.substitutions {
            let cipher = TripleDES(key: bytes(key + key + key))
            #expect(Array(cipher.encrypt(bytes(plain), vector: zero).prefix(8)) == bytes(encrypted))
        }
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
