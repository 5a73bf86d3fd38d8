public import FoundationEssentials

/// One hub in the device's keyfile.
public struct KnownHub: Equatable, Sendable {
    /// The hub's name, from the hub or from the user.
    public var name: PeerName
    /// The pin of the hub's key.
    public let pin: Pin
    /// Where the hub was last reached, `HOST:PORT`; a hint only.
    public var address: String?
    /// When this computer was paired with it.
    public let paired: Date?
    /// True if this computer has asked with the hub's label, and is not known to be approved.
    public var isPending: Bool
    /// All ways to it that this computer knows, `address` among them.
    public package(set) var ways: [KnownWay]
    /// The number of the statement by which this computer has taken the key over; 0: it has paired with it.
    public package(set) var serial: UInt32 = 0
    /// The fingerprints of the keys before, the latest first.
    public package(set) var was: [Fingerprint] = []

    /// The hub that has told of this one; nil if this computer has paired with it.
    package var by: Fingerprint?
    /// The mark of what it has told of its site.
    package var site: String?
    /// The hubs that it has told of and that were forgotten here: it brings none of them back.
    package fileprivate(set) var left: [Fingerprint] = []

    /// The first 10 bytes of the pin.
    public var fingerprint: Fingerprint { pin.fingerprint }

    /// The same hub with another key.
    fileprivate func with(_ pin: Pin) -> KnownHub {
        var hub = KnownHub(
            name: name, pin: pin, address: address, paired: paired, isPending: isPending, ways: ways)
        (hub.by, hub.site, hub.left) = (by, site, left)
        return hub
    }

    /// A hub of these parts. An address that is not among the ways, as of version 0.1, is one more.
    public init(
        name: PeerName, pin: Pin, address: String?, paired: Date?, isPending: Bool = false,
        ways: [KnownWay] = []
    ) {
        self.name = name
        self.pin = pin
        self.address = address
        self.paired = paired
        self.isPending = isPending
        self.ways = ways
        guard let address, HubWay.isAddress(address), !ways.contains(where: { $0.address == address }) else {
            return
        }
        // A host name was typed by somebody: version 0.1 stored no other.
        let way = KnownWay(address: address, kind: .named)
        self.ways.insert(way.isName ? way : KnownWay(address: address, kind: .home), at: 0)
    }
}

/// The device's keyfile `known-hubs`.
///
///     [keyfile]
///     format=1
///     default=K7QF-2M9D-X0TW-8RHC
///     selected=K7QF-2M9D-X0TW-8RHC 7MRM-FEPH-QNYK-029X
///
///     [hub K7QF-2M9D-X0TW-8RHC]
///     name=Hestia
///     pin=sha256//…
///     address=192.0.2.7:8000
///     paired=2026-11-21T10:22:03Z
///     ways=192.0.2.7:8000 home 2026-11-21T10:22:03Z 0a1b2c3d;vpn.example.org:8000 added
///
/// `default` is the fingerprint of a hub in this file, or the group of an added one (`added 1`); it,
/// `selected`, `hidden`, `address`, `paired` and `ways` may be missing. `ways` are as ``KnownWay`` has them,
/// with `;` between two; `address` is the one that worked last. `selected` has the hubs that lists are about,
/// and `hidden`, in the same form, those that the page leaves out where it shows all.
/// `serial` and `was` stand in the group of a hub whose key has changed since they paired: the number of the
/// statement that named the key, and the fingerprints of those before, with a space between two, the latest
/// first, 16 at most.
/// `by` stands in the group of a hub of a site: the fingerprint of the hub that has told of it; and `site` in
/// the group of that one: the mark of what it has told, and `left`: the fingerprints of those that were
/// forgotten, and do not come back by it, the latest first, 64 at most.
/// `status=pending` in place of `paired`: this computer has asked, and the owner has not answered.
/// `[added …]`: ``AddedHub``.
///
/// Accepted: the above with the whole pin; `samples/keyfiles/known-hubs`. Rejected: a second group of the
/// same name, a group whose fingerprint is not its pin's, a default that is no hub of the file, another kind
/// of group, `status=maybe`, `format=2`.
public struct KnownHubs: Equatable, Sendable {
    package static let fileName = "known-hubs"
    private static let kind = "hub"
    private static let pending = "pending"

