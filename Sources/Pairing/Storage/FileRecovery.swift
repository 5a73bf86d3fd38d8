#if os(Linux) && !HUBPAIR_PORTABLE
/// The hint for restoring a keyfile that is damaged or missing.
///
/// The previous version, `.bak`, lacks the last change, and is never read unless a person restores it.
/// Whether that is safe depends on the change:
/// - `tickets`: the change may have marked a code as used; restoring would make it valid for a second device.
///   So restoring is never offered. All codes are given up, and the owner prints new ones.
/// - `approved-devices`: the change may have been an approval or a rename. A revocation is in both versions
///   (``ProtectedDirectory/replaceBoth(_:with:)``), unless it was edited in by hand.
/// - `attempts`: the change may have been a failed attempt. That a code is void after too many failures is in
///   both versions.
/// - `known-hubs`: the change may have removed a hub.
package enum FileRecovery {
    /// - Parameters:
    ///   - hasGoodBackup: `.bak` exists and is valid.
    ///   - isGone: true if the file is missing, false if it is damaged.
    package static func hint(_ path: String, hasGoodBackup: Bool, isGone: Bool) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let directory = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        let file = shellQuoted(path)
        let aside = "mv \(file) \(shellQuoted(path + ".broken"))"
        switch String(parts.last ?? "") {
        case Tickets.fileName:
            let setUpAgain = "hubpair setup --state \(shellQuoted(directory.isEmpty ? "/" : directory))"
            return "give up all codes, and print new ones, the label too: "
                + (isGone ? setUpAgain : "\(aside) && \(setUpAgain)")
        case FailedAttempts.fileName where !hasGoodBackup:
            return "move it away, and failures are counted from 0: \(aside)"
        case let name:
            let byHand = isGone ? "" : "mend it by hand, or "
            guard hasGoodBackup else {
                return byHand + "bring it back from your own backup; the version before is not there"
            }
            let back = "go back to the version before: cp -p \(shellQuoted(path + ".bak")) \(file)"
            let list = [ApprovedDevices.fileName: "devices", KnownHubs.fileName: "hubs"][name]
            return byHand + back
                + (list.map { " (that undoes the last change: look over 'hubpair \($0)' then)" }
                    ?? " (that undoes the last change)")
        }
    }
}
#endif
