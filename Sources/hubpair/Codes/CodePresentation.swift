import Addresses
import FoundationEssentials
import HubClient
import HubService
import Identity
import JSON
import Pairing
import QRCodes

/// Issues codes, and shows them or writes them to a file, as the form says.
struct CodePresentation {
    /// 10 minutes, in seconds.
    static let defaultLifetime: Double = 600

    let form: CodeForm
    let json: Bool
    /// For the code of a hub that was just set up: what comes next is told by itself.
    var isFirst = false
    /// How long the device may come in that a code lets in.
    var stay = ApprovalEnd.unsaid
    /// True if the codes are to be good from outside.
    var isForAway = false
    /// What starts the relay whose code it is, which admits a hub; nil: it is a hub's, and lets in a device.
    var relay: String?

    /// What one call writes.
    private struct Result {
        /// For standard output.
        var output: [UInt8] = []
        /// For the file: its path, and its bytes below.
        var path: String?
        var file: [UInt8] = []
        /// For standard error, once the codes are written.
        var notes: [String] = []
    }

    /// - Parameters:
    ///   - lifetime: seconds; nil for a label that stays valid.
    ///   - role: what the device may do that a code lets in; nil if nothing was said.
    func present(_ kind: PairingCode.Kind, lifetime: Double?, role: Role?, state: HubState) throws {
        let format = try form.chosenFormat()
        if let path = form.outputPath {
            try OutputFile.check(path, of: "--output", isNoneOf: state.ownFiles)
        }
        let copies = format == .pdf ? form.medium.labelCount : 1
        let now = Date()
        // Asked for once: the kernel tells of each interface and address, in four messages.
        lazy var networks = LocalNetwork.current()
        var result = Result()
        var file: OutputFile?
        var output = CodeOutput.terminal
        var replaced: CodeOutput?
        // A fault of the files is told by what follows, or nothing is lost by it.
        let before =
            kind == .label
            ? (try? AdministerCodes(state: state).list())?.map { CodeRecord($0) } ?? [] : []
        let label = CodeNotes.label(in: before)
        let issue = IssueCode(
            kind, count: copies, lifetime: lifetime, role: role, stay: stay, isForAway: isForAway,
            state: state,
            now: now)
        let (codes, hub, tickets) = try issue.run(
            addressHint: { form.addressHint(port: $0.settings.port, of: state) },
            output: { output },
            draw: { codes, hub in
                result = try draw(
                    codes, of: hub.description, as: format, lifetime: lifetime, role: role, now: now)
                output = CodeOutput(nil, isDrawn: format == .terminal)
                if let path = result.path {
                    let fresh = try OutputFile(result.file, at: path, inPlace: form.outputPath != nil)
                    if fresh.isFile { output = CodeOutput(path, isDrawn: false) }
                    if fresh.replacesFile { replaced = output }
                    file = consume fresh
                }
            },
            handOut: {
                try file?.commit()
                if result.path == nil || !result.output.isEmpty { try Console.output(bytes: result.output) }
            })
        try tell(result, codes, of: hub.description, as: format, lifetime: lifetime, role: role)
        guard !isFirst else { return }
        if let relay {
            if let warning = CodeNotes.warning(hub, among: networks, start: relay) { Console.note(warning) }
            return
        }
        let out = (try? AdministerCodes(state: state).list(tickets))?.map { CodeRecord($0) } ?? []
        let notes = CodeNotes(now: now)
        if !json, let standing = notes.standing(of: codes, role: role, among: out) { Console.note(standing) }
        let lines = notes.lines(new: codes, among: out, label: label, replaced: replaced)
        for line in lines { Console.note(line) }
        let start = StartCommands(state).start
        if let warning = CodeNotes.warning(hub, among: networks, start: start) { Console.note(warning) }
    }

