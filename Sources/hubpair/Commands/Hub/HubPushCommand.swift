import ArgumentParser
import JSON
import Pairing

/// `hubpair hub push`: whether browsers are told of messages while the hub's page is closed.
struct HubPushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Say whether browsers are told of messages while the hub's page is closed.",
        discussion: """
            It is off until an owner switches it on: for it the hub sends each message, encrypted for one \
            browser, to the service of that browser's maker, who learns that this home's hub has told \
            something, when, and to which browser. It counts at once. Which messages a device wants is \
            chosen on the page there, under "About this house".

            EXAMPLES:
              hubpair hub push
              hubpair hub push on
              hubpair hub push off --on Kitchen
            """)

    enum Switch: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    @Argument(help: "on or off; without it, how it is and which devices are told.") var setting: Switch?
    @OptionGroup var place: HubPlaceOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard setting == nil || !json else { throw ValidationError("--json is for the list") }
    }

    func run() async throws {
        try await place.hub.acting { hub in
            if let setting {
                let changed = try await hub.setPush(setting == .on)
                let words = "messages through browsers' makers are \(setting.rawValue)"
                return Console.note(changed ? "\(words) now" : "\(words) already")
            }
            let push = try await hub.push()
            if json { return try JSONLine.write(push.json) }
            Console.note("messages through browsers' makers are \(push.isOn ? "on" : "off")")
            try Table(
                columns: ["DEVICE", "MESSAGES", "SERVICE"],
                rows: push.devices.map {
                    [$0.device, $0.kinds.joined(separator: ", "), $0.service]
                }
            ).write()
        }
    }
}
