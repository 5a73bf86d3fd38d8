import Dispatch
import FoundationEssentials
import Glibc
import House
import HubService
import Identity
import JSON
import Logging

/// `hubpair-house DIR [--log-level LEVEL] [--log-format FORMAT] [--sockets FOLDER] [--with-gate]`: the
/// household of the hub in DIR, until it is stopped, or with `--with-gate` until its standard input ends.
/// The sockets between it and the gate are in FOLDER (`$HUBPAIR_HOUSE`; `/run/hubpair` for the Debian
/// package's hub, else DIR).
///
/// `hubpair-house copy DIR` writes a copy of the database to standard output, for a backup; `hubpair-house
/// ask DIR QUESTION` what a `HouseQuestion` asks; `hubpair-house take DIR`, as root, brings the files of a
/// household into the folder of another user, whose they are from then on.
@main
struct HouseMain {
    /// In seconds. It is more than the gate's patience, and less than that of a service manager.
    private static let stopTime = 10.0

    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        let level = value(of: "--log-level", in: &words).flatMap(Logger.Level.init(rawValue:)) ?? .info
        let format = value(of: "--log-format", in: &words).flatMap(ServeLogFormat.init(rawValue:)) ?? .text
        let hasGate = words.firstIndex(of: "--with-gate").map { words.remove(at: $0) } != nil
        let sockets = value(of: "--sockets", in: &words)
        let verb = words.count >= 2 ? words.removeFirst() : ""
        guard let path = words.first, words.count == (verb == "ask" ? 2 : 1) else {
            fail("give the hub's directory, as 'hubpair serve' does", 64)
        }
        var environment = ProcessInfo.processInfo.environment
        if let sockets { environment["HUBPAIR_HOUSE"] = sockets }
        let state = HubState(option: path, environment: environment, isRoot: false, home: "/")
        do {
            switch verb {
            case "": try await serve(state, level: level, format: format, hasGate: hasGate)
            case "copy": try write(DatabaseCopy.bytes(of: state.household) ?? [])
            case "ask": try write(await AskHouse.run(Array(words[1].utf8), of: state))
            // Before the first 'setup' there is nothing to take.
            case "take": if access(path, F_OK) == 0 { try state.takeOverHousehold() }
            default: fail("it knows no '\(verb)'", 64)
            }
        } catch {
            // What asked reads the words there.
            if !verb.isEmpty, verb != "take" {
                try? write(Array(Identity.message(of: error).utf8))
                exit(1)
            }
            fail(describing(error), (error as? any UserError)?.kind == .configuration ? 78 : 1)
        }
    }

    private static func serve(
        _ state: HubState, level: Logger.Level, format: ServeLogFormat, hasGate: Bool
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let log = ServeLog(label: "hubpair", level: level, format: format)
        try (state.isHouseApart ? state.house : state).becomeOwner(told: log.runs(as:))
        let manager = ServiceManager(environment: hasGate ? [:] : environment)
        let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        var sources: [any DispatchSourceProtocol] = []
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { end.yield() }
            source.activate()
            sources.append(source)
        }
        signal(SIGPIPE, SIG_IGN)
        if hasGate {
            let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
            source.setEventHandler {
                var byte: UInt8 = 0
                if read(STDIN_FILENO, &byte, 1) <= 0 {
                    source.cancel()
                    end.yield()
                }
            }
            source.activate()
            sources.append(source)
        }
        let starting = Task { try await HouseService.start(hub: state, manager: manager, log: log) }
        let ending = Task {
            for await _ in ends { break }
            // Nobody is left who would end a house that hangs when its gate is gone.
            DispatchQueue.global().asyncAfter(deadline: .now() + HouseMain.stopTime) { _exit(1) }
            starting.cancel()
        }
        let house: HouseService
        do {
            house = try await starting.value
        } catch is CancellationError {
            return
        }
        await ending.value
        manager.notify(.stopping)
        await house.stop()
        withExtendedLifetime(sources) {}
    }

    private static func value(of option: String, in words: inout [String]) -> String? {
        guard let index = words.firstIndex(of: option), index + 1 < words.count else { return nil }
        defer { words.removeSubrange(index...(index + 1)) }
        return words[index + 1]
    }

    private static func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { fail("cannot write: \(String(cString: strerror(errno)))", 73) }
            rest = rest.dropFirst(count)
        }
    }

    private static func fail(_ words: String, _ status: Int32) -> Never {
        let line = Array("hubpair-house: \(words)\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(status)
    }
}
