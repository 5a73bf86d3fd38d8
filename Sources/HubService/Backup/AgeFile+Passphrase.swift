package import Backups
import Crypto
import CryptoExtras

extension AgeFile {
    /// - Parameter work: log2 of scrypt's N.
    package static func encrypt(
        _ content: [UInt8], passphrase: String, work: Int = usualWork
    ) throws -> [UInt8] {
        try encrypt(content, work: work) { try wrappingKey(passphrase, $0, work: $1) }
    }

    package static func decrypt(_ file: [UInt8], passphrase: String) throws(BackupError) -> [UInt8] {
        guard !passphrase.isEmpty else { throw .wrongPassphrase }
        return try decrypt(file) { try wrappingKey(passphrase, $0, work: $1) }
    }

    private static func wrappingKey(_ passphrase: String, _ salt: [UInt8], work: Int) throws -> SymmetricKey {
        try KDF.Scrypt.deriveKey(
            from: Array(passphrase.utf8), salt: Array("\(version)/scrypt".utf8) + salt, outputByteCount: 32,
            rounds: 1 << work, blockSize: 8, parallelism: 1)
    }
}
