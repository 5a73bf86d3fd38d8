import ArgumentParser
import FoundationEssentials
import HubClient
import Pairing
import QRCodes

/// `hubpair scan`, as a plain value.
struct ScanImages: Equatable {
    /// Files, directories, or `-`.
    var images: [String]
    var raw = false
    var effort = ScanEffort.normal
    /// The file to draw into.
    var explain: String?
    var timeout: Duration?
    var maxPixels = ImageLimits().maximumPixels
    /// What `--config` names.
    var configurationPath: String?
    var json = false

    private var configuration: DeviceConfiguration {
        ConfigurationOption.configuration(at: configurationPath)
    }

    func run() throws {
        let search = ImageScan.forPairingCodes(
            limits: ImageLimits(maximumPixels: maxPixels), effort: effort, explains: explain != nil)
        let known = raw || json ? [] : knownHubs()
        var failure: ExitStatus?
        if images == ["-"] {
            try checkExplanation(of: "-")
            failure = try readStandardInput(search, known: known)
        } else {
            // Names without a file keep their place in the order of the output.
            let names = ImageFiles.expand(images)
            let paths = names.filter { $0.problem == nil }.map(\.path)
            guard explain == nil || names.count == 1 else {
                throw ValidationError("--explain takes one image. Name one alone")
            }
            if let path = paths.first { try checkExplanation(of: path) }
            let progress = Progress(total: paths.count)
            var rest = names[...]
            func showProblems() throws {
                while let name = rest.first, let problem = name.problem {
                    let status = try show(ReadCodes.Answer(.failure(problem)), file: name.path, known: known)
                    failure = failure ?? status
                    rest = rest.dropFirst()
                }
            }
            try showProblems()
            try ReadCodes(paths, search).run(
                waiting: progress.update, busy: ScanImages.tellBusy
            ) { index, answer in
                progress.clear()
                let status = try show(answer, file: paths[index], known: known)
                failure = failure ?? status
                rest = rest.dropFirst()
                try showProblems()
            }
        }
        if let failure { throw failure }
    }

    /// How a picture that is no file of this computer is read; nil if it may be one.
    private static func elsewhere(_ name: String) -> String? {
        if name.contains("://") { return "a picture on the web: curl -s URL | hubpair scan -" }
        return ["clipboard", "screen", "camera", "zwischenablage"].contains(name.lowercased())
            ? "a program that writes it as PNG stands in front: wl-paste | hubpair scan -" : nil
    }

    private static func tellBusy() {
        Console.note("warning: this machine is busy: the search waits for a processor, and goes on")
    }

    /// Refuses, before anything is read, a picture that would be written over its own input.
    private func checkExplanation(of image: String) throws {
        guard let explain else { return }
        let names = "\(configuration.path)/\(KnownHubs.fileName)"
        try OutputFile.check(explain, of: "--explain", isNoneOf: [image, names])
    }

    /// An image, a code's text, or a stream.
    private func readStandardInput(_ search: ImageScan, known: [KnownHub]) throws -> ExitStatus? {
        let progress = Progress(total: nil)
        let answer = StandardInput(
            search,
            events: StandardInput.StreamEvents(
                deadline: timeout.map { .now + $0 },
                isGood: { raw || $0.content.isPairing },
                passing: { reading in
                    progress.clear()
                    Console.note("standard input: \(reading.summary); going on")
                }, waiting: progress.update)
        ).codes()
        progress.clear()
        return try show(answer, file: "-", known: known)
    }

