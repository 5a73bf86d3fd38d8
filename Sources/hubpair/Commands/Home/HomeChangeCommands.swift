import ArgumentParser
import Home
import HubClient
import Identity
import Pairing

/// `hubpair home rename`
struct HomeRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give an appliance another name.",
        discussion: """
            EXAMPLES:
              hubpair home rename Lamp 'Reading lamp'
              hubpair home rename 'Device 0' Lamp --hub Garden
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String
    @Argument(help: "The new name, 1 to 63 bytes.") var name: String

    func run() async throws {
        let name = try PeerName(known: name).description
        try await home.use { try await rename(to: name, $0) }
    }

    private func rename(to name: String, _ session: HomeSession) async throws {
        let (device, devices) = try await session.find(device)
        try refuseTaken(name, in: devices.filter { $0.id != device.id })
        try await session.home.perform(.rename(device.id, to: name))
        if session.silence(of: device.id) != nil {
            Console.note("\(quoted(device.name)) is called \(quoted(name)) once it answers again")
            return
        }
        let now = try await session.home.device(device.id)
        guard now.name.utf8.elementsEqual(name.utf8) else {
            Console.report(
                "\(session.hub.name) took the name, and the appliance is still called "
                    + quoted(now.name),
                hint: "it may take a moment: 'hubpair home' shows when the appliance has followed",
                exit: .tryAgain)
            throw ExitStatus.tryAgain
        }
        if json { return try JSONLine.write(HomeDeviceLine(now, of: session)) }
        Console.note("\(quoted(device.name)) is called \(quoted(now.name)) now")
    }
}

/// `hubpair home remove`
struct HomeRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an appliance from its hub, after asking.",
        discussion: """
            EXAMPLES:
              hubpair home remove Lamp
              hubpair home remove 'Old lamp' --yes
            """)
    @OptionGroup var home: HomeOptions
    @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String

    func run() async throws {
        guard yes || Question.canBeAnswered else {
            throw ValidationError(
                "'home remove' asks before it removes, and standard input is not a terminal. "
                    + "Add --yes to do it without asking")
        }
        try await home.use(remove)
    }

    private func remove(_ session: HomeSession) async throws {
        let (device, _) = try await session.find(device)
        if !yes {
            try Question.confirm(
                "remove \(quoted(device.name)) (\(shortened(device.type))) from \(session.title)?",
                orElse: "nothing was removed")
        }
        try await session.home.perform(.remove(device.id))
        Console.note("\(quoted(device.name)) is removed from \(session.hub.name)")
    }
}

extension HomeSession {
    /// The appliance that is named, and all of them. While one is dead the hub may not know all; then an id
    /// of another one is enough.
    func find(_ text: String) async throws -> (ControlledDevice, [ControlledDevice]) {
        let failure: any Error
        var devices: [ControlledDevice] = []
        do {
            let house = try await house()
            devices = house.devices
            do {
                return (try Selection(text).device(in: devices), devices)
            } catch {
                let isWhole = house.absence == nil && house.silent.isEmpty
                guard !isWhole, case .unknown = error else { throw error }
                failure = error
            }
        } catch let error as ListFailure {
            failure = error
        }
        guard let device = try? await home.device(text), device.id == text else { throw failure }
        return (device, devices + [device])
    }
}

/// Refuses a name that an appliance has already, in any case: the two could only be told apart by their ids.
func refuseTaken(_ name: String, in devices: [ControlledDevice]) throws {
    let wanted = name.lowercased()
    guard let other = devices.first(where: { $0.name.lowercased() == wanted }) else { return }
    Console.report(
        "an appliance is called \(quoted(other.name)) already (\(shortened(other.id)))",
        hint: "choose another name", exit: .usage)
    throw ExitStatus.usage
}
