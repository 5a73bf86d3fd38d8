/// How a keyfile that is torn or gone is brought back, for a hint.
///
/// The version before, `.bak`, lacks the last change, and is never read unless a person puts it in place.
/// What that change was decides whether it may take the file's place:
/// - `tickets`: perhaps that a code was burnt, which would be good for a second device. It is never offered;
///   all codes are given up instead, and the owner prints new ones.
/// - `approved-devices`: an approval, a name. A revocation is in both versions
///   (``ProtectedDirectory/replaceBoth(_:with:)``); one that was written by hand may not be.
/// - `attempts`: a failure; that a code is void for too many is in both versions.
/// - `known-hubs`: perhaps that a hub was forgotten.
package enum FileRecovery {
    /// - Parameters:
    ///   - hasGoodBackup: `.bak` is there and has no fault.
    ///   - isGone: the file is missing; else it has a fault.
    package static func hint(_ path: String, hasGoodBackup: Bool, isGone: Bool) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let directory = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        let file = shellQuoted(path)
        let aside = "mv \(file) \(shellQuoted(path + ".broken"))"
        switch String(parts.last ?? "") {
        case Tickets.fileName:
            let makeAnew = "hubpair setup --state \(shellQuoted(directory.isEmpty ? "/" : directory))"
            return "give up all codes, and print new ones, the label too: "
                + (isGone ? makeAnew : "\(aside) && \(makeAnew)")
        case FailedAttempts.fileName where !hasGoodBackup:
            return "move it away, and failures are counted from 0: \(aside)"
        case let name:
            let byHand = isGone ? "" : "mend it by hand, or "
            guard hasGoodBackup else {
                return byHand + "bring it back from a backup of yours; the version before is not there"
            }
            let back = "go back to the version before: cp -p \(shellQuoted(path + ".bak")) \(file)"
            let list = [ApprovedDevices.fileName: "devices", KnownHubs.fileName: "hubs"][name]
            return byHand + back
                + (list.map { " (that undoes the last change: look over 'hubpair \($0)' then)" }
                    ?? " (that undoes the last change)")
        }
    }
}
