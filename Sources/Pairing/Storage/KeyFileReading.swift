#if os(Linux) && !HUBPAIR_PORTABLE
package import Identity

/// A keyfile that cannot be parsed: its path, the error, and whether there is a valid backup.
package struct UnreadableKeyFile: Equatable, UserError {
    package let path: String
    package let fault: KeyFileError
    /// True if the previous version, `.bak`, exists and is valid.
    package let hasGoodBackup: Bool

    /// What is wrong, in lower case, without a full stop.
    package var description: String { "\(path): \(fault)" }

    package var kind: UserErrorKind { .configuration }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        fault.hint ?? FileRecovery.hint(path, hasGoodBackup: hasGoodBackup, isGone: false)
    }
}

extension ProtectedDirectory {
    /// Reads the keyfile `name` with `parse`; nil if it does not exist.
    package func read<Content>(
        _ name: String, _ parse: ([UInt8]) throws(KeyFileError) -> Content
    ) throws -> Content? {
        guard let bytes = try read(name) else { return nil }
        do {
            return try parse(bytes)
        } catch {
            throw UnreadableKeyFile(
                path: path(of: name), fault: error, hasGoodBackup: hasGoodBackup(name, parse))
        }
    }

    /// True if the previous version of the keyfile `name` is valid.
    package func hasGoodBackup<Content>(
        _ name: String, _ parse: ([UInt8]) throws(KeyFileError) -> Content
    ) -> Bool {
        // A backup with any problem is not offered.
        guard let bytes = try? read(name + ".bak") else { return false }
        return (try? parse(bytes)) != nil
    }
}
#endif
