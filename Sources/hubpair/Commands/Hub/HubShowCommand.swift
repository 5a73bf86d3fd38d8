import Addresses
import ArgumentParser
import Diagnosis
import Household
import HubService
import JSON
import Pairing

/// `hubpair hub show`: what the hub of this machine is, and how it treats the server behind it.
struct HubShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the hub of this machine, and what it knows of the server behind it.",
        discussion: """
            A stock Hestia server gets one request at a time, since its database breaks when two overlap. A \
            hub that serves is asked what it knows; otherwise the server behind it is.

            EXAMPLES:
              hubpair hub
              hubpair hub show --json
            """)

    @OptionGroup var state: StateOption
    @Flag(help: .json) var json = false

    func run() async throws {
        let hub = try HubState.hub(in: state.state.open())
        let settings = hub.settings
        let sight = await LookAtUpstream(state.state)?.run()
        let serves =
            sight?.isServed ?? (ServedPort(settings.port, listen: settings.listen).isServed() == true)
        if json {
            var line = hub.json
            line["serves"] = .boolean(serves)
            line["fault"] = .text(sight?.fault)
            line.merge(sight?.treatment.json ?? UpstreamTreatment?.none.json) { $1 }
            return try JSONLine.write(.object(line))
        }
        let upstream = settings.upstream.map { upstream in
            upstream.text + (sight?.treatment.map { ", \($0.words)" } ?? "")
        }
        try Console.output(
            Table.lines([
                "name": settings.name.description, "id": hub.pin.fingerprint.description,
                "state": hub.statePath,
                "port": Texts.words("\(settings.port) on \(HubSettings.words(of: settings.listen))"),
                "serves": Texts.exactly(serves ? "yes" : "no"), "upstream": upstream ?? Texts.exactly("none"),
            ]).joined(separator: "\n"))
        guard let fault = sight?.fault else { return }
        Console.note("warning: \(fault)")
        Console.note("hint: 'hubpair doctor' says what to do")
    }
}

extension UpstreamTreatment? {
    /// The keys `kind` and `concurrency`.
    var json: [String: JSONValue] {
        [
            "kind": .text(self?.kind?.rawValue),
            "concurrency": self.map { .integer(Int64($0.concurrency)) } ?? .null,
        ]
    }
}

extension Hub {
    /// The keys that say what a hub is.
    var json: [String: JSONValue] {
        [
            "hub": .string(pin.fingerprint.description), "name": .string(settings.name.description),
            "pin": .string(pin.text), "port": .integer(Int64(settings.port)),
            "upstream": .text(settings.upstream?.text), "state": .string(statePath),
            "listen": .array(settings.listen.map { .string($0.description) }),
            "place": .text(settings.place?.description), "hook": .text(settings.hook),
        ]
    }
}
