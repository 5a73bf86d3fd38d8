import Foundation
import Testing

/// A program's output and exit status.
struct ToolOutput {
    let status: Int32
    let output: [UInt8]
}

/// A program that the tests need is missing. Such a test fails, and is never skipped.
struct MissingTool: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is missing: run samples/prepare" }
}

/// Runs a program in `/usr/bin` to its end in `directory`. `input` must fit a pipe (64 KiB).
func run(
    _ name: String, _ arguments: [String], input: [UInt8] = [], in directory: TemporaryDirectory
) throws -> ToolOutput {
    let path = "/usr/bin/" + name
    guard FileManager.default.isExecutableFile(atPath: path) else { throw MissingTool(path: path) }
    try #require(input.count <= 65536)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
    let standardInput = Pipe()
    let standardOutput = Pipe()
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input))
    try standardInput.fileHandleForWriting.close()
    let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return ToolOutput(status: process.terminationStatus, output: [UInt8](output))
}

/// A directory that is removed when the test ends.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "qrcodes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }
}

/// The directory with the files that a Python script with Pillow writes; it finds `input` there as `in.png`.
func pillow(_ script: String, input: [UInt8] = []) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.write(input, to: "in.png")
    let result = try run("python3", ["-c", "from PIL import Image, ImageDraw\n" + script], in: directory)
    try #require(result.status == 0, "the script with Pillow failed; apt install python3-pil")
    return directory
}

/// The PNG that `qrencode` makes of `payload`.
func qrencode(_ payload: [UInt8], _ arguments: [String] = []) throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let result = try run("qrencode", arguments + ["-o", "-"], input: payload, in: directory)
    try #require(result.status == 0)
    return result.output
}

/// What `zbarimg` reads in a file, byte for byte.
func zbarimg(_ name: String, in directory: TemporaryDirectory) throws -> [UInt8] {
    let result = try run("zbarimg", ["--raw", "-Sbinary", "-q", "--nodbus", name], in: directory)
    #expect(result.status == 0)
    return result.output
}
