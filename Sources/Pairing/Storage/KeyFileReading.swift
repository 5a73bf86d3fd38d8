import FoundationEssentials
package import Identity

/// A keyfile with a fault: which file, what fault, and where the version before it stands.
package struct UnreadableKeyFile: Equatable, UserError {
    package let path: String
    package let fault: KeyFileError
    /// True if the version before, `.bak`, is there and has no fault.
    package let hasGoodBackup: Bool

    /// What is wrong, in lower case, without a full stop.
    package var description: String { "\(path): \(fault)" }

    package var kind: UserErrorKind { .configuration }

    /// How to mend it.
    package var hint: String? {
        fault.hint ?? FileRecovery.hint(path, hasGoodBackup: hasGoodBackup, isGone: false)
    }
}

extension ProtectedDirectory {
    /// Reads the keyfile `name` with `parse`; nil if there is none.
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

    /// True if the version before of the keyfile `name` could be read in its place.
    package func hasGoodBackup<Content>(
        _ name: String, _ parse: ([UInt8]) throws(KeyFileError) -> Content
    ) -> Bool {
        // Whatever is wrong with it, it is not offered.
        guard let bytes = try? read(name + ".bak") else { return false }
        return (try? parse(bytes)) != nil
    }
}
