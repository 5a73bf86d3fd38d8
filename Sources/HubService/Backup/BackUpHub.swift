import Backups
package import FoundationEssentials
import Glibc
import Identity
import Pairing

/// Makes a backup of a hub.
package struct BackUpHub {
    private let state: HubState
    private let work: Int

    /// - Parameter work: log2 of scrypt's N; less than the usual only for tests.
    package init(state: HubState, work: Int = AgeFile.usualWork) { (self.state, self.work) = (state, work) }

    /// - Returns: the encrypted file, and the hub that it is of.
    package func run(passphrase: String, now: Date = Date()) throws -> (file: [UInt8], backup: HubBackup) {
        // An upgrade from a hub that had them among its own may not have been started yet.
        if state.isHouseApart, geteuid() == 0 { try state.takeOverHousehold() }
        let directory = try state.open()
        var backup = try directory.withLock { directory in
            try state.withHousehold(directory) { try HubBackup(of: directory, household: $0, at: now) }
        }
        backup.addDatabase(of: directory)
        return (try backup.encrypted(under: passphrase, work: work), backup)
    }
}

/// The passphrase of a backup: 120 bits in six groups of Crockford's base32, `XXXX-XXXX-XXXX-XXXX-XXXX-XXXX`.
/// A typed code has five groups, so neither is taken for the other.
package enum BackupPassphrase {
    private static let byteCount = 15
    /// Whoever has the file can try passphrases for years. A backup from before is opened with a shorter one.
    package static let minimumLength = 12

    package static func isLongEnough(_ passphrase: String) -> Bool { passphrase.count >= minimumLength }

    package static func random() -> String {
        let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
        return CrockfordBase32.grouped(CrockfordBase32.encode(bytes))
    }

    /// What a person typed: one of ours in any case and spacing, else as it is.
    package static func typed(_ text: String) -> String {
        guard let symbols = CrockfordBase32.symbols(typed: text), symbols.count == 24 else { return text }
        return CrockfordBase32.grouped(String(decoding: symbols, as: UTF8.self))
    }
}
