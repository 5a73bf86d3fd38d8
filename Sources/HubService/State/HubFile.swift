import Household
package import Pairing

/// A file of the hub directory, and what becomes of it. Beside these are the journal's files and the
/// database, each of which is several.
package enum HubFile: CaseIterable, Sendable {
    case settings, key, oldKey, nextKey, keys, certificate, devices, codes, attempts, lastSeen, ways,
        services, joined, names
    case publicCertificate, certificateRequest
    case rooms, scenes, rules, sceneRuns
    case site, siteCopy, siteGates, siteKeys

    package var name: String {
        switch self {
        case .settings: HubSettings.fileName
        case .key: HubState.keyFileName
        case .oldKey: HubState.oldKeyFileName
        case .nextKey: HubState.nextKeyFileName
        case .keys: HubKeys.fileName
        case .certificate: HubState.certificateFileName
        case .devices: ApprovedDevices.fileName
        case .codes: Tickets.fileName
        case .attempts: FailedAttempts.fileName
        case .lastSeen: LastSeen.fileName
        case .ways: HubWays.fileName
        case .services: WebServices.fileName
        case .joined: JoinedServers.fileName
        case .names: AnnouncedNames.fileName
        case .publicCertificate: PublicCertificate.fileName
        case .certificateRequest: CertificateRequest.fileName
        case .rooms: Rooms.fileName
        case .scenes: HubScenes.fileName
        case .rules: Rules.fileName
        case .sceneRuns: SceneRuns.fileName
        case .site: SiteSettings.fileName
        case .siteCopy: SiteCopy.fileName
        case .siteGates: SiteGates.fileName
        case .siteKeys: SiteKeys.fileName
        }
    }

    enum Backup { case always, ifThere, never }

    /// Whether it is in a backup. Codes are void after a restore, and so is what was counted of them.
    var backup: Backup {
        switch self {
        case .settings, .key, .certificate, .devices: .always
        case .oldKey, .nextKey, .keys, .ways, .services, .joined, .publicCertificate, .rooms, .scenes, .rules,
            .sceneRuns, .site:
            .ifThere
        case .codes, .attempts, .lastSeen, .names, .certificateRequest, .siteCopy, .siteGates, .siteKeys:
            .never
        }
    }

    static func all(_ backup: Backup) -> [HubFile] { allCases.filter { $0.backup == backup } }

    /// What a change of it by others concerns.
    enum Watch { case devices, codes, settings, ways, services, household }

    /// Nil for what a hub that serves reads once, or writes itself.
    var watch: Watch? {
        switch self {
        case .devices: .devices
        case .codes: .codes
        // Its names are the hub's.
        case .settings, .publicCertificate, .certificateRequest, .site: .settings
        // The house is told of it.
        case .joined: .settings
        case .ways, .siteGates, .siteKeys: .ways
        case .services: .services
        case .rooms, .scenes, .rules: .household
        // The hub begins to serve anew.
        case .key, .oldKey, .nextKey: .settings
        case .keys, .certificate, .attempts, .lastSeen, .names, .sceneRuns, .siteCopy: nil
        }
    }

    /// True if it is in the folder of the household.
    package var isHouseholds: Bool {
        switch self {
        case .rooms, .scenes, .rules, .sceneRuns: true
        case .settings, .key, .oldKey, .nextKey, .keys, .certificate, .devices, .codes, .attempts,
            .lastSeen, .ways, .services, .joined, .names, .publicCertificate, .certificateRequest, .site,
            .siteCopy, .siteGates, .siteKeys:
            false
        }
    }

    static var household: [String] { allCases.filter(\.isHouseholds).map(\.name) }

    /// What the gate tells the house of the hub's own: nothing that lets anybody into the hub.
    package static let told: [HubFile] = [.settings, .devices, .joined]

    /// True if it is written on a full disk, too: revocations, and that a code is void, by wrong proofs or by
    /// its owner.
    var hasRoom: Bool {
        switch self {
        case .devices, .attempts, .codes: true
        case .settings, .key, .oldKey, .nextKey, .keys, .certificate, .lastSeen, .ways, .services, .joined,
            .names, .publicCertificate, .certificateRequest, .rooms, .scenes, .rules, .sceneRuns, .site,
            .siteCopy, .siteGates, .siteKeys:
            false
        }
    }

    /// Throws if these are not the bytes of such a file; what is no keyfile has checks of its own.
    package func check(_ bytes: [UInt8]) throws(KeyFileError) {
        switch self {
        case .settings: _ = try HubSettings(parsing: bytes)
        case .devices: _ = try ApprovedDevices(parsing: bytes)
        case .codes: _ = try Tickets(parsing: bytes)
        case .attempts: _ = try FailedAttempts(parsing: bytes)
        case .lastSeen: _ = try LastSeen(parsing: bytes)
        case .ways: _ = try HubWays(parsing: bytes)
        case .services: _ = try WebServices(parsing: bytes)
        case .joined: _ = try JoinedServers(parsing: bytes)
        case .names: _ = try AnnouncedNames(parsing: bytes)
        case .keys: _ = try HubKeys(parsing: bytes)
        case .certificateRequest: _ = try CertificateRequest(parsing: bytes)
        case .rooms: _ = try Rooms(parsing: bytes)
        case .scenes: _ = try HubScenes(parsing: bytes)
        case .rules: _ = try Rules(parsing: bytes)
        case .sceneRuns: _ = try SceneRuns(parsing: bytes)
        case .site: _ = try SiteSettings(parsing: bytes)
        case .siteCopy: _ = try SiteCopy(parsing: bytes)
        case .siteGates: _ = try SiteGates(parsing: bytes)
        case .siteKeys: _ = try SiteKeys(parsing: bytes)
        case .key, .oldKey, .nextKey, .certificate, .publicCertificate: break
        }
    }
}