    /// Writes the answer for one image. Returns the exit code if it is bad.
    private func show(
        _ answer: ReadCodes.Answer, file: String, known: [KnownHub]
    ) throws -> ExitStatus? {
        let subject = file == "-" ? "standard input" : file
        func failed(_ error: any Error) throws -> ExitStatus {
            if json { try JSONLine.write(ScanLine.json(file: file, failure: error)) }
            if error as? InputFileError == .missing, let other = ScanImages.elsewhere(file) {
                Console.report("\(subject): no such file", hint: other, exit: .noInput)
            } else {
                Console.report(CodeTextFile(error, file: file) ?? error, subject: subject)
            }
            return ExitStatus(of: error)
        }
        var failure: ExitStatus?
        switch answer.result {
        case .failure(let error): failure = try failed(error)
        case .success(let readings):
            for reading in readings {
                if !raw, case .unusable(let error) = reading.content {
                    let status = try failed(error)
                    failure = failure ?? status
                } else {
                    try show(reading, of: answer, file: file, subject: subject, known: known)
                }
            }
            if !raw, !json, readings.allSatisfy({ $0.content == .other }) {
                var told: [ForeignCode] = []
                for kind in readings.compactMap({ ForeignCode(payload: $0.payload) })
                where !told.contains(kind) {
                    told.append(kind)
                    Console.note("hint: \(subject): this is \(kind.name): \(kind.purpose)")
                }
            }
            if answer.isCut {
                Console.note("warning: \(subject): no time was left to search all of it for more codes")
                if effort != .thorough { Console.note("hint: try --effort thorough") }
            }
            if answer.unread > 0 {
                let codes = answer.unread == 1 ? "1 more QR code" : "\(answer.unread) more QR codes"
                Console.note("warning: \(subject): \(codes) in the picture could not be read")
                Console.note("hint: come closer" + (effort == .thorough ? "" : ", or try --effort thorough"))
            }
        }
        if let explain, let drawing = answer.explanation {
            var file = try OutputFile(drawing, at: explain)
            try file.commit()
        } else if explain != nil {
            Console.note("warning: there is no picture to explain")
        }
        return failure
    }

    /// Writes one code that can be used, or any with --raw.
    private func show(
        _ reading: ReadCodes.Reading, of answer: ReadCodes.Answer, file: String, subject: String,
        known: [KnownHub]
    ) throws {
        if raw { return try Console.output(bytes: reading.payload + [UInt8(ascii: "\n")]) }
        guard case .pairing(let code) = reading.content else {
            if json {
                return try JSONLine.write(ScanLine.json(file: file, code: reading, of: answer))
            }
            return try Console.output(words: SafeText.escaped("\(subject): \(reading.summary)"))
        }
        if json {
            try JSONLine.write(ScanLine.json(file: file, code: code, at: reading.corners, of: answer))
        } else {
            try Console.output(words: SafeText.escaped("\(subject): \(describe(code, known: known))"))
        }
        if let expires = code.expires, Date() >= expires {
            Console.note(
                "warning: \(subject): by this machine's clock the code expired "
                    + "\(Duration(passed: Date().timeIntervalSince(expires)).words) ago; the hub decides")
        }
    }

    /// The hubs that this computer knows, for their names. Codes are read even if that file has a fault.
    private func knownHubs() -> [KnownHub] {
        do {
            return try configuration.knownHubs().hubs
        } catch {
            Console.note("warning: the hubs' names are not known: \(error)")
            return []
        }
    }

    private func describe(_ code: PairingCode, known: [KnownHub], at now: Date = Date()) -> String {
        var text = code.kind == .once ? "a code for one device" : "the label"
        text += " of the hub \(code.hub.fingerprint)"
        if let name = known.first(where: { $0.pin == code.hub })?.name {
            text += " (\(name))"
        } else if !known.isEmpty {
            text += " (none of those that this computer knows)"
        }
        text +=
            code.expires.map { ", valid until \(LocalTime($0).text(seenAt: now))" } ?? ", without an expiry"
        if let hint = code.addressHint { text += ", at \(hint)" }
        return text
    }
}

extension ReadCodes.Reading {
    /// The code in a few words. One that may hold a secret is not repeated.
    fileprivate var summary: String {
        switch content {
        case .pairing: "a pairing code"
        case .unusable(let error): error.description
        case .other:
            "no pairing code: "
                + (Charset.text(of: payload) ?? String(decoding: payload, as: UTF8.self))
        }
    }
}
