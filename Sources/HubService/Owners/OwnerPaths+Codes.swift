import FoundationEssentials
import GatewayRules
import JSON
import NIOHTTP1
import Pairing
import QRCodes

// GET codes · POST codes · DELETE codes/ID · POST codes/void.
//
// The hub keeps no secret, so the answer to POST is the only one that ever has a code's text and its picture.
extension OwnerPaths {
    func codes(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let now = clock()
        let codes = try AdministerCodes(state: state).list(at: now)
        return reply(["codes": .array(codes.map { CodeRecord($0).fullJSON })], at: now)
    }

    func makeCodes(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let wish = try CodeWish(parsing: request.body)
        let now = clock()
        var files: [String: JSONValue] = [:]
        var unknownCharacters = 0
        let issue = IssueCode(
            wish.kind, count: wish.count, lifetime: wish.lifetime, role: wish.role, stay: wish.stay,
            state: state,
            by: request.author, now: now.wall, boot: now.boot)
        let (codes, hub, tickets) = try issue.run(
            addressHint: { wish.address.hint(port: $0.settings.port, names: try? .current(of: state)) },
            draw: { codes, hub in
                for format in wish.formats {
                    let drawing = try PrintCode(
                        codes, of: hub.description, as: format, style: .blocks, columns: nil,
                        medium: wish.medium
                    ).run()
                    guard case .file(let bytes, let unknown) = drawing else { continue }
                    unknownCharacters = max(unknownCharacters, unknown)
                    // SVG is text; the others are what a `data:` URL takes.
                    files[format.rawValue] = .string(
                        format == .svg
                            ? String(decoding: bytes, as: UTF8.self) : Data(bytes).base64EncodedString())
                }
            }, handOut: {})
        tell(request, "has made \(codes.count == 1 ? "a code" : "\(codes.count) codes")")
        let all = try AdministerCodes(state: state).list(tickets, at: now)
        let made = codes.compactMap { code -> JSONValue? in
            guard let issued = all.first(where: { $0.ticket.id == code.secret.ticketID }),
                case .object(let record) = CodeRecord(issued).fullJSON
            else { return nil }
            let typed = code.kind == .once ? TypedCode(secret: code.secret).text : nil
            return .object(
                record.merging([
                    "text": .string(code.text), "link": .text(code.address), "typed": .text(typed),
                    "address": .text(code.addressHint?.description),
                ]) { $1 })
        }
        return reply(
            [
                "codes": .array(made), "files": .object(files),
                "hub": .object([
                    "name": .string(hub.settings.name.description),
                    "id": .string(hub.pin.fingerprint.description),
                ]),
                "unknown_characters": .count(unknownCharacters),
            ], .created, at: now)
    }

    func void(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let now = clock()
        let administer = AdministerCodes(state: state, by: request.author)
        let outcomes: [AdministerCodes.Voided]
        if request.resource.pattern == .code {
            outcomes = try administer.void([CodeSelector(request.resource.segments[0])], now: now)
        } else {
            let body = try OwnerRequestBody(request.body, keys: ["codes", "all", "keep_label"])
            let names = try body.texts("codes", "at most 1,000 names of codes", atMost: 1_000)
            let (isAll, keepsLabel) = (try body.flag("all"), try body.flag("keep_label"))
            guard isAll ? names.isEmpty : !names.isEmpty && !keepsLabel else {
                throw BadOwnerRequest(
                    message:
                        "the body names 'codes', or says \"all\": true, perhaps with \"keep_label\": true")
            }
            outcomes =
                isAll
                ? [try administer.voidAll(keepsLabel: keepsLabel, now: now)]
                : try administer.void(names.map { CodeSelector($0) }, now: now)
        }
        let count = outcomes.map(\.codes.count).reduce(0, +)
        if count > 0 { tell(request, "has voided \(count == 1 ? "a code" : "\(count) codes")") }
        return reply(
            [
                "outcomes": .array(
                    outcomes.map { outcome in
                        .object([
                            "void": .array(outcome.codes.map { CodeRecord($0, status: .void).fullJSON }),
                            "used": .array(outcome.used.map { CodeRecord($0).fullJSON }),
                        ])
                    })
            ], at: now)
    }
}