    /// The hubs in the file's order.
    public private(set) var hubs: [KnownHub] = []
    /// Hubs that this computer is not paired with, in the file's order.
    public private(set) var added: [AddedHub] = []
    /// The fingerprint of the hub that is used when none is named, if this computer is paired with it.
    public private(set) var defaultHub: Fingerprint?
    /// The added hub that is used when none is named.
    public private(set) var defaultAdded: PeerName?
    private var file: KeyFile

    /// A keyfile without a hub.
    public init() {
        file = .empty(comment: "The hubs that this computer is paired with; see 'hubpair hubs'.")
    }

    /// Reads a keyfile; the first fault refuses all of it.
    public init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        let addedGroups = Set(KnownHubs.addedGroups(in: file))
        for fingerprint in try file.identifiers(of: KnownHubs.kind, besides: addedGroups) {
            let group = KnownHubs.group(fingerprint)
            let status = file.value("status", in: group)
            guard status == nil || status == KnownHubs.pending else {
                throw .invalidValue("not \(KnownHubs.pending)", key: "status", group: group)
            }
            guard let ways = KnownWay.list(file.value("ways", in: group) ?? "") else {
                throw .invalidValue("not addresses with their kinds", key: "ways", group: group)
            }
            var hub = KnownHub(
                name: try file.name("name", in: group),
                pin: try file.pin(in: group, fingerprint: fingerprint),
                address: file.value("address", in: group),
                paired: try file.time("paired", in: group), isPending: status != nil, ways: ways)
            // A wrong number would let an old statement through.
            guard let serial = UInt32(exactly: try file.number("serial", in: group) ?? 0) else {
                throw .invalidValue("more than 32 bits", key: "serial", group: group)
            }
            hub.serial = serial
            hub.was = KnownHubs.fingerprints(file.value("was", in: group))
            hub.by = file.value("by", in: group).flatMap { Fingerprint($0) }
            hub.site = file.value("site", in: group).flatMap { SiteHub.isMark($0) ? $0 : nil }
            hub.left = KnownHubs.fingerprints(file.value("left", in: group))
            hubs.append(hub)
        }
        added = try KnownHubs.addedHubs(in: file)
        if let text = file.value("default", in: KeyFile.formatGroup), addedGroups.contains(text) {
            defaultAdded = try file.name("name", in: text)
        } else if let text = file.value("default", in: KeyFile.formatGroup) {
            guard let hub = hubs.first(where: { $0.fingerprint == Fingerprint(text) }) else {
                throw .invalidValue(
                    "not the fingerprint of a hub below", key: "default", group: KeyFile.formatGroup)
            }
            defaultHub = hub.fingerprint
        }
    }

    /// The bytes of the file: what was read, with the changes since.
    public var serialized: [UInt8] { file.serialized }

    /// Adds a hub, or puts it in place of the one with the same pin.
    public mutating func insert(_ hub: KnownHub) {
        let group = KnownHubs.group(hub.fingerprint.description)
        file.set("name", to: hub.name.description, in: group)
        file.set("pin", to: hub.pin.text, in: group)
        file.set("address", to: hub.address, in: group)
        file.set("paired", to: hub.paired?.timestamp, in: group)
        file.set("status", to: hub.isPending ? KnownHubs.pending : nil, in: group)
        file.set("by", to: hub.by?.description, in: group)
        file.set("site", to: hub.site, in: group)
        // What `address` says already is not written twice, so a file of 0.1 stays one.
        let isPlain = hub.ways.allSatisfy { $0.address == hub.address && $0.worked == nil }
        let ways = hub.ways.map(\.text).joined(separator: ";")
        file.set("ways", to: isPlain && file.value("ways", in: group) == nil ? nil : ways, in: group)
        if let index = hubs.firstIndex(where: { $0.pin == hub.pin }) {
            hubs[index] = hub
        } else {
            hubs.append(hub)
        }
    }

    private static let selectedKey = "selected"
    private static let hiddenKey = "hidden"

    /// The fingerprints of the hubs that lists are about when none is named; none: only the default is.
    package var selected: [Fingerprint] { listed(KnownHubs.selectedKey) }

    /// The fingerprints of the hubs that the page leaves out where it shows all.
    package var hidden: [Fingerprint] { listed(KnownHubs.hiddenKey) }

    private static func fingerprints(_ text: String?) -> [Fingerprint] {
        (text ?? "").split(separator: " ").compactMap { Fingerprint(String($0)) }
    }

    private func listed(_ key: String) -> [Fingerprint] {
        KnownHubs.fingerprints(file.value(key, in: KeyFile.formatGroup)).filter { fingerprint in
            hubs.contains { $0.fingerprint == fingerprint }
        }
    }

    /// Selects these hubs, or none.
    package mutating func select(_ fingerprints: [Fingerprint]) { list(fingerprints, KnownHubs.selectedKey) }

    /// Hides these hubs, and no others.
    package mutating func hide(_ fingerprints: [Fingerprint]) { list(fingerprints, KnownHubs.hiddenKey) }

    private mutating func list(_ fingerprints: [Fingerprint], _ key: String) {
        let text = fingerprints.map(\.description).joined(separator: " ")
        file.set(key, to: text.isEmpty ? nil : text, in: KeyFile.formatGroup)
    }

    /// The most hubs that one tells of and that are noted as forgotten.
    private static let maximumLeft = 64
    /// The most keys of before that are noted of a hub.
    private static let maximumWas = 16

    /// Takes a hub's new key over, wherever the file names the hub by the old one. Nothing happens if it does
    /// not hold that. Whether the statement is good was checked before.
    package mutating func follow(_ statement: KeyStatement) {
        let (old, new) = (statement.old.fingerprint, statement.new.fingerprint)
        guard let index = hubs.firstIndex(where: { $0.pin == statement.old }) else { return }
        func renamed(_ list: [Fingerprint]) -> [Fingerprint] { list.map { $0 == old ? new : $0 } }
        let (nowSelected, nowHidden) = (renamed(selected), renamed(hidden))
        let isDefault = defaultHub == old
        if hubs.contains(where: { $0.pin == statement.new }) {
            // It has paired with the new key, too.
            forget(old)
        } else {
            let group = KnownHubs.group(new.description)
            file.rename(KnownHubs.group(old.description), to: group)
            var hub = hubs[index].with(statement.new)
            hub.serial = statement.serial
            hub.was = Array(([old] + hubs[index].was).prefix(KnownHubs.maximumWas))
            hubs[index] = hub
            file.set("pin", to: hub.pin.text, in: group)
            file.set("serial", to: String(hub.serial), in: group)
            file.set("was", to: hub.was.map(\.description).joined(separator: " "), in: group)
        }
        for index in hubs.indices {
            let group = KnownHubs.group(hubs[index].fingerprint.description)
            if hubs[index].by == old {
                hubs[index].by = new
                file.set("by", to: new.description, in: group)
            }
            if hubs[index].left.contains(old) {
                hubs[index].left = renamed(hubs[index].left)
                file.set("left", to: hubs[index].left.map(\.description).joined(separator: " "), in: group)
            }
        }
        if isDefault {
            defaultHub = new
            file.set("default", to: new.description, in: KeyFile.formatGroup)
        }
        if !nowSelected.isEmpty { select(nowSelected) }
        if !nowHidden.isEmpty { hide(nowHidden) }
    }

    /// Makes the hub with this fingerprint the one that is used when none is named. Nothing happens if the
    /// file does not hold it.
    public mutating func use(_ fingerprint: Fingerprint) {
        guard hubs.contains(where: { $0.fingerprint == fingerprint }) else { return }
        (defaultHub, defaultAdded) = (fingerprint, nil)
        select([])
        file.set("default", to: fingerprint.description, in: KeyFile.formatGroup)
    }

    /// Makes the added hub of this name the default. Nothing happens if there is none of this name.
    package mutating func use(added name: PeerName) {
        guard let group = addedGroup(name) else { return }
        (defaultHub, defaultAdded) = (nil, name)
        select([])
        file.set("default", to: group, in: KeyFile.formatGroup)
    }

    /// Gives an added hub another name, which no other hub in this file may have. Nothing happens if there is
    /// none.
    package mutating func rename(added name: PeerName, to newName: PeerName) {
        guard let index = added.firstIndex(where: { $0.name == name }), let group = addedGroup(name) else {
            return
        }
        added[index].name = newName
        file.set("name", to: newName.description, in: group)
        if defaultAdded == name { defaultAdded = newName }
    }

    /// Gives an added hub another address. Nothing happens if there is none of this name.
    package mutating func move(added name: PeerName, to address: String) {
        guard let index = added.firstIndex(where: { $0.name == name }), let group = addedGroup(name) else {
            return
        }
        added[index].address = address
        file.set("address", to: address, in: group)
    }

    /// Notes that the added hub of this name may be used without protection.
    package mutating func allowInsecure(_ name: PeerName) {
        guard let index = added.firstIndex(where: { $0.name == name }), let group = addedGroup(name) else {
            return
        }
        added[index].isInsecureAllowed = true
        file.set("insecure", to: "true", in: group)
    }

    /// Removes the hub with this fingerprint; if it was the default, there is none from now on.
    public mutating func forget(_ fingerprint: Fingerprint) {
        if let by = hubs.first(where: { $0.fingerprint == fingerprint })?.by,
            let index = hubs.firstIndex(where: { $0.fingerprint == by })
        {
            let left = [fingerprint] + hubs[index].left.filter { $0 != fingerprint }
            hubs[index].left = Array(left.prefix(KnownHubs.maximumLeft))
            file.set(
                "left", to: hubs[index].left.map(\.description).joined(separator: " "),
                in: KnownHubs.group(by.description))
        }
        file.removeGroup(KnownHubs.group(fingerprint.description))
        hubs.removeAll { $0.fingerprint == fingerprint }
        if defaultHub == fingerprint {
            defaultHub = nil
            file.set("default", to: nil, in: KeyFile.formatGroup)
        }
    }

    /// Adds a hub that this computer is not paired with. Its name must be no other's in this file.
    public mutating func add(_ hub: AddedHub) {
        hub.write(to: &file)
        added.append(hub)
    }

    /// Removes an added hub; nothing happens if there is none of this name.
    public mutating func forgetAdded(_ name: PeerName) {
        if let group = addedGroup(name) { file.removeGroup(group) }
        added.removeAll { $0.name == name }
        if defaultAdded == name {
            defaultAdded = nil
            file.set("default", to: nil, in: KeyFile.formatGroup)
        }
    }

    private func addedGroup(_ name: PeerName) -> String? {
        KnownHubs.addedGroups(in: file).first { (try? file.name("name", in: $0)) == name }
    }

    private static func group(_ fingerprint: String) -> String { "\(kind) \(fingerprint)" }
}

extension KnownHubs {
    /// The groups of added hubs.
    static func addedGroups(in file: KeyFile) -> [String] {
        file.groupNames.filter { $0.hasPrefix(AddedHub.groupKind + " ") }
    }

    static func addedHubs(in file: KeyFile) throws(KeyFileError) -> [AddedHub] {
        var hubs: [AddedHub] = []
        for group in addedGroups(in: file) {
            let hub = try AddedHub(group, in: file)
            guard !hubs.contains(where: { $0.name == hub.name }) else {
                throw .invalidValue("the name of another added hub", key: "name", group: group)
            }
            hubs.append(hub)
        }
        return hubs
    }
}
