import FoundationEssentials
import Home
import JSON
package import Pairing

/// An owner's decisions on a hub with which this computer is paired. The hub does what its own command line
/// does, and judges this computer's role; each call is one request over a connection whose key is checked.
package struct AdministerHub: Sendable {
    /// The most bytes of an answer: 10,000 devices take about 4 MB.
    private static let maximumBodyByteCount = 16 << 20

    package let hub: SavedHub
    private let useHub: UseHub

    /// - Parameter selector: selects the hub.
    package init(configuration: DeviceConfiguration, selector: PeerSelector) throws {
        useHub = try UseHub(configuration: configuration)
        hub = try useHub.find(selector)
        guard case .paired = hub else { throw HubChoiceError.stock(hub.name) }
    }

    // MARK: Devices

    package func devices() async throws -> [DeviceRecord] {
        let (members, time) = try await ask("GET", ["devices"])
        return try read(members, "devices", as: [DeviceRecord].self).map { aged($0, at: time) }
    }

    package func approve(
        _ selector: PeerSelector, end: ApprovalEnd, role: Role?
    ) async throws -> (device: DeviceRecord, changed: Bool) {
        var body = end.members
        body["role"] = role.map { .string($0.rawValue) }
        let (device, changed, _) = try await decide(selector, "POST", ["approve"], body)
        return (device, changed)
    }

    /// - Parameter takingAway: also takes away what it leaves behind.
    package func revoke(_ selector: PeerSelector, takingAway: Bool) async throws -> Revocation {
        let (device, changed, members) = try await revoked(selector, takingAway)
        let things = { (key: String) -> [LeftThing]? in
            guard case .array(let values)? = members[key] else { return nil }
            return values.compactMap(LeftThing.init)
        }
        return Revocation(
            device: device, changed: changed, left: things("left"), taken: things("taken") ?? [],
            isOwn: members["message"] != nil)
    }

    private func revoked(_ selector: PeerSelector, _ takingAway: Bool) async throws -> Decision {
        guard takingAway else { return try await decide(selector, "POST", ["revoke"]) }
        do {
            return try await decide(selector, "POST", ["revoke"], ["take_away": .boolean(true)])
        } catch let error as OwnerRefusalError where error.status == 400 {
            // An older hub does not know the key. The device must be kept out all the same.
            return try await decide(selector, "POST", ["revoke"])
        }
    }

    /// Gives a device another name, another role, or both.
    package func change(
        _ selector: PeerSelector, name: PeerName? = nil, role: Role? = nil
    ) async throws -> (device: DeviceRecord, changed: Bool) {
        var body: [String: JSONValue] = [:]
        body["name"] = name.map { .string($0.description) }
        body["role"] = role.map { .string($0.rawValue) }
        let (device, changed, _) = try await decide(selector, "PUT", [], body)
        return (device, changed)
    }

    private typealias Decision = (device: DeviceRecord, changed: Bool, members: [String: JSONValue])

    private func decide(
        _ selector: PeerSelector, _ method: String, _ path: [String], _ body: [String: JSONValue] = [:]
    ) async throws -> Decision {
        // No device has a longer name, and the hub takes no longer segment of a path.
        guard (1...63).contains(selector.text.utf8.count) else {
            throw PeerSelectorError.unknown(
                selector.text, kind: "device", list: "hubpair devices\(onHub(name))", near: [])
        }
        let (members, time) = try await ask(method, ["devices", selector.text] + path, .object(body))
        let device = try read(members, "device", as: DeviceRecord.self)
        return (aged(device, at: time), members["changed"] == .boolean(true), members)
    }

    private func aged(_ device: DeviceRecord, at time: Date?) -> DeviceRecord {
        var device = device
        device.askedAge = device.asked.flatMap { asked in time.map { $0.timeIntervalSince(asked) } }
        return device
    }

    // MARK: Codes

    /// The codes that are to be made.
    package struct NewCodes: Sendable {
        package var kind: PairingCode.Kind
        package var role: Role?
        /// How long the device may come in that a code lets in.
        package var stay: ApprovalEnd
        /// In seconds; nil for a label that stays valid.
        package var lifetime: Double?
        /// `auto`, `none`, an IPv4 address, or a host name.
        package var address: String
        /// How many, each with a ticket of its own.
        package var count: Int

        package init(
            _ kind: PairingCode.Kind, role: Role?, stay: ApprovalEnd, lifetime: Double?, address: String,
            count: Int
        ) {
            (self.kind, self.role, self.stay, self.lifetime) = (kind, role, stay, lifetime)
            (self.address, self.count) = (address, count)
        }
    }

    package func codes() async throws -> [CodeRecord] {
        try read(await ask("GET", ["codes"]).members, "codes", as: [CodeRecord].self)
    }

    /// Makes codes. The hub does not keep their secrets: the answer is the only one that has them.
    package func makeCodes(_ wanted: NewCodes) async throws -> (codes: [PairingCode], hub: HubDescription) {
        var body: [String: JSONValue] = [
            "kind": .string(wanted.kind.rawValue), "address": .string(wanted.address),
            "count": .count(wanted.count), "expires": wanted.lifetime.map(JSONValue.number) ?? .null,
        ]
        body["role"] = wanted.role.map { .string($0.rawValue) }
        // For ever is what a hub does that does not know the word.
        body["stay"] = wanted.stay.stayJSON == .null ? nil : wanted.stay.stayJSON
        let (members, _) = try await ask("POST", ["codes"], .object(body))
        guard let described = members["hub"]?.asObject.map(RecordMembers.init),
            let name = try? described.required("name", { try? PeerName(known: $0) }),
            let id = try? described.required("id", { Fingerprint($0) }),
            case .array(let made)? = members["codes"]
        else { throw ServerError.unreadable("it does not say which codes it has made") }
        let codes = made.compactMap { value -> PairingCode? in
            // Hubs of 0.1 say no link.
            guard let text = value.asObject.flatMap({ $0["link"]?.asString ?? $0["text"]?.asString }),
                let code = try? PairingCode(text: text),
                code.hub.fingerprint == hub.fingerprint
            else { return nil }
            return code
        }
        guard codes.count == made.count, !codes.isEmpty else {
            throw ServerError.unreadable("it holds a code that is not this hub's")
        }
        return (codes, HubDescription(name: name, id: id))
    }

    /// Takes the named codes back; if a name fits no code, nothing is changed.
    ///
    /// - Returns: for each name the codes that are void now, and those that had been used.
    package func void(_ names: [String]) async throws -> [(void: [CodeRecord], used: [CodeRecord])] {
        try await void(body: ["codes": .array(names.map(JSONValue.string))])
    }

    /// Takes all codes back that are good.
    package func voidAll(keepsLabel: Bool) async throws -> [(void: [CodeRecord], used: [CodeRecord])] {
        try await void(body: ["all": .boolean(true), "keep_label": .boolean(keepsLabel)])
    }

    private func void(
        body: [String: JSONValue]
    ) async throws -> [(void: [CodeRecord], used: [CodeRecord])] {
        let (members, _) = try await ask("POST", ["codes", "void"], .object(body))
        guard case .array(let outcomes)? = members["outcomes"] else {
            throw ServerError.unreadable("it does not say which codes are void")
        }
        return try outcomes.map { outcome in
            let members = outcome.asObject ?? [:]
            return (
                try read(members, "void", as: [CodeRecord].self),
                try read(members, "used", as: [CodeRecord].self)
            )
        }
    }

    // MARK: Names

    package func names() async throws -> [HubNameRecord] {
        try read(await ask("GET", ["names"]).members, "names", as: [HubNameRecord].self)
    }

    /// - Parameter host: a name, or an address without brackets.
    package func addName(_ host: String) async throws -> (record: HubNameRecord, changed: Bool) {
        let (members, _) = try await ask("PUT", ["names", host], .object([:]))
        return (
            try read(members, "name", as: HubNameRecord.self), members["changed"] == .boolean(true)
        )
    }

    package func removeName(_ host: String) async throws {
        _ = try await ask("DELETE", ["names", host])
    }

    // MARK: Messages to browsers

    package func push() async throws -> PushRecord {
        let (members, _) = try await ask("GET", ["push"])
        return PushRecord(isOn: members["on"] == .boolean(true), devices: members["devices"])
    }

    package func setPush(_ isOn: Bool) async throws -> Bool {
        let (members, _) = try await ask("PUT", ["push", "hub"], .object(["on": .boolean(isOn)]))
        return members["changed"] == .boolean(true)
    }

    // MARK: The journal

    /// - Parameters:
    ///   - matters: one, or all.
    ///   - after: the number of the last entry that is known; nil for the last entries.
    package func journal(
        of matters: [JournalEntry.Matter], after: Int?, limit: Int
    ) async throws -> (entries: [JournalEntry], hasMore: Bool) {
        let query = (after.map { "after=\($0)&" } ?? "") + "limit=\(limit)"
        let of = matters.count == 1 ? matters[0].rawValue : "all"
        let members: [String: JSONValue]
        do {
            members = try await ask("GET", ["journal"], query: "\(query)&of=\(of)").members
        } catch let error as OwnerRefusalError where error.status == 400 && matters.contains(.access) {
            // A hub of version 0.1 does not know 'of', and has nothing else.
            members = try await ask("GET", ["journal"], query: query).members
        }
        guard case .array(let all)? = members["entries"] else {
            throw ServerError.unreadable("entries is missing")
        }
        // What a newer hub writes down, and this version has no words for, is left out.
        let entries = all.compactMap {
            try? JSONReader.read(JournalEntry.self, from: Array($0.text.utf8))
        }
        return (entries, members["more"] == .boolean(true))
    }

    // MARK: The doctor

    /// What the hub's doctor finds there. It looks for some seconds before it answers.
    package func findings() async throws -> [HubFinding] {
        let (members, _) = try await ask("GET", ["findings"])
        guard case .array(let found)? = members["findings"] else {
            throw ServerError.unreadable("findings is missing")
        }
        return try found.map { value in
            guard let finding = HubFinding(value) else {
                throw ServerError.unreadable("findings holds one without a check, a status or words")
            }
            return finding
        }
    }

    // MARK: Requests

    private var name: String { hub.name.description }

    private func ask(
        _ method: String, _ path: [String], _ body: JSONValue? = nil, query: String? = nil
    ) async throws -> (members: [String: JSONValue], time: Date?) {
        let target = HouseholdLink.target(path) + (query.map { "?" + $0 } ?? "")
        var request = HubRequest(method: method, target: target)
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = Array(body.text.utf8)
        }
        let connection = try await useHub.connect(to: hub)
        defer { connection.close() }
        let (response, answer) = try await connection.send(
            request, maximumBodyByteCount: AdministerHub.maximumBodyByteCount)
        guard (200..<300).contains(response.status) else {
            guard let refusal = OwnerRefusal(parsing: answer) else {
                throw ServerError(
                    status: response.status, contentType: response["Content-Type"], body: answer)
            }
            throw OwnerRefusalError(refusal, status: response.status, hub: name, device: useHub.device)
        }
        guard let members = JSONValue(parsing: answer)?.asObject else {
            throw ServerError.unreadable("it is no object of JSON")
        }
        return (members, members["time"]?.asString.flatMap(Date.init(timestamp:)))
    }

    private func read<Value: JSONReadable>(
        _ members: [String: JSONValue], _ key: String, as type: Value.Type
    ) throws -> Value {
        guard let value = members[key] else { throw ServerError.unreadable("\(key) is missing") }
        do {
            return try JSONReader.read(type, from: Array(value.text.utf8))
        } catch {
            throw ServerError.unreadable("\(key), \(error)")
        }
    }
}
