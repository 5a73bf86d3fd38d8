import ArgumentParser
import GatewayRules
import HubService
import Identity
import JSON
import Pairing

/// `hubpair hub service`: the web services behind the hub.
struct HubServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "List the web services behind the hub; add or remove one, or say who may use it.",
        discussion: """
            A service is any web server: Home Assistant, Grafana, a page of your own. It listens on this \
            machine's loopback, and the hub has a port for it, where only paired devices come in, with the \
            hub's certificate. A browser that is paired finds its services on the hub's page. Changes count \
            at once.

            EXAMPLES:
              hubpair hub service
              hubpair hub service add Grafana http://127.0.0.1:3000
              hubpair hub service allow Grafana "Ben's phone"
              hubpair hub service remove Grafana
            """,
        subcommands: [List.self, Add.self, Allow.self, Deny.self, Remove.self], defaultSubcommand: List.self)

    /// `hubpair hub service list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the services, and who may use them.",
            discussion: """
                FOR is the least role that may use it, and the devices that are named besides; MDNS says \
                whether it is told on the network.

                EXAMPLES:
                  hubpair hub service
                  hubpair hub service list --json
                """)

        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func run() throws {
            let services = try ManageServices(state: state.state).list()
            if json { return try JSONLine.write(services.map(\.json)) }
            guard !services.isEmpty else {
                Console.note("no web service stands behind this hub")
                return Console.note("hint: hubpair hub service add NAME http://127.0.0.1:PORT")
            }
            let host = try HubNames.current(of: state.state).preferredHost()?.description ?? "localhost"
            let devices = try AdministerDevices(state: state.state).list()
            let names = Dictionary(devices.map { ($0.fingerprint, $0.name.description) }) { one, _ in one }
            try Table(
                columns: ["NAME", "KIND", "ADDRESS", "SERVER", "FOR", "MDNS"],
                rows: services.map { service in
                    [
                        service.name.description, service.kind.rawValue, "https://\(host):\(service.port)/",
                        (service.upstream.isTLS ? "https://" : "") + service.upstream.authority,
                        service.audience(names), service.isAnnounced ? "yes" : "no",
                    ]
                }
            ).write()
        }
    }

    /// `hubpair hub service add`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a service, or change the one of this name.",
            discussion: """
                <url> is where the server listens: on this machine's loopback, or https with the pin of its \
                key behind #. It is asked what it is, and what fits that is set; --kind says it instead. \
                What is not named of a service that is there stays.

                EXAMPLES:
                  hubpair hub service add Grafana http://127.0.0.1:3000
                  hubpair hub service add 'My page' http://127.0.0.1:8080 --role guest
                  hubpair hub service add Grafana http://127.0.0.1:3000 --announce
                  hubpair hub service add Files http://127.0.0.1:8081 --port 9443 --max-body 4g
                """)

        @Argument(help: "What people call it, 1 to 63 bytes.") var name: String
        @Argument(help: "The server, like http://127.0.0.1:3000, or its port.") var url: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The hub's port for it. (default: the next one that is free after the hub's)",
                valueName: "port"),
            transform: optionValue("not a port", give: "a number from 1 to 65535, like 8001") { text in
                UInt16(digits: text).flatMap { $0 > 0 ? $0 : nil }
            })
        var port: UInt16?

        @Option(help: "The least role that may use it. (default: member)")
        var role: RoleChoice?

        @Option(help: "What the server is. (default: it is asked)")
        var kind: ServiceKind?

        @Option(
            help: "The host that the server is told: as browsers have it, or its own. (default: by its kind)")
        var host: ServiceRule.HostField?

        @Option(
            help: ArgumentHelp(
                "The header that tells it of the client; repeatable, or none. (default: by its kind)"))
        var forwarded: [ForwardedChoice] = []

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The largest body to pass on, like 500k or 4g. (default: as 'serve' says)", valueName: "size"
            ),
            transform: optionValue(
                "not a size", give: "bytes from 1 to 1024g, like 500k, 32m or 1g", ByteCount.init(argument:)))
        var maxBody: ByteCount?

        @Flag(help: "Tell of it on the network, as _https._tcp with the hub's id.")
        var announce = false

        @Flag(help: "Tell of it no more.")
        var noAnnounce = false

        @OptionGroup var state: StateOption

        func validate() throws {
            guard forwarded.count == 1 || !forwarded.contains(.none) else {
                throw ValidationError("--forwarded none stands alone. Name the headers, or none")
            }
            guard !announce || !noAnnounce else {
                throw ValidationError("--announce and --no-announce exclude each other. Leave one out")
            }
        }

        func run() async throws {
            let (name, upstream) = try (PeerName(self.name), Upstream(url))
            let state = state.state
            let hub = try HubState.hub(in: state.open())
            let before = try ManageServices(state: state).list().first { $0.name == name }
            if let port, port != before?.port {
                try ServedPort.checkPermitted(port)
                if ServedPort(port, listen: hub.settings.listen).isServed() == true {
                    Console.note("warning: the port \(port) is taken now; \(name) waits until it is free")
                    Console.note("hint: see which program has the port: sudo ss -ltnp 'sport = :\(port)'")
                }
            }
            var found = kind
            // One that is said again as it is, too: the last time it may not have answered.
            if found == nil, before?.upstream != upstream || before.map(isPlain) == true {
                do {
                    found = try await RecognizeService(upstream, behind: hub).run()
                } catch let error as UpstreamCallError {
                    Console.note(
                        "warning: \(upstream.text) does not answer now, so it is taken for a web server")
                    Console.note("hint: start it, and say this again, or what it is with --kind (\(error))")
                }
            }
            let kind = found
            let (service, old) = try ManageServices(state: state).put(
                name, upstream, port: port,
                isFree: { ServedPort($0, listen: hub.settings.listen).isServed() != true }
            ) { service in
                if let kind, kind != service.kind || before == nil {
                    (service.kind, service.host, service.told) = (kind, kind.host, kind.told)
                }
                settle(&service)
            }
            tell(service, isNew: old == nil, state)
        }

        /// Sets what the options name.
        private func settle(_ service: inout WebService) {
            if let role { service.rights.role = role.role }
            if let host { service.host = host }
            if !forwarded.isEmpty { service.told = forwarded.compactMap(\.told) }
            if let maxBody { service.maximumBody = maxBody.count }
            if announce || noAnnounce { service.isAnnounced = announce }
        }

        /// True for one of which nobody knows what it is, if the options change nothing of it.
        private func isPlain(_ service: WebService) -> Bool {
            var same = service
            settle(&same)
            return same == service && service.kind == .plain && (port ?? service.port) == service.port
        }

        private func tell(_ service: WebService, isNew: Bool, _ state: HubState) {
            let host = (try? HubNames.current(of: state).preferredHost()?.description) ?? "localhost"
            let (address, people) = ("https://\(host):\(service.port)/", service.rights.role.andAbove)
            Console.note(
                isNew
                    ? "added \(service.name) (\(service.kind.name)): \(address) for \(people)"
                    : "changed \(service.name) (\(service.kind.name)): \(address) for \(people)")
        }
    }

    /// `hubpair hub service allow`
    struct Allow: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow", abstract: "Let devices use a service, whatever their role.",
            discussion: """
                It counts at once. What a device's role allows already needs no more; 'hubpair hub service \
                add NAME URL --role R' says which role suffices.

                EXAMPLES:
                  hubpair hub service allow Grafana "Ben's phone"
                  hubpair hub service allow 8001 7MRM-FEPH-QNYK-029X Tablet
                """)

        @OptionGroup var devices: ServiceDevices

        func run() throws { try devices.set(mayUse: true) }
    }

    /// `hubpair hub service deny`
    struct Deny: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny", abstract: "Let devices not use a service, whatever their role.",
            discussion: """
                It counts at once, and ends what they have open there. 'hubpair hub service allow' takes it \
                back.

                EXAMPLES:
                  hubpair hub service deny Grafana "Ben's phone"
                  hubpair hub service deny 8001 7MRM-FEPH-QNYK-029X Tablet
                """)

        @OptionGroup var devices: ServiceDevices

        func run() throws { try devices.set(mayUse: false) }
    }

    /// `hubpair hub service remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take a service away; it is served no more at once.",
            discussion: """
                EXAMPLES:
                  hubpair hub service remove Grafana
                  hubpair hub service remove 8001
                """)

        @Argument(help: "Its name or its port.") var service: String
        @OptionGroup var state: StateOption

        func run() throws {
            let removed = try ManageServices(state: state.state).remove(service)
            Console.note("\(removed.name) is served on port \(removed.port) no more")
        }
    }
}

