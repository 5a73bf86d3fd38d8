public import FoundationEssentials

/// One way to a hub, as a device remembers it.
///
///     way     = address " " kind [ " " worked " " network ]
///     address = visible ASCII but ";"                        ; HOST:PORT
///     kind    = "home" / "added" / "relay" / "named"
///     worked  = <a time like 2026-11-21T10:22:03Z>           ; when it worked last
///     network = 8HEXDIG                                      ; on which network that was
///
/// `named` is one that the person at this computer has typed; the others are as in ``HubWay``. A kind of a
/// newer version is left out.
///
/// Accepted: `192.0.2.7:8000 home 2026-11-21T10:22:03Z 0a1b2c3d`, `vpn.example.org:8000 added`. Rejected:
/// ` home`, `192.0.2.7:8000 home yesterday 0a1b2c3d`.
public struct KnownWay: Equatable, Sendable {
    /// Where it leads, or who has said it.
    public enum Kind: String, Sendable {
        /// To one of the hub's links.
        case home
        /// Told by the hub, whose owner added it.
        case added
        /// To a relay.
        case relay
        /// Typed by the user of this computer.
        case named
    }

    /// When and where it worked last.
    public struct Success: Equatable, Sendable {
        /// The time.
        public let time: Date
        /// A mark of the network of this computer.
        public let network: String

        /// A success at this time on this network.
        public init(time: Date, network: String) {
            self.time = time
            self.network = network
        }
    }

    /// `HOST:PORT`.
    public let address: String
    /// Where it leads.
    public package(set) var kind: Kind
    /// When and where it worked last; nil if it never has.
    public package(set) var worked: Success?

    /// A way of these parts.
    public init(address: String, kind: Kind, worked: Success? = nil) {
        (self.address, self.kind, self.worked) = (address, kind, worked)
    }

    /// True if it leads out of the home.
    package var isAway: Bool {
        switch kind {
        case .added, .relay: true
        case .home, .named: false
        }
    }

    var text: String {
        "\(address) \(kind.rawValue)" + (worked.map { " \($0.time.timestamp) \($0.network)" } ?? "")
    }

    /// The ways of a list with `;` between them, or nil if one is malformed.
    static func list(_ text: String) -> [KnownWay]? {
        var ways: [KnownWay] = []
        for part in text.split(separator: ";") {
            let words = part.split(separator: " ")
            guard words.count == 2 || words.count == 4, HubWay.isAddress(words[0]) else { return nil }
            var worked: Success?
            if words.count == 4 {
                guard let time = Date(timestamp: String(words[2])), words[3].utf8.count == 8,
                    UInt32(words[3], radix: 16) != nil
                else { return nil }
                worked = Success(time: time, network: String(words[3]))
            }
            guard let kind = Kind(rawValue: String(words[1])) else { continue }
            ways.append(KnownWay(address: String(words[0]), kind: kind, worked: worked))
        }
        return ways.count <= HubWay.maximumCount * 2 ? ways : nil
    }
}

extension KnownHub {
    /// How many ways are kept beside those that the hub tells: the latest that worked.
    private static let keptCount = 4
    /// A time is written again once the one before is older than this, in seconds: each costs a fsync.
    private static let timeUnit: Double = 86_400

    /// Notes that a way has worked, which need not be known yet.
    ///
    /// - Parameter isLasting: false for a link-local address, which is noted if there is no better one.
    package mutating func note(
        _ address: String, isLasting: Bool, worked success: KnownWay.Success
    ) {
        if let index = ways.firstIndex(where: { $0.address == address }) {
            let isOld =
                ways[index].worked.map {
                    $0.network != success.network
                        || abs(success.time.timeIntervalSince($0.time)) > KnownHub.timeUnit
                } ?? true
            // What worked before it on this network is second from now on.
            let isLater = ways.contains { way in
                way.address != address && way.worked?.network == success.network
                    && way.worked?.time ?? .distantPast >= ways[index].worked?.time ?? .distantPast
            }
            if isOld || isLater { ways[index].worked = success }
        } else if isLasting || !ways.contains(where: { !$0.isAway }) {
            ways.append(KnownWay(address: address, kind: .home, worked: success))
        } else {
            return
        }
        trim()
        // A name that the user has typed stays what is shown.
        if !ways.contains(where: { $0.kind == .named && $0.address == self.address && $0.isName }) {
            self.address = address
        }
    }

    /// Puts a way that the user has typed in front of all others.
    package mutating func name(_ address: String) {
        ways.removeAll { $0.kind == .named || $0.address == address }
        ways.insert(KnownWay(address: address, kind: .named), at: 0)
        self.address = address
    }

    /// Takes what the hub says for what it has said before.
    package mutating func tell(_ told: [HubWay]) {
        var new: [KnownWay] = ways.filter { $0.kind == .named }
        for way in told where !new.contains(where: { $0.address == way.address }) {
            let kind: KnownWay.Kind =
                switch way.kind {
                case .home: .home
                case .added: .added
                case .relay: .relay
                }
            let before = ways.first { $0.address == way.address }
            new.append(KnownWay(address: way.address, kind: kind, worked: before?.worked))
        }
        // A way that the hub does not know of may still be one: through a router of the house, for example.
        let others = ways.filter { way in
            way.kind == .home && way.worked != nil && !new.contains { $0.address == way.address }
        }
        ways = new + others
        trim()
    }

    /// Keeps what is told, and the latest of what has only worked.
    private mutating func trim() {
        guard ways.count > HubWay.maximumCount + KnownHub.keptCount else { return }
        let oldestFirst = ways.filter { $0.kind == .home }.sorted {
            $0.worked?.time ?? .distantPast < $1.worked?.time ?? .distantPast
        }
        let gone = Set(
            oldestFirst.prefix(ways.count - HubWay.maximumCount - KnownHub.keptCount).map(\.address))
        ways.removeAll { gone.contains($0.address) }
    }
}

extension KnownWay {
    /// True if the host is a name: it has a letter beyond the digits of addresses.
    var isName: Bool {
        !address.hasPrefix("[") && address.utf8.prefix { $0 != UInt8(ascii: ":") }.contains { $0 > 0x39 }
    }
}
