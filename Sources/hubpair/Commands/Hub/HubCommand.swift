import ArgumentParser
import FoundationEssentials
import Glibc
import HubService
import Identity
import Pairing
import QRCodes

/// `hubpair hub`: the hub of this machine as a whole.
struct HubCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Show the hub of this machine: its key, names, certificates, backup and journal.",
        discussion: """
            EXAMPLES:
              hubpair hub
              hubpair hub backup kitchen.age
              hubpair hub restore kitchen.age
            """,
        subcommands: [
            HubShowCommand.self, Backup.self, Restore.self, HubJournalCommand.self, HubRecordsCommand.self,
            HubCertificateCommand.self, HubKeyCommand.self, HubNamesCommand.self, HubServiceCommand.self,
            HubJoinCommand.self, HubSiteCommand.self, HubWaysCommand.self, HubPushCommand.self,
        ],
        defaultSubcommand: HubShowCommand.self
    )

    /// The passphrase from a file, for scripts.
    struct PassphraseOption: ParsableArguments {
        @Option(
            name: .customLong("passphrase-file"),
            help: ArgumentHelp(
                "Take the passphrase from the first line of this file; '-' is standard input.",
                valueName: "file"),
            completion: .file())
        var path: String?

        private static let mostBytes = 1024

        /// Nil if no file is named.
        func read() throws -> String? {
            guard let path else { return nil }
            if path != "-" { try checkIsPrivate(path) }
            let bytes: [UInt8]
            do {
                bytes = try InputFile.readWhole(path, limit: PassphraseOption.mostBytes)
            } catch {
                Console.report(error, subject: path == "-" ? "standard input" : path)
                throw ExitStatus(of: error)
            }
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
                throw ValidationError(
                    "the first line of --passphrase-file holds no passphrase. Write one into it, in UTF-8")
            }
            return BackupPassphrase.typed(text)
        }
    }

    /// Reads a backup for a command, which asks for the passphrase if no file is named.
    static func read(
        _ file: String, _ passphrase: PassphraseOption, for command: String
    ) throws -> HubBackup {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.readWhole(file, limit: HubBackup.maximumByteCount)
        } catch {
            Console.report(error, subject: file == "-" ? "standard input" : file)
            throw ExitStatus(of: error)
        }
        guard let secret = try passphrase.read() ?? CodePrompt.askSecret("passphrase: ") else {
            throw ValidationError(
                "'\(command)' asks for the passphrase at a terminal, and standard input is not one. "
                    + "Give it with --passphrase-file")
        }
        do {
            return try HubBackup(bytes, passphrase: BackupPassphrase.typed(secret))
        } catch {
            Console.report(error, subject: file == "-" ? "standard input" : file)
            throw ExitStatus(of: error)
        }
    }

    /// `hubpair hub backup`
    struct Backup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup",
            abstract: "Write all that the hub keeps, but codes, into one encrypted file.",
            discussion: """
                The passphrase is made here and shown once, on standard output: write it down, and keep it \
                where the file is not. Codes are not in the backup. 'age -d' opens it as well; it holds a \
                tar archive.

                EXAMPLES:
                  hubpair hub backup kitchen.age
                  hubpair hub backup --passphrase-file secret /mnt/nas/kitchen.age
                """)

        @Argument(help: "The file to write (mode 0600).", completion: .file()) var file: String
        @OptionGroup var passphrase: PassphraseOption
        @OptionGroup var state: StateOption

        func validate() throws {
            guard file != "", file != "-" else { throw ValidationError("name a file for the backup") }
        }

        func run() throws {
            try OutputFile.check(file, of: "the backup", isNoneOf: state.state.ownFiles)
            let given = try passphrase.read()
            guard given.map(BackupPassphrase.isLongEnough) ?? true else {
                throw ValidationError(
                    "a passphrase has \(BackupPassphrase.minimumLength) characters at least. Write a longer "
                        + "one into the file, or leave --passphrase-file out and one is made")
            }
            let secret = given ?? BackupPassphrase.random()
            let (bytes, backup) = try BackUpHub(state: state.state).run(passphrase: secret)
            var output = try OutputFile(bytes, at: file)
            try output.commit()
            let count = backup.devices.devices.count
            Console.note(
                "backed up the hub \(backup.title) with \(count) paired device\(count == 1 ? "" : "s"): "
                    + file)
            if output.replacesFile {
                Console.note(
                    "it takes the place of the file that was there; "
                        + "under a name of its own each backup stays")
            }
            if let fault = backup.databaseFault {
                Console.note("warning: messages and history are not in it: \(fault)")
            }
            guard given == nil else { return }
            Console.note("its passphrase, which is not kept anywhere and not shown again:")
            try Console.output(secret)
        }
    }

    /// `hubpair hub restore`
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
            abstract: "Set up the hub that a backup holds, on this machine.",
            discussion: """
                Every device that was paired comes back without noticing, at whatever address the hub is. \
                With --join its devices and codes are the site's. Without, \
                all codes are void, the label too. A device that was revoked after the backup would be let \
                in again: --list shows which devices the backup lets in, 'hubpair devices revoke' keeps one \
                out before the hub serves. The machine that had this identity before must not serve any \
                more.

                EXAMPLES:
                  hubpair hub restore --list kitchen.age
                  hubpair hub restore kitchen.age
                  hubpair hub restore --join kitchen.age
                """)

        @Argument(help: "The backup.", completion: .file()) var file: String
        @OptionGroup var passphrase: PassphraseOption

        @Flag(help: "Only list the devices of the backup; change nothing.")
        var list = false

        @Flag(help: "Replace the hub that is set up here. Its key stays as .bak, its codes are void.")
        var replace = false

        @Flag(help: "Make it one more gate of the site that the hub is a gate of; see 'hub site'.")
        var join = false

        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func validate() throws {
            guard file != "-" || passphrase.path != nil && passphrase.path != "-" else {
                throw ValidationError(
                    "the backup on standard input leaves no place to ask for its passphrase. "
                        + "Give it with --passphrase-file")
            }
            guard !json || list else { throw ValidationError("--json is for --list") }
        }

        func run() throws {
            let backup = try HubCommand.read(file, passphrase, for: "hub restore")
            let command = "hubpair hub restore --list \(shellQuoted(file))"
            if list {
                let records = DeviceRecord.all(backup.devices.devices, at: .now)
                return try DeviceLine.write(records, isSeen: false, at: Date(), json: json)
            }
            try RestoreHub(backup, state: state.state, replacing: replace, joining: join).run()
            if join { return try reportGate(backup) }
            report(backup, command)
        }

        private func reportGate(_ backup: HubBackup) throws {
            let count = try AdministerDevices(state: state.state).list().count {
                $0.verdict(at: .now) == .approved
            }
            Console.note(
                "set up a gate of the hub \(backup.title) in \(state.state.path); its site lets in \(count) "
                    + "device\(count == 1 ? "" : "s")")
            Console.note("hint: 'hubpair serve', or sudo systemctl enable --now hubpair")
        }

        private func report(_ backup: HubBackup, _ command: String) {
            let now = Date()
            let count = backup.admitted(at: now).count
            Console.note(
                "set up the hub \(backup.title) in \(state.state.path), as it was at "
                    + "\(LocalTime(backup.made).text(seenAt: now)); it lets in \(count) "
                    + "device\(count == 1 ? "" : "s")")
            if count > 0 {
                Console.note(
                    "warning: a device that was revoked after that is let in again; '\(command)' lists the "
                        + "devices that it lets in, 'hubpair devices revoke DEVICE' keeps one out")
            }
            Console.note(
                "warning: the machine that had this identity before must not serve any more; "
                    + "'hubpair doctor' sees it if it does")
            Console.note("all codes are void; 'hubpair print --label' makes a new label")
            Console.note("hint: 'hubpair serve', or sudo systemctl enable --now hubpair")
        }
    }
}

extension HubBackup {
    /// `Kitchen (7MRM-FEPH-QNYK-029X)`
    fileprivate var title: String { "\(settings.name) (\(pin.fingerprint))" }
}