    /// The same for codes of another machine's hub: it makes them, and they are drawn here.
    ///
    /// - Parameter command: what lists the codes, for notes.
    func present(
        _ kind: PairingCode.Kind, lifetime: Double?, role: Role?, from remote: AdministerHub,
        command: String
    ) async throws {
        let format = try form.chosenFormat()
        let now = Date()
        let before = kind == .label ? try await remote.codes() : []
        let address = form.isTooWideForAddress ? AddressChoice.none : form.address
        let (codes, hub) = try await remote.makeCodes(
            .init(
                kind, role: role, stay: stay, lifetime: lifetime, address: "\(address)",
                count: kind == .once && format == .pdf ? form.medium.labelCount : 1))
        let result: Result
        var replaced: CodeOutput?
        do {
            result = try draw(codes, of: hub, as: format, lifetime: lifetime, role: role, now: now)
            if let path = result.path {
                var file = try OutputFile(result.file, at: path, inPlace: form.outputPath != nil)
                if file.isFile, file.replacesFile { replaced = CodeOutput(path, isDrawn: false) }
                try file.commit()
            }
            if result.path == nil || !result.output.isEmpty { try Console.output(bytes: result.output) }
        } catch {
            // Nobody has seen them.
            let names = codes.map(\.secret.ticketID.description)
            if (try? await remote.void(names)) == nil {
                Console.note("warning: the codes are good; '\(command)' lists them")
            } else if CodeNotes.label(in: before) != nil {
                Console.note("warning: the label before is void, too; print it again")
            }
            throw error
        }
        try tell(result, codes, of: hub, as: format, lifetime: lifetime, role: role)
        let notes = CodeNotes(now: now, command: command)
        let out = (try? await remote.codes()) ?? []
        if !json, let standing = notes.standing(of: codes, role: role, among: out) { Console.note(standing) }
        let lines = notes.lines(
            new: codes, among: out, label: CodeNotes.label(in: before), replaced: replaced)
        for line in lines { Console.note(line) }
    }

    private func tell(
        _ result: Result, _ codes: [PairingCode], of hub: HubDescription, as format: PrintCode.Format,
        lifetime: Double?, role: Role?
    ) throws {
        if json {
            try JSONLine.write(
                codes.map { $0.json(of: hub, file: result.path, format: format, role: role, stay: stay) })
        } else if format != .terminal || form.outputPath != nil {
            let copies = format == .pdf ? form.medium.labelCount : 1
            Console.note(summary(codes, of: hub, copies: copies, lifetime: lifetime, role: role))
        }
        for note in result.notes { Console.note(note) }
    }

    private func draw(
        _ codes: [PairingCode], of hub: HubDescription, as format: PrintCode.Format, lifetime: Double?,
        role: Role?,
        now: Date
    ) throws -> Result {
        guard let code = codes.first else { return Result() }
        var result = Result()
        let width = Console.size.columns
        if form.plain {
            result.output = Array(
                try CodeInWords(code, of: hub, lifetime: lifetime, role: role, stay: stay, now: now).text.utf8
            )
        } else {
            let drawing = try PrintCode(
                codes, of: hub, as: format, style: style, columns: width, medium: form.medium,
                isBare: form.bare
            ).run()
            switch drawing {
            case .file(let bytes, let unknownCharacters):
                result.output = bytes
                if unknownCharacters > 0 {
                    result.notes = [
                        "warning: no font on this machine has all characters of the name; "
                            + "boxes stand for them",
                        "hint: install more and print again: apt install fonts-noto-core fonts-noto-cjk",
                    ]
                }
            case .lines(let lines, let columns):
                let isShown = form.outputPath == nil && Console.outputIsTerminal
                if isShown, columns > width {
                    let tooNarrow = TerminalTooNarrow(columns: width, needed: columns)
                    guard !form.insistsOnTerminal else { throw tooNarrow }
                    return try drawFile(
                        codes, of: hub, instead: tooNarrow, lifetime: lifetime, role: role, now: now)
                }
                let captions = CodeCaptions(
                    code: code, hub: hub, lifetime: lifetime, role: role, stay: stay, now: now)
                result.output = Array(captions.beside(lines, columns: columns, width: width).utf8)
                if isShown, hasOwnColours, !form.invert, Console.groundIsLight == nil {
                    result.notes.append("hint: this is for light text on a dark ground; else add --invert")
                }
                if isShown, lines.count > Console.size.rows {
                    result.notes += [
                        "hint: the code has \(lines.count) lines and the terminal \(Console.size.rows): make "
                            + "it higher, or scroll back and scan both parts as one"
                    ]
                }
            }
        }
        if let path = form.outputPath {
            result.path = path
            (result.file, result.output) = (result.output, [])
        }
        return result
    }

