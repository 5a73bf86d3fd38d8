#if os(Linux) && !HUBPAIR_PORTABLE
/// Where the files are kept that several gates share. Those in the directory are then a copy of them.
package protocol SharedFiles: Sendable {
    /// Finds out what all gates agree on, so that ``refresh(_:)`` has little left to ask. Called without the
    /// lock: gates that are slow to answer then hold up nobody else of this directory.
    func prepare() throws

    /// Makes the copy what all gates agree on now. Called under the directory's lock.
    func refresh(_ directory: borrowing ProtectedDirectory) throws

    /// Changes files for all gates in one step, if none of them has changed since ``refresh(_:)``. Called
    /// under the same lock, before the copy is written.
    ///
    /// - Throws: ``SharedConflict`` if another gate was faster.
    func commit(_ files: [SharedFile], in directory: borrowing ProtectedDirectory) throws
}

/// A file as it is to be.
package struct SharedFile: Equatable, Sendable {
    package let name: String
    package let bytes: [UInt8]
    /// Going back to the version before must not undo it.
    package let isFinal: Bool

    package init(_ name: String, _ bytes: [UInt8], isFinal: Bool = false) {
        (self.name, self.bytes, self.isFinal) = (name, bytes, isFinal)
    }
}

/// Another gate has changed the files in between: what was decided is decided again.
package struct SharedConflict: UserError {
    package init() {}

    package var description: String {
        "other gates of the site change its files faster than this one can; nothing was changed"
    }
    package var hint: String? { "try again" }
    package var kind: UserErrorKind { .tryAgain }
}

extension ProtectedDirectory {
    /// How often a step is tried while other gates are faster: far more gates than that would have to change
    /// something at the same moment.
    private static let attempts = 100

    /// Like ``withLock(_:)``, for a step that reads and changes files that gates share: what `body` reads is
    /// what all gates agree on, and what it writes by ``replaceShared(_:)`` counts only if it still is. Else
    /// `body` runs again, so until then it must have no other effect.
    package func withSharedLock<Result>(
        _ body: (borrowing ProtectedDirectory) throws -> Result
    ) throws -> Result {
        guard let shared else { return try withLock(body) }
        for _ in 0..<ProtectedDirectory.attempts {
            do {
                try shared.prepare()
                return try withLock { directory in
                    try shared.refresh(directory)
                    return try body(directory)
                }
            } catch is SharedConflict {
                continue
            }
        }
        throw SharedConflict()
    }

    /// Replaces files that gates share: for all of them in one step, and then here, one after the other, each
    /// durably. Call it inside ``withSharedLock(_:)``, once.
    package func replaceShared(_ files: [SharedFile]) throws {
        try shared?.commit(files, in: self)
        for file in files {
            if file.isFinal {
                try replaceBoth(file.name, with: file.bytes)
            } else {
                try replace(file.name, with: file.bytes)
            }
        }
    }
}
#endif
