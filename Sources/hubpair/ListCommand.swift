import ArgumentParser
import Discovery
import FoundationEssentials
import Glibc
import HubClient
import Identity

/// `hubpair list`: the hubs on the network.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the hubs on the local network.",
        discussion: """
            Asks the running avahi-daemon for _hestia._tcp on every interface. A terminal shows hubs as they \
            are found, sorted; a pipe gets a hub when its addresses are complete, and again if they change. \
            'claimed' means that nothing but the hub's own word says what it is.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Search this long; else until the network has nothing more to say.", valueName: "seconds"))
    var timeout: Double?

    @OptionGroup var configuration: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard timeout.map({ $0 > 0 && $0 <= 86_400 }) ?? true else {
            throw ValidationError("--timeout takes seconds, above 0 and at most 86400")
        }
    }

    func run() async throws {
        let known = try configuration.configuration.knownHubs()
        let search = FindHubs(known: known, time: timeout.map { .seconds($0) })
        var screen = LiveTable()
        let isLive = !json.isSet && Console.outputKnowsEscapes
        var warned: Set<String> = []
        var hasHeader = false
        let hubs = try await search.run { event in
            switch event {
            case .unusable(let text):
                // Whoever announces nonsense announces it on every interface, and may do so a thousand times.
                guard warned.count <= 16, warned.insert(text).inserted else { return }
                try screen.clear()
                Console.note(warned.count > 16 ? "warning: there is more of this kind" : "warning: \(text)")
            case .incomplete(let text):
                try screen.clear()
                Console.note("warning: \(text)")
            case .changed(let hubs):
                if isLive { try screen.show(hubs.map(HubRow.init)) }
            case .complete(let hub):
                if json.isSet {
                    try JSONLine.write(HubLine(hub))
                } else if !isLive {
                    if !hasHeader { try Console.output(HubRow.header.line) }
                    hasHeader = true
                    try Console.output(HubRow(hub).line)
                }
            }
        }
        if isLive, !hubs.isEmpty { try screen.finish(hubs.map(HubRow.init)) }
        for impostor in hubs where impostor.standing == .impostor {
            Console.note(
                "warning: \(impostor.hub.name) at \(HubRow(impostor).bestAddress) bears the name of a hub that you "
                    + "paired with, but is another one; do not pair with it before you know why")
        }
        for (id, count) in Dictionary(hubs.compactMap(\.hub.id).map { ($0, 1) }, uniquingKeysWith: +)
        where count > 1 {
            Console.note("warning: \(count) hubs announce the id \(id); at most one of them is that hub")
        }
        guard !hubs.isEmpty else {
            Console.report(
                "no hub found on this network",
                hint:
                    "is the hub switched on, and on the same network? 'hubpair list --timeout 5' searches longer"
            )
            throw ExitStatus.nothingFound
        }
    }
}

/// A hub as `list --json` writes it.
private struct HubLine: Encodable {
    let name: String
    let addresses: [String]
    let port: UInt16
    let sources: [String]
    let identity: String
    @Nullable var id: String?
    let paired: Bool
    let txt: [String: TXTValue]
    let ms: Int

    init(_ found: FindHubs.Found) {
        name = found.hub.name
        addresses = found.hub.addresses.map(\.description)
        port = found.hub.port
        sources = found.hub.sources.map(\.rawValue).sorted()
        identity = found.standing.rawValue
        id = found.hub.id?.description
        paired = found.isPaired
        txt = Dictionary(
            found.hub.txt.entries.map { ($0.key, TXTValue(bytes: $0.value)) },
            uniquingKeysWith: { first, _ in first })
        ms = Int(found.hub.firstSeen / .milliseconds(1))
    }
}

/// The value of a TXT key: text, `null` for a key without a value, `{"base64": …}` if it is not UTF-8.
private struct TXTValue: Encodable {
    let bytes: [UInt8]?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let bytes else { return try container.encodeNil() }
        if let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text)
        } else {
            try container.encode(["base64": Data(bytes).base64EncodedString()])
        }
    }
}