/// A service, and devices that may use it or not.
struct ServiceDevices: ParsableArguments {
    @Argument(help: "Its name or its port.") var service: String

    @Argument(
        help: "A paired device's name or fingerprint; several if there are more.",
        completion: NameCompletion.peers)
    var device: [PeerSelector]

    @OptionGroup var state: StateOption

    func set(mayUse: Bool) throws {
        let (service, devices) = try ManageServices(state: state.state).set(
            service, for: device, mayUse: mayUse)
        for (device, changed) in devices {
            let title = "\(device.name) (\(device.fingerprint))"
            switch (mayUse, changed) {
            case (true, true): Console.note("\(title) may use \(service.name)")
            case (true, false): Console.note("\(title) may use \(service.name) already")
            case (false, true): Console.note("\(title) may not use \(service.name) any more")
            case (false, false): Console.note("\(title) may not use \(service.name) as it is")
            }
        }
    }
}

/// A header that tells a server of the client, or none.
enum ForwardedChoice: String, ExpressibleByArgument, CaseIterable {
    case xForwarded = "x-forwarded"
    case forwarded
    case none

    var told: ServiceRule.Told? { ServiceRule.Told(rawValue: rawValue) }
}

extension ServiceKind: ExpressibleByArgument {}
extension ServiceRule.HostField: ExpressibleByArgument {}

extension Role {
    /// For whom something is of which this is the least role.
    var andAbove: String {
        switch self {
        case .owner: "owners"
        case .member: "owners, members"
        case .guest: "owners, members, guests"
        }
    }
}

extension WebService {
    /// Who may use it, in few words.
    fileprivate func audience(_ names: [Fingerprint: String]) -> String {
        func list(_ devices: [Fingerprint]) -> String {
            devices.map { names[$0] ?? $0.description }.joined(separator: ", ")
        }
        return
            (["\(rights.role.rawValue)s"] + (rights.allowed.isEmpty ? [] : [list(rights.allowed)])
            + (rights.denied.isEmpty ? [] : ["not " + list(rights.denied)])).joined(separator: ", ")
    }

    /// As it stands in a line of `--json`.
    fileprivate var json: JSONValue {
        .object([
            "name": .string(name.description), "port": .integer(Int64(port)), "url": .string(upstream.text),
            "role": .string(rights.role.rawValue),
            "allow": .array(rights.allowed.map { .string($0.description) }),
            "deny": .array(rights.denied.map { .string($0.description) }), "kind": .string(kind.rawValue),
            "host": .string(host.rawValue),
            "forwarded": .array(told.map { .string($0.rawValue) }),
            "max_body": maximumBody.map { .integer(Int64($0)) } ?? .null,
            "announced": .boolean(isAnnounced),
        ])
    }
}
