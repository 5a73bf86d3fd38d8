import ArgumentParser
import Glibc
import Home
import HubClient
import Identity
import JSON

extension HomeCommand {
    /// `hubpair home say`: orders in plain words.
    struct Say: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "say",
            abstract: "Switch appliances by a sentence, or by sentences on standard input.",
            discussion: """
                "switch on the hall light and the lamp", "turn the tv on and the fan off", "set lamp 2 to \
                half", "all lights in the hall off", "everything off". A lock is switched only by its full \
                name, or by "all locks".

                Without a sentence, or with '-', one is read from each line of standard input, as a speech \
                recogniser writes them, and answered at once. Nothing leaves this machine but the orders to \
                the hub; a sentence that was not understood as a whole changes nothing.

                EXAMPLES:
                  hubpair home say turn the kitchen light off
                  hubpair home say 'dim the lamp to 40 percent'
                  hubpair home say < sentences.txt
                """)
        @OptionGroup var home: HomeOptions
        @Flag(help: .json) var json = false
        @OptionGroup var confirmation: ConfirmationOption
        @Argument(help: "The sentence, in quotation marks or without.") var sentence: [String] = []

        func run() async throws { try await home.use(obey) }

        private func obey(_ session: HomeSession) async throws {
            if !sentence.isEmpty, sentence != ["-"] {
                let status = try await answer(sentence.joined(separator: " "), session)
                if status != .done { throw status }
                return
            }
            if isatty(STDIN_FILENO) == 1 { Console.note("say what to do, a sentence a line; Ctrl-D ends it") }
            var lines = InputLines(maximumByteCount: SpokenGrammar.maximumByteCount + 1)
            var statuses: [ExitStatus] = []
            while let line = try lines.next() {
                guard !line.isEmpty else { continue }
                let status = try await answer(line, session)
                if !statuses.contains(status) { statuses.append(status) }
            }
            let worst = ExitStatus.worst(of: statuses)
            if worst != .done { throw worst }
        }

        /// Carries out one sentence. All of it is understood before the first order is sent.
        private func answer(_ sentence: String, _ session: HomeSession) async throws -> ExitStatus {
            let orders: [Order]
            do {
                let spoken = try SpokenSentence(sentence)
                let understood = try SpokenTargets(devices: try await session.devices()).orders(of: spoken)
                orders = understood.orders
                sayLeftAlone(understood.leftAlone)
            } catch {
                let error = HubFailure.named(error, hub: session.hub.name)
                if json { try write(sentence, error: "\(error)", results: []) }
                Console.report(error)
                return ExitStatus(of: error)
            }
            let run = HomeOrders(session: session, timeout: confirmation.timeout)
            let results = await run.run(orders)
            if json {
                try write(sentence, error: nil, results: results.map(run.json))
            } else {
                try run.report(results)
            }
            run.nameFailures(results)
            return ExitStatus.worst(of: results.map(\.status))
        }

        private func write(_ sentence: String, error: String?, results: [JSONValue]) throws {
            try JSONLine.write(
                .object([
                    "sentence": .string(shortened(sentence)), "understood": .boolean(error == nil),
                    "error": .text(error), "results": .array(results),
                ]))
        }
    }
}

/// The lines of standard input, each as soon as it is there. A longer line than the limit is cut to the
/// limit, and refused as too long by what reads it.
struct InputLines {
    private let maximumByteCount: Int
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// The next line without its end; nil at the end of the input. Bytes that are not UTF-8 become U+FFFD,
    /// which is part of no sentence.
    mutating func next() throws -> String? {
        var line: [UInt8] = []
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                line += buffer[..<end].prefix(maximumByteCount - line.count)
                buffer.removeSubrange(...end)
                return InputLines.text(line)
            }
            line += buffer.prefix(maximumByteCount - line.count)
            buffer = []
            guard !isAtEnd else { return line.isEmpty ? nil : InputLines.text(line) }
            try fill()
        }
    }

    private mutating func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileReadError(code: errno) }
            isAtEnd = count == 0
            buffer = Array(chunk.prefix(count))
            return
        }
    }

    private static func text(_ line: [UInt8]) -> String {
        String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
    }
}

/// Standard input cannot be read.
private struct FileReadError: UserError {
    let code: Int32

    var description: String { "standard input: \(String(cString: strerror(code)))" }
    var hint: String? { nil }
    var kind: UserErrorKind { .noInput }
}
