package import FoundationEssentials
package import JSON

/// A pairing code as the hub's owner sees it, never with its secret: a line of `codes --json`, and an entry
/// of `GET /hubpair/v1/codes`.
///
///     {"code": name, "ticket": 13 characters, "kind": "once" / "label",
///      "status": "good" / "used" / "expired" / "void", "role": string / null, "issued": time,
///      "expires": time / null, "output": "terminal" / "standard output" / "file" / null,
///      "file": string / null, "sheet": 13 characters / null, "position": number / null,
///      "key": fingerprint / null,
///      "failures": number, "stay": seconds / time / null, "uses": [{"device": fingerprint,
///       "name": string, "time": time}]}
///
/// Over HTTP also `"sheet_size"`, how many codes the sheet has. Unknown keys are ignored.
package struct CodeRecord: Equatable, Sendable {
    /// That a device used it.
    package struct Use: Equatable, Sendable {
        package let device: Fingerprint
        package let name: PeerName
        package let time: Date
    }

    /// Where it went; see ``CodeOutput``.
    package enum Output: String, Sendable {
        case terminal
        case standardOutput = "standard output"
        case file
    }

    /// By which it is taken back: `7M2K-Q0V3`.
    package let name: String
    /// The ticket's public name.
    package let ticket: String
    package let kind: PairingCode.Kind
    package let status: IssuedCode.Status
    /// The word for the role of the device that it lets in; nil for a label, with which devices only ask.
    package let role: String?
    /// How long that device may come in.
    package let stay: ApprovalEnd
    package let issued: Date
    package let expires: Date?
    package let output: Output?
    /// The path of the file.
    package let file: String?
    /// The name of its sheet; nil for a code by itself.
    package let sheet: String?
    /// Which label of the sheet it is, from 1 on.
    package let position: Int?
    /// How many labels the sheet has.
    package let sheetSize: Int?
    /// The fingerprint of the hub's key in it.
    package let key: String?
    /// How many proofs for it were wrong.
    package let failures: Int
    package let uses: [Use]

    /// - Parameter status: another for a code that was just taken back.
    package init(_ code: IssuedCode, status: IssuedCode.Status? = nil) {
        let ticket = code.ticket
        name = code.name
        self.ticket = ticket.id.description
        kind = ticket.kind
        self.status = status ?? code.status
        role = ticket.kind == .once ? ticket.role ?? Role.member.rawValue : nil
        stay = ticket.stay
        (issued, expires) = (ticket.issued, ticket.expires)
        switch ticket.output {
        case nil: (output, file) = (nil, nil)
        case .terminal?: (output, file) = (.terminal, nil)
        case .standardOutput?: (output, file) = (.standardOutput, nil)
        case .file(let path)?: (output, file) = (.file, path)
        }
        sheet = ticket.place?.sheet.description
        (position, sheetSize) = (ticket.place?.position, ticket.place?.count)
        key = ticket.key?.description
        failures = code.failures
        uses = code.uses.map { Use(device: $0.device.fingerprint, name: $0.name, time: $0.used.wall) }
    }

    /// The line of `codes --json`.
    package var json: JSONValue { .object(members) }

    /// The same for another computer, which shows the list as the hub does.
    package var fullJSON: JSONValue { .object(members.merging(["sheet_size": .count(sheetSize)]) { $1 }) }

    private var members: [String: JSONValue] {
        [
            "code": .string(name), "ticket": .string(ticket), "kind": .string(kind.rawValue),
            "status": .string(status.rawValue), "issued": .string(issued.timestamp),
            "expires": .text(expires?.timestamp), "output": .text(output?.rawValue), "file": .text(file),
            "sheet": .text(sheet), "position": .count(position), "role": .text(role), "key": .text(key),
            "failures": .count(failures), "stay": stay.stayJSON,
            "uses": .array(
                uses.map { use in
                    .object([
                        "device": .string(use.device.description), "name": .string(use.name.description),
                        "time": .string(use.time.timestamp),
                    ])
                }),
        ]
    }
}

extension CodeRecord: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        let members = try RecordMembers(reading: &reader)
        name = try members.text("code").required("code")
        ticket = try members.text("ticket").required("ticket")
        kind = try members.required("kind", PairingCode.Kind.init(rawValue:))
        status = try members.required("status", IssuedCode.Status.init(rawValue:))
        role = try members.text("role")
        // What a newer hub may say of it is shown as nothing.
        stay = members["stay"].flatMap { ApprovalEnd(stayJSON: $0) } ?? .unsaid
        issued = try members.time("issued").required("issued")
        expires = try members.time("expires")
        output = try members.optional("output", Output.init(rawValue:))
        file = try members.text("file")
        sheet = try members.text("sheet")
        position = try members.integer("position")
        sheetSize = try members.integer("sheet_size")
        key = try members.text("key")
        failures = try members.integer("failures") ?? 0
        guard case .array(let all) = members["uses"] ?? .array([]) else {
            throw JSONFault(.otherType).inside("uses")
        }
        var uses: [Use] = []
        for value in all {
            guard let use = value.asObject.map(RecordMembers.init) else {
                throw JSONFault(.otherType).inside("uses")
            }
            uses.append(
                Use(
                    device: try use.required("device", { Fingerprint($0) }),
                    name: try use.required("name", { try? PeerName(known: $0) }),
                    time: try use.time("time").required("time")))
        }
        self.uses = uses
    }
}
