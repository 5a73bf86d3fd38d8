import FoundationEssentials
import Home
import Household
import HubService
import JSON
import Pairing

/// Parses any bytes as each of the keyfiles. What is accepted must be serialised to the same bytes, and parse
/// to the same values after a change; everything else must be refused without a trap.
func fuzzKeyFiles(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    guard let file = try? KeyFile(parsing: bytes) else { return 0 }
    precondition(file.serialized == bytes, "an unchanged file is the same to the byte")

    var changed = file
    changed.set("name", to: " \u{301}\\ \n=", in: "device x")
    let value = try? KeyFile(parsing: changed.serialized).value("name", in: "device x")
    precondition(value.map { Array($0.utf8) } == Array(" \u{301}\\ \n=".utf8), "a value survives")
    for name in file.groupNames.prefix(4) { changed.removeGroup(name) }
    precondition(
        (try? KeyFile(parsing: changed.serialized)) != nil, "a file without some groups is still one")

    if let devices = try? ApprovedDevices(parsing: bytes) {
        var same = devices
        for device in devices.devices {
            _ = device.verdict(at: Date(timeIntervalSince1970: 1_795_256_523))
            same.insert(device)
        }
        precondition((try? ApprovedDevices(parsing: same.serialized).devices) == devices.devices)
    }
    if var attempts = try? PairAttempts(parsing: bytes), let first = attempts.attempts.first {
        precondition((try? PairAttempts(parsing: attempts.serialized).attempts) == attempts.attempts)
        attempts.end(first.ticket)
        precondition((try? PairAttempts(parsing: attempts.serialized).attempts) == attempts.attempts)
    }
    if var hubs = try? KnownHubs(parsing: bytes), let first = hubs.hubs.first {
        hubs.use(first.fingerprint)
        hubs.forget(first.fingerprint)
        precondition((try? KnownHubs(parsing: hubs.serialized).hubs.count) == hubs.hubs.count)
    }
    if let tickets = try? Tickets(parsing: bytes) {
        var rest = tickets
        rest.void(Set(tickets.tickets.map(\.id)))
        let again = try? Tickets(parsing: rest.serialized)
        precondition(again?.tickets == rest.tickets && again?.uses.count == rest.uses.count)
    }
    if var seen = try? LastSeen(parsing: bytes) {
        precondition((try? LastSeen(parsing: seen.serialized)) == seen)
        seen.keep { _ in false }
        precondition((try? LastSeen(parsing: seen.serialized))?.times.isEmpty == true)
    }
    fuzzHousehold(bytes)
    fuzzHubFiles(bytes)
    return 0
}

/// The keyfiles of the household: what is accepted can be put again, and is then the same.
private func fuzzHousehold(_ bytes: [UInt8]) {
    if var rooms = try? Rooms(parsing: bytes), let first = rooms.rooms.last {
        let all = rooms.rooms
        if (try? rooms.put(first)) != nil {
            precondition(rooms.rooms == all && (try? Rooms(parsing: rooms.serialized))?.rooms == all)
        }
        precondition((try? rooms.remove(Room.self, first.id)) != nil)
        precondition((try? Rooms(parsing: rooms.serialized))?.rooms == rooms.rooms)
    }
    if var rules = try? Rules(parsing: bytes), let first = rules.rules.last {
        let all = rules.rules
        if (try? rules.put(first)) != nil {
            precondition(rules.rules == all && (try? Rules(parsing: rules.serialized))?.rules == all)
        }
        let change = StateChange(
            device: first.device, activator: first.activator, state: .integer(1), before: nil, time: Date())
        _ = RuleWatch(all, Arming(all, []), in: nil).rules(for: change)
    }
    if var scenes = try? HubScenes(parsing: bytes), let first = scenes.scenes.last {
        let all = scenes.scenes
        if (try? scenes.put(first)) != nil {
            precondition(scenes.scenes == all && (try? HubScenes(parsing: scenes.serialized))?.scenes == all)
        }
        var runs = (try? SceneRuns(parsing: bytes)) ?? SceneRuns()
        let zone = LocalZone { $0 % 7200 < 3600 ? 0 : 3600 }
        let clock = SceneClock(all, SceneTimes(zone: zone, place: Place("52.5 13.4")))
        _ = clock.look(at: Date(timeIntervalSince1970: 1_795_256_523), &runs)
        precondition((try? SceneRuns(parsing: runs.serialized)) == runs)
    }
}

/// The other keyfiles of the hub directory: what is written from what was read is read as the same.
private func fuzzHubFiles(_ bytes: [UInt8]) {
    func isKept<File: Equatable>(
        _ parse: ([UInt8]) throws(KeyFileError) -> File, _ serialized: (File) -> [UInt8]
    ) -> Bool {
        guard let file = try? parse(bytes) else { return true }
        return (try? parse(serialized(file))) == file
    }
    precondition(isKept(HubWays.init(parsing:), \.serialized), "ways")
    precondition(isKept(WebServices.init(parsing:), \.serialized), "services")
    precondition(isKept(JoinedServers.init(parsing:), \.serialized), "joined")
    precondition(isKept(HubKeys.init(parsing:), \.serialized), "hub-keys")
    precondition(isKept(AnnouncedNames.init(parsing:), \.serialized), "names")
    precondition(isKept(CertificateRequest.init(parsing:), \.serialized), "certificate-request")
    precondition(isKept(SiteSettings.init(parsing:), \.serialized), "site")
    precondition(isKept(SiteCopy.init(parsing:), \.serialized), "site-copy")
    precondition(isKept(SiteGates.init(parsing:), \.serialized), "site-gates")
    precondition(isKept(SiteKeys.init(parsing:), \.serialized), "site-keys")
    precondition(
        isKept(HubSettings.init(parsing:)) { (try? $0.serialized(in: bytes)) ?? [] }, "hub")
}
