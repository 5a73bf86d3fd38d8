import ArgumentParser
import Home
import Household
import HubClient
import Identity
import JSON

/// `hubpair home picture`: what the camera of an appliance sees, and where that is asked for.
struct HomePictureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picture",
        abstract: "Say where an appliance's picture comes from, its camera; save what it sees.",
        usage:
            "hubpair home picture [<appliance> [<url> | --clear] | --message <id>] [--output <file>] "
            + "[--hub <hub>] [--config <directory>] [--json]",
        discussion: """
            The page shows it on the appliance's card, and an alarm keeps it. <url> is that of one picture \
            (JPEG, PNG, WebP or GIF of at most 4 MiB): in the home's own network, or a path of the server \
            behind the hub. The hub asks for it; redirects are not followed. Owners say where it comes from; \
            guests see none. Without <url> it is shown, without <appliance> all of them.

            EXAMPLES:
              hubpair home picture                      # which have one
              hubpair home picture Doorbell http://192.168.1.30/snapshot.jpg
              hubpair home picture Doorbell -o door.jpg
              hubpair home picture Doorbell --clear
            """)
    @OptionGroup var home: HouseholdOptions
    @Flag(help: .json) var json = false
    @Flag(help: "Take the picture away.") var clear = false
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("Save the picture to a file; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?
    @Option(help: ArgumentHelp("The picture that was taken at this alarm.", valueName: "id"))
    var message: Int?
    @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String?
    @Argument(help: ArgumentHelp("Where the picture comes from.", valueName: "url")) var url: String?

    func validate() throws {
        guard !clear || url == nil && output == nil && device != nil else {
            throw ValidationError("--clear takes an appliance, and nothing else")
        }
        guard url.map(DevicePicture.isURL) != false else {
            throw ValidationError(
                "a picture comes from an address, or a path of the server behind the hub. Give it like "
                    + "http://192.168.1.30/snapshot.jpg")
        }
        guard url == nil || output == nil else {
            throw ValidationError("a picture is set or saved. Leave out --output, or the address")
        }
        guard output == nil || (device == nil) != (message == nil) else {
            throw ValidationError("--output takes an appliance or --message. Name the appliance first")
        }
        guard message == nil || output != nil && device == nil else {
            throw ValidationError("--message takes --output, and no appliance. Add -o picture.jpg")
        }
    }

    func run() async throws {
        try await home.use { session in
            let pictures = LookAtPictures(session.household)
            if let message, let output {
                return try save(try await pictures.picture(ofMessage: message), to: output)
            }
            guard let device else { return try await list(pictures, session) }
            let appliance = try Selection(device).device(in: try await session.devices())
            if let output { return try save(try await pictures.picture(of: appliance.id), to: output) }
            guard clear || url != nil else {
                guard let known = try await pictures.all().first(where: { $0.device == appliance.id }) else {
                    throw noPicture(of: appliance)
                }
                return try write([row(known, [appliance])], session)
            }
            try await change(appliance, pictures, session)
        }
    }

    private func save(_ bytes: [UInt8], to output: String) throws {
        if output == "-" { return try Console.output(bytes: bytes) }
        var file = try OutputFile(bytes, at: output)
        try file.commit()
    }

    private func change(
        _ device: ControlledDevice, _ pictures: LookAtPictures, _ session: HomeSession
    ) async throws {
        if clear, try await !pictures.all().contains(where: { $0.device == device.id }) {
            throw noPicture(of: device)
        }
        try await pictures.put(url, device: device.id)
        if json { return try JSONLine.write(row(.init(device: device.id, url: url), [device]).json(session)) }
        Console.note("\(quoted(device.name)) has \(url == nil ? "no picture" : "a picture") now")
        guard url != nil else { return }
        do {
            _ = try await pictures.picture(of: device.id)
        } catch let refusal as HouseholdRefusal {
            Console.note("warning: it is kept, but there is no picture now: \(refusal.description)")
        }
    }

    private func noPicture(of device: ControlledDevice) -> Failure {
        Failure(
            .notFound, "\(quoted(device.name)) has no picture",
            hint: "'hubpair home picture \(quoted(device.name)) http://192.168.1.30/snapshot.jpg' sets one")
    }

    private func list(_ pictures: LookAtPictures, _ session: HomeSession) async throws {
        let all = try await pictures.all()
        // The server may be away.
        let devices = (try? await session.devices()) ?? []
        if all.isEmpty, !json {
            return Console.note(
                "\(session.hub.name) has no pictures yet; "
                    + "'hubpair home picture Doorbell http://192.168.1.30/snapshot.jpg' sets one")
        }
        try write(all.map { row($0, devices) }, session)
    }

    private func row(_ picture: LookAtPictures.Place, _ devices: [ControlledDevice]) -> Row {
        Row(picture: picture, name: devices.first { $0.id == picture.device }?.name)
    }

    private func write(_ rows: [Row], _ session: HomeSession) throws {
        if json { return try JSONLine.write(rows.map { $0.json(session) }) }
        try Table(columns: ["APPLIANCE", "PICTURE"], rows: rows.map(\.cells), limits: [60]).write()
    }
}

private struct Row {
    let picture: LookAtPictures.Place
    /// Nil if it is not known now.
    let name: String?

    var cells: [String] { [shortened(name ?? picture.device), shortened(picture.url ?? "-")] }

    func json(_ session: HomeSession) -> JSONValue {
        session.line([
            "device": .string(picture.device), "name": .text(name), "url": .text(picture.url),
        ])
    }
}
