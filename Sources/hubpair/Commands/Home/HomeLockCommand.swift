import ArgumentParser
import Home
import HubClient
import Identity

/// `hubpair home lock`: one lock, those of a room, or all there are. There is no such command to unlock.
struct HomeLockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock a door, those of a room, or all there are.",
        usage:
            "hubpair home lock <lock> ... | --room <room> ... | --all [--hub <hub>] [--insecure] "
            + "[--timeout <time>] [--yes] [--config <directory>] [--json]",
        discussion: """
            It asks before it locks several, and names what did not follow. A lock whose activator does not \
            tell which way it locks is left alone, and named (65). 'hubpair home set' unlocks one.

            EXAMPLES:
              hubpair home lock --all
              hubpair home lock 'Front door'
              hubpair home lock --room Hall --yes
            """)
    @OptionGroup var home: HomeOptions
    @Flag(help: .json) var json = false
    @OptionGroup var confirmation: ConfirmationOption
    @Flag(name: .shortAndLong, help: "Do not ask before several are locked.") var yes = false
    @Flag(help: "All locks.") var all = false
    @Option(
        help: ArgumentHelp(
            "Those in this room, or in the rooms of this area; repeatable.", valueName: "room"),
        completion: NameCompletion.rooms)
    var room: [String] = []
    @Argument(help: ArgumentHelp("A lock.", valueName: "lock"), completion: NameCompletion.appliances)
    var locks: [String] = []

    func validate() throws {
        guard [all, !room.isEmpty, !locks.isEmpty].count(where: \.self) == 1 else {
            throw ValidationError(
                "'home lock' takes one of: a lock, --room, --all. Say hubpair home lock --all")
        }
    }

    func run() async throws {
        try await home.use(within: confirmation) { session in
            let meant = try await meant(session)
            let orders = try meant.compactMap { device in try device.lockOrder() }
            let unclear = meant.filter { device in !orders.contains { $0.device == device.id } }
            if meant.isEmpty { return Console.note("there is nothing to lock") }
            if orders.count > 1, !yes, Question.canBeAnswered {
                let names = listed(meant.filter { !unclear.contains($0) }.map { quoted($0.name) }, most: 8)
                try Question.confirm("lock \(names)?", orElse: "nothing was changed")
            }
            var refusal: ExitStatus?
            do {
                try await HomeOrders(session: session, timeout: confirmation.timeout).runAndReport(
                    orders, asJSON: json)
            } catch let status as ExitStatus {
                refusal = status
            }
            if !unclear.isEmpty { Console.report(NotLocked(names: unclear.map(\.name))) }
            if let refusal { throw refusal }
            if !unclear.isEmpty { throw ExitStatus(NotLocked(names: []).kind) }
        }
    }

    /// What is to be locked: of a room or the house what has a lock, and of names each.
    private func meant(_ session: HomeSession) async throws -> [ControlledDevice] {
        async let rooms = session.rooms(isNeeded: !room.isEmpty)
        let listed = try await session.devices()
        let known = try await rooms
        let devices = known.kinds.applied(to: listed)
        if !locks.isEmpty { return try locks.map { try Selection($0).device(in: devices) } }
        let places = try room.map { try known.devices(in: $0) }
        return try devices.filter { device in
            guard places.isEmpty || places.contains(where: { $0.contains(device.id) }) else { return false }
            return try !device.onlyTells && (device.kind == .lock || device.lockOrder() != nil)
        }
    }
}

/// Locks that nothing was sent to.
private struct NotLocked: UserError {
    let names: [String]

    var description: String {
        "not locked, since nothing tells which way that is: \(listed(names.map(quoted), most: 8))"
    }
    var hint: String? {
        "'hubpair home show \(quoted(names.first ?? ""))' shows what it has; 'home set' sets one"
    }
    var kind: UserErrorKind { .data }
}
