package import HubClient
package import HubService

/// What is wrong, and how to mend it: all checks of the network, of the hub on this machine if there is one,
/// and of the hubs that this computer is paired with.
package struct Doctor: Sendable {
    private let network: [DiagnosisCheck]
    private let hub: [DiagnosisCheck]
    private let device: [DiagnosisCheck]

    /// - Parameters:
    ///   - configuration: where this computer keeps the hubs that it is paired with; nil: they are not asked.
    ///   - sweeps: when no hub is heard, every address of the local network is tried, up to a /22.
    package init(state: HubState, configuration: DeviceConfiguration?, sweeps: Bool) {
        let files = CheckHubFiles(state: state)
        network =
            [
                CheckInterfaces.check, CheckMulticast.check, CheckPorts.check(5353), CheckPorts.check(8000),
                CheckDaemon.bus, CheckDaemon.daemon,
                CheckFirewall.check(hasHub: files.exists, hubPort: files.hub?.settings.port),
                CheckSearch.check(sweeps: sweeps),
            ] + (files.hub.map { [CheckTwin.check($0, of: state)] } ?? [])
        if files.exists {
            let running = files.hub.map {
                [CheckGateway.check($0), CheckSandbox.check(state)] + CheckUpstream.checks($0) + [
                    CheckHousehold.check(state, $0), CheckMessages.check(state),
                ] + CheckServers.checks(state, $0) + CheckRelays.checks(state) + CheckSite.checks(state)
            }
            hub =
                files.checks + CheckKey.checks(state) + [CheckClock.check(directory: state.path)]
                + (running ?? [])
        } else {
            hub = [
                DiagnosisCheck("hub-files", tried: "looked for a hub in \(state.path)") {
                    files.elsewhere ?? .skipped("no hub is set up there")
                }
            ]
        }
        device = configuration.map { CheckPairedHubs(configuration: $0).checks } ?? []
    }

    /// True if the hub of these files serves already; on its own port, if none is named.
    package static func isServed(_ state: HubState, on port: UInt16? = nil) async -> Bool {
        guard let hub = CheckHubFiles(state: state).hub else { return false }
        return await CheckGateway.isServed(hub, on: port ?? hub.settings.port)
    }

    /// How many findings there will be.
    package var checkCount: Int { network.count + hub.count + device.count }

    /// Runs all checks: the network's one after the other, since some would see each other's traces; beside
    /// them the others. `report` gets each finding in a fixed order, as soon as those before it are done.
    package func run(_ report: (Finding) throws -> Void) async throws {
        let (hub, device) = (hub, device)
        async let others = Doctor.run(hub + device)
        var cause: Finding?
        for check in network {
            let finding = await check.run()
            try report(Doctor.explained(finding, by: cause))
            if cause == nil, Doctor.isCause(finding) { cause = finding }
        }
        for finding in await others { try report(finding) }
    }

    /// What keeps this machine from hearing any hub.
    private static let causes = ["interfaces", "multicast", "port-5353", "firewall"]

    private static func isCause(_ finding: Finding) -> Bool {
        // What a firewall lets half in explains half of it.
        let least: [Finding.Status] = finding.check == "firewall" ? [.problem, .warning] : [.problem]
        return causes.contains(finding.check) && least.contains(finding.verdict.status)
    }

    /// That nothing is heard follows from a cause here, and is not blamed on the hub or the access point.
    static func explained(_ finding: Finding, by cause: Finding?) -> Finding {
        guard let cause, [.warning, .problem].contains(finding.verdict.status) else { return finding }
        let follows =
            switch (finding.check, cause.check) {
            case ("hubs", _): cause.verdict.status == .problem || finding.verdict.status == .warning
            // A daemon cannot start where another program has its port.
            case ("avahi-daemon", "port-5353"): true
            // One firewall that lets nothing out.
            case ("firewall", "multicast"):
                cause.verdict.seen.contains(CheckFirewall.own)
                    && finding.verdict.seen.contains(CheckFirewall.own)
            default: false
            }
        guard follows else { return finding }
        return Finding(
            check: finding.check, tried: finding.tried,
            verdict: .skipped("what \(cause.check) says explains it: \(finding.verdict.seen)"))
    }

    private static func run(_ checks: [DiagnosisCheck]) async -> [Finding] {
        var findings: [Finding] = []
        for check in checks where !Task.isCancelled { findings.append(await check.run()) }
        return findings
    }
}
