/// The paths of the hub's own resources, which its approved devices use according to their roles. The
/// endpoints of the exchange are not among them (``PairEndpoint``).
///
/// The raw value is the path after `/hubpair/v1/`. `*` stands for one segment with an ID or a name.
package enum ResourcePattern: String, CaseIterable, Sendable {
    case rooms = "rooms"
    case room = "rooms/*"
    case unit = "units/*/*"
    case kind = "kinds/*"
    case pictures = "pictures"
    case picture = "pictures/*"
    case scenes = "scenes"
    case currentScene = "scenes/current"
    case scene = "scenes/*"
    case sceneRun = "scenes/*/run"
    case armed = "armed"
    case rules = "rules"
    case rule = "rules/*"
    case messages = "messages"
    case messageStream = "messages/stream"
    case messageRead = "messages/*/read"
    case messageAcknowledge = "messages/*/acknowledge"
    case messagePicture = "messages/*/picture"
    case messagesRead = "messages/read"
    case messagesAcknowledge = "messages/acknowledge"
    case states = "states"
    case stateStream = "states/stream"
    case stateHistory = "states/history"
    case timers = "timers"
    case timer = "timers/*/*"
    case preferences = "preferences"
    case push = "push"
    case pushHub = "push/hub"
    case devices = "devices"
    case device = "devices/*"
    case deviceApproval = "devices/*/approve"
    case deviceRefusal = "devices/*/refuse"
    case deviceRevocation = "devices/*/revoke"
    case codes = "codes"
    case code = "codes/*"
    case codesVoid = "codes/void"
    case journal = "journal"
    case findings = "findings"
    case names = "names"
    case name = "names/*"
    /// The web services that the device may use.
    case services = "services"
    /// Which devices may use them.
    case serviceRights = "services/rights"
    case serviceDevice = "services/*/devices/*"
    /// The page of forms for browsers without JavaScript.
    case access = "access"

    /// The methods that the path takes, in the order of the `Allow` header field (RFC 9110 § 10.2.1), and
    /// what each of them does.
    package var uses: [(method: String, use: ResourceUse)] {
        switch self {
        case .rooms, .scenes, .currentScene, .messages, .states, .stateHistory, .timers,
            .services:
            [("GET", .using), ("HEAD", .using)]
        case .messageStream, .stateStream: [("GET", .using)]
        case .timer: [("PUT", .using), ("DELETE", .using)]
        case .preferences: [("GET", .using), ("HEAD", .using), ("PUT", .using)]
        case .push: [("GET", .using), ("HEAD", .using), ("PUT", .using), ("DELETE", .using)]
        case .pushHub: [("PUT", .administering)]
        // What a camera sees is not for guests, and where it is asked for not for members.
        case .pictures, .messagePicture: [("GET", .arranging), ("HEAD", .arranging)]
        case .picture:
            [("GET", .arranging), ("HEAD", .arranging), ("PUT", .administering), ("DELETE", .administering)]
        case .room, .unit, .kind, .scene: [("PUT", .arranging), ("DELETE", .arranging)]
        case .sceneRun, .messageRead, .messagesRead: [("POST", .using)]
        case .armed: [("GET", .using), ("HEAD", .using), ("POST", .arranging), ("DELETE", .arranging)]
        case .messageAcknowledge, .messagesAcknowledge: [("POST", .arranging)]
        case .rules: [("GET", .administering), ("HEAD", .administering)]
        case .rule: [("PUT", .administering), ("DELETE", .administering)]
        case .devices, .journal, .findings, .names, .serviceRights:
            [("GET", .administering), ("HEAD", .administering)]
        case .device, .serviceDevice: [("PUT", .administering)]
        case .deviceApproval, .deviceRefusal, .deviceRevocation, .codesVoid: [("POST", .administering)]
        case .codes: [("GET", .administering), ("HEAD", .administering), ("POST", .administering)]
        case .code: [("DELETE", .administering)]
        case .name: [("PUT", .administering), ("DELETE", .administering)]
        case .access: [("GET", .administering), ("HEAD", .administering), ("POST", .administering)]
        }
    }

    /// The methods that the path takes.
    package var methods: [String] { uses.map(\.method) }

    /// What the method does; nil if the path does not take it.
    package func use(of method: String) -> ResourceUse? { uses.first { $0.method == method }?.use }
}
