import ArgumentParser
import FoundationEssentials
import HubClient
import Pairing
import QRCodes

/// `hubpair scan`: what the codes in images say.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Say what the QR codes in images say.",
        discussion: """
            Reads PNG and JPEG. Every image is read, whatever the others are; the exit code is that of the \
            first one that failed. A pairing code's secret is never shown, unless --raw asks for it.
            """
    )

    @Argument(
        help: ArgumentHelp("An image, or '-' for standard input.", valueName: "image"), completion: .file())
    var images: [String]

    @Flag(help: "Write each code's bytes and a line end, whatever it says.")
    var raw = false

    @Option(help: ArgumentHelp("Read no image of more pixels.", valueName: "n"))
    var maxPixels = ImageLimits().maximumPixels

    @OptionGroup var configuration: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...1_000_000_000).contains(maxPixels) else {
            throw ValidationError("--max-pixels takes 1 to 1000000000; every pixel takes a byte of memory")
        }
        guard !(raw && json.isSet) else { throw ValidationError("--raw and --json exclude each other") }
        guard images.filter({ $0 == "-" }).count <= 1 else {
            throw ValidationError("standard input can be read only once")
        }
    }

    func run() throws {
        let known = raw || json.isSet ? [] : knownHubs()
        var failure: ExitStatus?
        for image in images {
            let subject = image == "-" ? "standard input" : image
            do {
                for reading in try ReadCodes.run(image, limits: ImageLimits(maximumPixels: maxPixels)) {
                    let status = try show(reading, file: image, subject: subject, known: known)
                    failure = failure ?? status
                }
            } catch let error as OutputError {
                throw error  // nobody reads us: the other images make no difference
            } catch {
                Console.report(error, subject: subject)
                failure = failure ?? ExitStatus(of: error)
            }
        }
        if let failure { throw failure }
    }

    /// Writes one code; the exit code if it is unusable.
    private func show(
        _ reading: ReadCodes.Reading, file: String, subject: String, known: [KnownHub]
    ) throws -> ExitStatus? {
        if raw {
            try Console.output(bytes: reading.payload + [UInt8(ascii: "\n")])
            return nil
        }
        switch reading.content {
        case .unusable(let error):
            Console.report(error, subject: subject)
            return ExitStatus(of: error)
        case .pairing(let code):
            if json.isSet {
                try JSONLine.write(CodeLine(file: file, code: code))
            } else {
                try Console.output(Console.escaped("\(subject): \(describe(code, known: known))"))
            }
            if let expires = code.expires, Date() >= expires {
                Console.note(
                    "warning: \(subject): by this machine's clock the code expired "
                        + "\(Lifetime.words(Date().timeIntervalSince(expires))) ago; the hub decides")
            }
        case .other:
            if json.isSet {
                try JSONLine.write(CodeLine(file: file, payload: reading.payload))
            } else {
                let text = String(decoding: reading.payload, as: UTF8.self)
                try Console.output(Console.escaped("\(subject): no pairing code: \(text)"))
            }
        }
        return nil
    }

    /// The hubs that have names here. A fault in their keyfile is no reason not to read a code.
    private func knownHubs() -> [KnownHub] {
        do {
            return try configuration.configuration.knownHubs().hubs
        } catch {
            Console.note("warning: the hubs' names are not known: \(error)")
            return []
        }
    }

    private func describe(_ code: PairingCode, known: [KnownHub]) -> String {
        var text = code.kind == .once ? "a code for one device" : "the label"
        let name = known.first { $0.pin == code.hub }?.name
        text += " of the hub \(code.hub.fingerprint)" + (name.map { " (\($0))" } ?? "")
        text += code.expires.map { ", valid until \($0.timestamp)" } ?? ", without an expiry"
        if let hint = code.addressHint { text += ", at \(hint)" }
        return text
    }
}

/// A code as `scan --json` writes it; never with its secret.
private struct CodeLine: Encodable {
    let file: String
    let kind: String
    @Nullable var hub: String?
    @Nullable var expires: String?
    @Nullable var address: String?
    var text: String?
    var base64: String?

    init(file: String, code: PairingCode) {
        self.file = file
        kind = code.kind.rawValue
        hub = code.hub.fingerprint.description
        expires = code.expires?.timestamp
        address = code.addressHint?.description
    }

    /// Any other code: its text, or base64 if it is not UTF-8.
    init(file: String, payload: [UInt8]) {
        self.file = file
        kind = "other"
        hub = nil
        expires = nil
        address = nil
        text = String(validating: payload, as: UTF8.self)
        if text == nil { base64 = Data(payload).base64EncodedString() }
    }
}
