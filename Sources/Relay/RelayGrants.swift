import FoundationEssentials
package import GatewayRules
import HubService
package import Identity
import Pairing

/// The names that the relay's owner has given to a hub before it has a certificate for them: the file
/// `relay-names`. An authority that asks for such a name is let through to that hub, callers are not; and no
/// other hub's certificate counts for it.
///
///     line = name SP fingerprint LF           ; kitchen.example.org K7QF-2M9D-X0TW-8RHC
package struct RelayGrants: Equatable, Sendable {
    package static let fileName = "relay-names"
    package static let maximumCount = 1_000

    package private(set) var hubs: [String: Fingerprint] = [:]

    package init() {}

    /// Lines that are none are left out.
    package init(parsing bytes: [UInt8]) {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 2, let hub = Fingerprint(words[1]) else { continue }
            hubs[words[0]] = hub
        }
    }

    var serialized: [UInt8] { Array(hubs.map { "\($0) \($1)\n" }.sorted().joined().utf8) }

    mutating func give(_ name: String, to hub: Fingerprint) throws(RelayGrantError) {
        guard hubs[name] != nil || hubs.count < RelayGrants.maximumCount else { throw .tooMany }
        hubs[name] = hub
    }

    mutating func pass(from old: Fingerprint, to new: Fingerprint) {
        hubs = hubs.mapValues { $0 == old ? new : $0 }
    }

    mutating func take(_ name: String) -> Bool { hubs.removeValue(forKey: name) != nil }
}

package enum RelayGrantError: Equatable, UserError {
    case tooMany
    case notPublic(String)

    package var description: String {
        switch self {
        case .tooMany: "a relay gives at most \(RelayGrants.maximumCount) names"
        case .notPublic(let name): "\(name) is no public name"
        }
    }

    package var kind: UserErrorKind { .usage }

    package var hint: String? {
        switch self {
        case .tooMany: "take one away first: hubpair relay names remove NAME"
        case .notPublic: "give one that an authority can look up, like kitchen.example.org"
        }
    }
}

extension RelayDirectory {
    package func grants() throws -> RelayGrants {
        RelayGrants(parsing: try state.open().read(RelayGrants.fileName) ?? [])
    }

    /// Gives a name to a hub; the relay that runs knows it at once.
    package func give(_ name: WebHost, to hub: Fingerprint) throws {
        guard case .name(let text) = name, text.contains("."), HubNames.leaf(of: name) == nil else {
            throw RelayGrantError.notPublic("\(name)")
        }
        try change { try $0.give(text, to: hub) }
    }

    /// - Returns: false if it was given to nobody.
    package func take(_ name: WebHost) throws -> Bool { try change { $0.take("\(name)") } }

    private func change<Result>(_ body: (inout RelayGrants) throws -> Result) throws -> Result {
        try state.open().withLock { directory in
            let before = RelayGrants(parsing: try directory.read(RelayGrants.fileName) ?? [])
            var grants = before
            let result = try body(&grants)
            if grants != before { try directory.replace(RelayGrants.fileName, with: grants.serialized) }
            return result
        }
    }
}
