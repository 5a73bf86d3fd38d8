import ArgumentParser
import Discovery
import FoundationEssentials
import HubService
import Pairing

extension PrintCode.Format: ExpressibleByArgument {}

/// Where and how a code is drawn: for `print`, and for the first code of `setup`.
struct CodeOptions: ParsableArguments {
    @Option(help: "How to draw it; else by the ending of --output (.png, .svg, .txt), else for a terminal.")
    var format: PrintCode.Format?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write it to a file (mode 0600, as it holds a secret).", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The address to put into the code as a hint: this host's, none, or another.",
            valueName: "auto|none|ipv4[:port]"))
    var address = AddressChoice.automatic

    /// The file to write; nil for standard output.
    var outputPath: String? { output == "-" ? nil : output }

    /// The format that was asked for, or that the output's name shows.
    func chosenFormat() throws -> PrintCode.Format {
        if let format { return format }
        guard let path = outputPath else { return .terminal }
        let ending = path.lastIndex(of: ".").map { path[$0...].lowercased() }
        switch ending {
        case ".png": return .png
        case ".svg": return .svg
        case ".txt": return .text
        default:
            throw ValidationError(
                "cannot tell the format from '\(path)'; name it with --format png, svg or text")
        }
    }

    func validate() throws {
        guard output != "" else { throw ValidationError("--output takes a file, or '-' for standard output") }
        if try chosenFormat() == .png, outputPath == nil, Console.outputIsTerminal {
            throw ValidationError("a PNG is not for a terminal; name a file with --output")
        }
    }
}

/// Which address a code names.
enum AddressChoice: ExpressibleByArgument, Equatable {
    case automatic
    case none
    case given([UInt8], port: UInt16?)

    init?(argument: String) {
        switch argument {
        case "auto": self = .automatic
        case "none": self = .none
        default:
            let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
            let port = parts.count == 2 ? UInt16(digits: parts[1]) : nil
            guard let address = NetworkAddress(String(parts[0])), address.family == .ipv4,
                !address.isUnspecified, !address.isMulticast, address.bytes != [255, 255, 255, 255],
                parts.count == 1 || (parts.count == 2 && port ?? 0 > 0)
            else { return nil }
            self = .given(address.bytes, port: port)
        }
    }

    var defaultValueDescription: String { "auto" }

    /// The hint for a hub on `port`. A label outlives every address, so it gets one only if it was given.
    func hint(port: UInt16, kind: PairingCode.Kind) -> PairingCode.AddressHint? {
        switch self {
        case .none: return nil
        case .given(let ipv4, let given): return .init(ipv4: ipv4, port: given ?? port)
        case .automatic:
            guard kind == .once else { return nil }
            let routes = (try? String(contentsOf: URL(filePath: "/proc/net/route"), encoding: .utf8)) ?? ""
            return LocalAddress.preferred(among: LocalNetwork.current(), routes: routes)
                .flatMap { .init(ipv4: $0.bytes, port: port) }
        }
    }
}
