public import ArgumentParser
import FoundationEssentials
import Home
import HubClient
import HubService
import Identity
import Pairing

/// The names that a shell offers after TAB. They come from files of this machine: the network is never asked,
/// and what cannot be read offers nothing.
enum NameCompletion {
    /// The appliances that were seen last.
    static let appliances = kind { words in
        words.noted(.appliance)
    }
    /// The rooms, the rules and the types of appliances that were seen last.
    static let rooms = kind { $0.noted(.room) }
    static let rules = kind { $0.noted(.rule) }
    static let types = kind { words in
        var seen: Set<String> = []
        return words.noted(.type).filter { seen.insert($0).inserted && $0 != "-" }
    }
    static let hubs = kind(hubs)
    /// The codes of this machine's hub that are good.
    static let codes = kind { words in
        guard words.value(of: "--on") == nil else { return [] }
        let codes = try AdministerCodes(state: words.state).list()
        return codes.filter { $0.status == .good }.map { IssuedCode.name(of: $0.ticket.id) }
    }
    /// What a ``PeerSelector`` names: the paired devices for `hubpair devices`, else the hubs.
    static let peers = kind { words in
        let isDevice = words.command.first == "devices" || words.command.dropFirst().first == "service"
        guard isDevice, !words.isOptionValue else { return try hubs(words) }
        // Those of another hub are not known here.
        return words.value(of: "--on") == nil ? try devices(words) : []
    }

    /// Two of one name are offered by their fingerprints: the name alone would be refused.
    private static func hubs(_ words: CompletionWords) throws -> [String] {
        let known = try words.configuration.knownHubs()
        return unique(known.hubs.map { ($0.name, $0.fingerprint) }) + known.added.map(\.name.description)
    }

    private static func devices(_ words: CompletionWords) throws -> [String] {
        let devices = try HubState.devices(in: words.state.open())?.devices ?? []
        switch words.command.last {
        // Its fingerprint alone, since a device that asks chose its name itself.
        case "approve": return devices.filter { $0.status == .pending }.map(\.fingerprint.description)
        case "revoke":
            return unique(devices.filter { $0.status != .revoked }.map { ($0.name, $0.fingerprint) })
        default: return unique(devices.map { ($0.name, $0.fingerprint) })
        }
    }

    private static func unique(_ peers: [(name: PeerName, fingerprint: Fingerprint)]) -> [String] {
        let counts = Dictionary(peers.map { ($0.name, 1) }, uniquingKeysWith: +)
        return peers.map { counts[$0.name] == 1 ? $0.name.description : $0.fingerprint.description }
    }

    /// The names that a command takes, as far as files of this machine have them; for the words of a mistake.
    static func known(_ path: CommandPath) -> [String] {
        let words = CompletionWords(path.rest)
        switch path.words.first {
        case "devices": return (try? devices(words)) ?? []
        case "hubs": return (try? hubs(words)) ?? []
        default: return words.noted(path.words.dropFirst().first == "rule" ? .rule : .appliance)
        }
    }

    private static func kind(
        _ names: @escaping @Sendable (CompletionWords) throws -> [String]
    ) -> CompletionKind {
        .custom { words, _, _ in
            // A shell has nowhere to show an error.
            guard let found = try? names(CompletionWords(words)) else { return [] }
            return found.filter { SafeText.escaped($0) == $0 }.compactMap(ShellCandidate.text)
        }
    }
}

/// A name as ArgumentParser's script for a shell needs it.
///
/// Names come from the network, and neither the script nor the line that the shell then has may run a part of
/// them:
/// - bash: the script hands names to `compgen -W`, which expands each as if it had been typed, so every one
///   is quoted. What bash puts into the line it quotes itself, but not `$` and, by its settings, the grave
///   accent: names with them are not offered.
/// - zsh: the script hands names to `_describe`, for which a description begins behind a colon. In the line
///   `!!` stands for the last command: names with `!` are not offered, unless it is their end.
/// - fish takes lines as they are, and quotes all that needs it.
enum ShellCandidate {
    /// Nil for a name that is not offered.
    static func text(_ name: String) -> String? { text(name, for: CompletionShell.requesting) }

    static func text(_ name: String, for shell: CompletionShell?) -> String? {
        switch shell {
        case .some(.bash):
            guard !name.utf8.contains(where: { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "`") }) else {
                return nil
            }
            // By scalars: a quote with a combining mark behind it is one Character, and still a quote.
            return "'" + name.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
        case .some(.zsh):
            guard !name.utf8.dropLast().contains(UInt8(ascii: "!")) else { return nil }
            return name.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
        default: return name
        }
    }
}

/// The words of the command line that is being completed, as they were typed, quotes and all.
struct CompletionWords {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    /// The command's words, without `hubpair`: the script passes them on in front of its own.
    var command: [String] {
        Array(CommandLine.arguments.dropFirst().drop { $0 == "---completion" }.prefix { $0 != "--" })
    }

    /// True if the value of an option is completed, and no argument: the script names it behind the command.
    var isOptionValue: Bool {
        CommandLine.arguments.drop { $0 != "--" }.dropFirst().first?.hasPrefix("-") ?? false
    }

    /// The names that were noted of the hub, or of all.
    func noted(_ kind: ApplianceNames.Kind) -> [String] {
        ApplianceNames(configuration: configuration).names(kind, of: hub)
    }

    /// The value of an option that stands anywhere before `--`.
    func value(of option: String) -> String? {
        for (index, word) in words.prefix(while: { $0 != "--" }).enumerated() {
            if word == option, index + 1 < words.count { return CompletionWords.unquoted(words[index + 1]) }
            if word.hasPrefix(option + "=") {
                return CompletionWords.unquoted(String(word.dropFirst(option.count + 1)))
            }
        }
        return nil
    }

    var configuration: DeviceConfiguration {
        var option = ConfigurationOption()
        option.path = value(of: "--config")
        return option.configuration
    }

    var state: HubState {
        var option = StateOption()
        option.path = value(of: "--state")
        return option.state
    }

    /// The hub that `--hub` names.
    var hub: SavedHub? {
        guard let name = value(of: "--hub") else { return nil }
        return try? ManageHubs(configuration: configuration).find(PeerSelector(name))
    }

    /// A word without the quotes and backslashes of a POSIX shell.
    static func unquoted(_ word: String) -> String {
        var text = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var scalars = word.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch (scalar, quote) {
            case ("\\", nil), ("\\", "\""): if let next = scalars.next() { text.append(next) }
            case ("'", nil), ("\"", nil): quote = scalar
            case (_, .some(let open)) where scalar == open: quote = nil
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}

extension PeerSelector {
    /// A hub's or a paired device's name, by the command.
    public static var defaultCompletionKind: CompletionKind { NameCompletion.peers }
}
