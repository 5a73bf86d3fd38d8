import ArgumentParser
import QRCodes

/// `hubpair scan`: what the codes in images say.
struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Read QR codes from images.",
        discussion: """
            Reads PNG, JPEG, WebP, HEIC, AVIF, GIF, BMP, PBM, PGM, PPM and PDF; a directory stands for the \
            images in it. Every image is read, even after one has failed; the exit code is that of the first \
            one that failed. A pairing code's secret is never shown, unless --raw asks for it.

            '-' is an image on standard input, or the text of a code, or a stream of Motion JPEG frames, \
            which ends at the first pairing code.

            EXAMPLES:
              hubpair scan code.jpg
              hubpair scan --json photos/
              hubpair scan --explain seen.png blurred.jpg
              rpicam-vid -n -t 0 --codec mjpeg -o - | hubpair scan -
            """
    )

    @Argument(
        help: ArgumentHelp("An image, a directory, or '-' for standard input.", valueName: "image"),
        completion: .file())
    var images: [String]

    @Flag(help: "Write each code's bytes and a line end, whatever it says.")
    var raw = false

    @Option(help: "How much work a picture is worth. (default: normal)")
    var effort: ScanEffort?

    @Option(
        help: ArgumentHelp(
            "Write a picture of what was seen in the one image, as PNG. (default: none)", valueName: "file"),
        completion: .file(extensions: ["png"]))
    var explain: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for a code in a stream. (default: for ever)", valueName: "time"),
        transform: durationValue(atMost: .seconds(86_400), like: "60s"))
    var timeout: Duration?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Read no image of more pixels. (default: 64000000)", valueName: "n"),
        transform: countValue(1...1_000_000_000, like: 64_000_000))
    var maxPixels = ImageLimits().maximumPixels

    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    var line: ScanImages {
        ScanImages(
            images: images, raw: raw, effort: effort ?? .normal, explain: explain, timeout: timeout,
            maxPixels: maxPixels, configurationPath: configuration.path, json: json)
    }

    func validate() throws {
        guard !(raw && json) else {
            throw ValidationError("--raw and --json exclude each other. Leave one out")
        }
        guard images.filter({ $0 == "-" }).count <= 1 else {
            throw ValidationError("standard input can be read only once. Give '-' once")
        }
        guard explain == nil || images.count == 1 else {
            throw ValidationError("--explain takes one image. Name one alone")
        }
        guard explain != "", explain != "-" else {
            throw ValidationError("--explain takes a file to write. Name one, like seen.png")
        }
        guard timeout == nil || images == ["-"] else {
            throw ValidationError(
                "--timeout is for a stream on standard input. Say hubpair scan --timeout 60 -")
        }
    }

    func run() throws { try line.run() }
}

extension ScanEffort: ExpressibleByArgument {
    // The same values as ArgumentParser's own, without its detour through key paths at every start.
    package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
    package static var allValueDescriptions: [String: String] { [:] }
}
