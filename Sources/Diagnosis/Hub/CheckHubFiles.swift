import FoundationEssentials
import Glibc
import Household
import HubService
import Pairing
import PinnedTLS

/// The hub's files: their modes, and whether they are whole. Nothing is written, no lock is taken.
struct CheckHubFiles: Sendable {
    /// What the other checks of the hub go by.
    struct Hub: Sendable {
        let settings: HubSettings
        let identity: TLSIdentity

        var pin: Pin { identity.pin }
    }

    let state: HubState

    /// Where else this machine's hub is, if there is none here; and how to look at that.
    var elsewhere: Finding.Verdict? {
        do {
            _ = try state.open()
            return nil
        } catch let error as HubError {
            guard case .elsewhere = error else { return nil }
            return .skipped(error.description, mend: error.hint)
        } catch {
            return nil
        }
    }

    /// True if a hub is there, whole or not.
    var exists: Bool { state.hasFiles }

    /// The hub, if its settings and its key can be read.
    var hub: Hub? {
        guard let directory = try? state.open(), let settings = try? HubState.settings(in: directory),
            let identity = try? HubState.identity(in: directory)
        else { return nil }
        return Hub(settings: settings, identity: identity)
    }

    var checks: [DiagnosisCheck] {
        let state = state
        return [
            DiagnosisCheck(
                "hub-files", tried: "checked who may read the hub's files in \(state.path), and read them"
            ) {
                try CheckHubFiles.files(state)
            },
            DiagnosisCheck("hub-certificate", tried: "compared the hub's certificate with its key") {
                guard let directory = CheckHubFiles.open(state) else { return CheckHubFiles.closed }
                let identity = try HubState.existingIdentity(in: directory)
                let bytes = try directory.read(HubState.certificateFileName)
                return CheckHubFiles.certificate(
                    isThere: bytes != nil, matches: bytes.map(identity.isBorne(byCertificatePEM:)) ?? false,
                    fingerprint: identity.pin.fingerprint.description)
            },
            DiagnosisCheck(
                "hub-public-certificate", tried: "looked how long the installed certificate is valid"
            ) {
                guard CheckHubFiles.open(state) != nil else { return CheckHubFiles.closed }
                guard let installed = try PublicCertificate(state: state).installed() else {
                    return .skipped("none is installed")
                }
                return CheckHubFiles.publicCertificate(
                    for: installed.names.first ?? "", from: installed.begins, until: installed.ends,
                    now: Date())
            },
            DiagnosisCheck("hub-devices", tried: "read the keyfile of the paired devices") {
                guard let directory = CheckHubFiles.open(state) else { return CheckHubFiles.closed }
                guard let devices = try HubState.devices(in: directory) else {
                    let path = directory.path(of: ApprovedDevices.fileName)
                    let hasBackup = directory.hasGoodBackup(
                        ApprovedDevices.fileName, ApprovedDevices.init(parsing:))
                    throw HubError.missingFile(path: path, hasGoodBackup: hasBackup)
                }
                return CheckHubFiles.devices(devices.devices)
            },
        ]
    }

    static let closed = Finding.Verdict.skipped("the files cannot be read (see above)")

    static func certificate(isThere: Bool, matches: Bool, fingerprint: String) -> Finding.Verdict {
        if matches { return .ok("both belong to the hub \(fingerprint)") }
        return .problem(
            isThere ? "the certificate belongs to another key, or cannot be read" : "the certificate is gone",
            mend: "'hubpair setup' makes it again from the key; then restart the hub")
    }

    /// How long a certificate for a public name is valid. ACME clients fetch a new one when a third of its
    /// time is left; a warning comes with a sixth, 14 days at most.
    static func publicCertificate(
        for name: String, from begin: Date, until end: Date, now: Date
    ) -> Finding.Verdict {
        let left = end.timeIntervalSince(now)
        let days = Int((left / 86_400).rounded(.down))
        let mend =
            "let the ACME client fetch a new one, and 'hubpair hub certificate install' take it; "
            + "samples/acme has a timer for it"
        if left < 0 {
            return .problem(
                "the certificate for \(name) was valid until \(end.timestamp)", mend: mend)
        }
        if left < min(14 * 86_400, end.timeIntervalSince(begin) / 6) {
            return .warning("the certificate for \(name) is valid for \(days) days more", mend: mend)
        }
        return .ok("it stands for \(name), for \(days) days more")
    }

    /// How many devices there are, or which one is let in nowhere because of its role.
    static func devices(_ all: [ApprovedDevice]) -> Finding.Verdict {
        let strange = all.filter { $0.status != .revoked && $0.knownRole == nil }
        if let first = strange.first {
            let more = strange.count > 1 ? " (and \(strange.count - 1) more)" : ""
            let mend =
                first.status == .pending
                ? "give it one with the approval: hubpair devices approve \(first.fingerprint) --role member"
                : "'hubpair devices role \(first.fingerprint) member' gives it one; the roles are "
                    + Role.allCases.map(\.rawValue).joined(separator: ", ")
            return .problem(
                "\(first.name) (\(first.fingerprint)) is let in nowhere, since \"\(first.role ?? "")\" is "
                    + "not a role\(more)", mend: mend)
        }
        let words = [ApprovedDevice.Status.approved, .pending, .revoked].map { status in
            "\(all.count { $0.status == status }) \(status.rawValue)"
        }
        return .ok(words.joined(separator: ", "))
    }

    private static func open(_ state: HubState) -> ProtectedDirectory? { try? state.open() }

    private static func files(_ state: HubState) throws -> Finding.Verdict {
        let directory: ProtectedDirectory
        do {
            directory = try state.open()
        } catch let error as HubError {
            // Perhaps rightly: a service has a user of its own.
            guard case .foreign = error else { throw error }
            return .skipped(error.description, mend: error.hint)
        }
        var faults: [any Error] = []
        for file in HubFile.allCases where !file.isHouseholds {
            do { try read(file, in: directory) } catch { faults.append(error) }
        }
        for name in Journal.fileNames {
            do { _ = try directory.read(name) } catch { faults.append(error) }
        }
        if let hook = (try? HubState.settings(in: directory))?.hook {
            do { try HookTrust.check(hook, user: state.hookUser) } catch { faults.append(error) }
        }
        // Whether the house can be asked at all is another check's.
        if let fault = try? HouseFiles(of: state).faults[SceneRuns.fileName] { faults.append(fault) }
        guard let first = faults.first else { return .ok("nobody but their owner, and they can be read") }
        let verdict = Finding.Verdict(first)
        let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
        return Finding.Verdict(status: verdict.status, seen: verdict.seen + more, mend: verdict.mend)
    }

    /// Throws if the file is not whole, or is missing and must not be. The devices have a check of their own.
    private static func read(_ file: HubFile, in directory: borrowing ProtectedDirectory) throws {
        let isThere =
            file == .devices
            ? try directory.read(file.name) != nil : try directory.read(file.name, file.check) != nil
        guard !isThere else { return }
        if file == .settings { throw HubError.notSetUp(directory: directory.path) }
        if file == .codes {
            throw HubError.missingFile(path: directory.path(of: file.name), hasGoodBackup: false)
        }
    }
}
