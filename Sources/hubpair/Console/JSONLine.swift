import FoundationEssentials
import Glibc
import JSON

/// JSON Lines for scripts: one object a line, stable names, keys in alphabetical order. The writer escapes
/// everything that could drive a terminal, since the lines may end up on one.
enum JSONLine {
    /// The version of the lines: it changes only if a key changes its meaning, or goes.
    /// samples/schemas/hubpair.schema.json describes them, and the tests check each line against it.
    static let formatVersion: Int64 = 1

    /// True if `--json` stands among the options of this call, even of one that cannot be parsed: then
    /// standard error has nothing but JSON, too.
    static let isAskedFor = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")

    /// Lines are collected to about so many bytes for one call of the system.
    private static let chunkByteCount = 32_768

    /// Writes `value` to standard output as one line.
    static func write(_ value: some JSONWritable) throws { try write(CollectionOfOne(value)) }

    /// Writes `value` to standard output as one line.
    static func write(_ value: JSONValue) throws { try write(CollectionOfOne(value)) }

    /// Writes each value to standard output as one line.
    static func write(_ values: some Sequence<some JSONWritable>) throws {
        var bytes: [UInt8] = []
        for value in values {
            let start = bytes.count
            value.write(to: &bytes)
            copyForTests(bytes[start...], stream: "out")
            bytes.append(UInt8(ascii: "\n"))
            guard bytes.count >= chunkByteCount else { continue }
            try OpenOutput.standardOutput.write(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        if !bytes.isEmpty { try OpenOutput.standardOutput.write(bytes) }
    }

    /// Writes an error, a warning, a hint or a note to standard error as one line.
    static func writeMessage(_ members: [String: JSONValue]) {
        var line: [UInt8] = []
        JSONValue.object(members).write(to: &line)
        copyForTests(line[...], stream: "err")
        // An error cannot be reported where standard error is gone.
        line.append(UInt8(ascii: "\n"))
        try? OpenOutput.standardError.write(line)
    }

    /// In a debug build: adds the arguments, the stream and the value, as a line, to the file that
    /// `HUBPAIR_JSON_COPY` names. Tests/CLI/run checks all of them against the schemas, wherever a script has
    /// piped the output to.
    private static func copyForTests(_ value: ArraySlice<UInt8>, stream: String) {
        #if DEBUG
        guard let path = copyPath else { return }
        let arguments = CommandLine.arguments.dropFirst().map(JSONValue.string)
        let start = "[\(JSONValue.array(arguments).text),\"\(stream)\","
        let line = Array(start.utf8) + value + Array("]\n".utf8)
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        // A server may outlive the script that started it, and its folder.
        guard file >= 0 else { return }
        try? OpenOutput(descriptor: file, name: path).write(line)
        close(file)
        #endif
    }

    /// The same for what is no line of JSON: a hint that was given, a call that began or failed.
    /// Tests/CLI/hints.py tells by them which hints were followed.
    static func copyForTests(_ event: TestEvent, _ value: @autoclosure () -> JSONValue) {
        #if DEBUG
        copyForTests(Array(value().text.utf8)[...], stream: event.rawValue)
        #endif
    }

    enum TestEvent: String { case hint, run, failed }

    /// Where copies go; nil: nowhere.
    static var copyPath: String? {
        #if DEBUG
        return Startup.environment["HUBPAIR_JSON_COPY"]
        #else
        return nil
        #endif
    }

    /// True in a debug build if the arguments are only to be read: so the tests see whether a hint can be
    /// typed.
    static var onlyReadsArguments: Bool {
        #if DEBUG
        return Startup.environment["HUBPAIR_READ_ONLY_ARGUMENTS"] != nil
        #else
        return false
        #endif
    }
}