    /// For a terminal that is too narrow for a drawing: a picture in a file, and the code in words.
    private func drawFile(
        _ codes: [PairingCode], of hub: HubDescription, instead tooNarrow: TerminalTooNarrow,
        lifetime: Double?,
        role: Role?, now: Date
    ) throws -> Result {
        var result = Result()
        guard let code = codes.first,
            case .file(let bytes, _) = try PrintCode(
                codes, of: hub, as: .png, style: style, columns: tooNarrow.columns, medium: form.medium
            ).run()
        else { return result }
        let path = code.kind == .once ? "hubpair-code.png" : "hubpair-label.png"
        result.path = path
        result.file = bytes
        if code.kind == .once {
            result.output = Array(
                try CodeInWords(code, of: hub, lifetime: lifetime, role: role, stay: stay, now: now).text.utf8
            )
        }
        result.notes = [
            "\(tooNarrow): it is in \(path) in this directory",
            "hint: delete that file when it has served; in a wider terminal the code itself is shown",
        ]
        return result
    }

    private var style: TerminalStyle {
        let isShown = form.outputPath == nil
        let style: TerminalStyle =
            if form.ascii {
                .ascii
            } else if isShown, Console.outputHasColours {
                Console.hasFewColours ? .sixteen : .colours
            } else if isShown, Console.outputKnowsEscapes {
                // NO_COLOR: reverse video is none.
                .reversed
            } else {
                .blocks
            }
        let isOnLight = isShown && hasOwnColours && Console.outputIsTerminal && Console.groundIsLight == true
        return form.invert != isOnLight ? style.inverted : style
    }

    /// True if the drawing has the terminal's own colours.
    private var hasOwnColours: Bool { form.ascii || !Console.outputHasColours }

    private func summary(
        _ codes: [PairingCode], of hub: HubDescription, copies: Int, lifetime: Double?, role: Role?
    )
        -> String
    {
        let standing =
            role.map { ", as \($0.words)," + (stay.words(seenAt: Date()).map { " \($0)," } ?? "") } ?? ""
        let what =
            switch (codes.first?.kind ?? .once, codes.count) {
            case (.label, _): copies > 1 ? "the label, \(copies) times," : "the label"
            case (.once, 1): relay == nil ? "a code for one device\(standing)" : "a code for one hub"
            case (.once, let count): "\(count) codes, each for one device\(role == nil ? "," : standing)"
            }
        return "\(what) of \(hub.name) (\(hub.id))"
            + (lifetime.map { ", valid for \(Duration(passed: $0).words)" } ?? ", without an expiry")
            + (form.outputPath.map { ": \($0)" } ?? "")
    }
}

/// The terminal would wrap the lines of the drawing, and no scanner can read it then.
struct TerminalTooNarrow: UserError {
    let columns: Int
    let needed: Int

    var description: String { "the terminal has \(columns) columns, and the code needs \(needed)" }
    var kind: UserErrorKind { .usage }
    var hint: String? {
        "make it wider, or draw the code into a file: hubpair print --output code.png"
    }
}

extension PairingCode {
    /// The line of `print --json`; never with the code's secret.
    fileprivate func json(
        of hub: HubDescription, file: String?, format: PrintCode.Format, role: Role?, stay: ApprovalEnd
    )
        -> JSONValue
    {
        .object([
            "kind": .string(kind.rawValue), "hub": .string(hub.id.description),
            "name": .string(hub.name.description), "expires": .text(expires?.timestamp),
            "address": .text(addressHint?.description), "file": .text(file),
            "format": .string(format.rawValue), "ticket": .string(secret.ticketID.description),
            "role": .text(kind == .once ? (role ?? .member).rawValue : nil), "stay": stay.stayJSON,
        ])
    }
}
