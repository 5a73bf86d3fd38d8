import Addresses
import ArgumentParser
import HubService
import Pairing
import QRCodes

/// Where and how a code is drawn. A plain value.
struct CodeForm: Equatable {
    var format: PrintCode.Format?
    var output: String?
    var size: LabelSize?
    var sheet: SheetGrid?
    var paper: PaperSize?
    var ascii = false
    var invert = false
    var plain = false
    /// The text is the bare code, not the address.
    var bare = false
    var address = AddressChoice.automatic

    /// The file to write; nil for standard output.
    var outputPath: String? { output == "-" ? nil : output }

    /// What a PDF is printed on.
    var medium: PrintMedium {
        if let sheet { return .sheet(sheet, paper ?? .a4, size) }
        if let size { return .label(size) }
        return .page(paper ?? .a4)
    }

    /// True if a drawing for the terminal was asked for by name: no file takes its place then.
    var insistsOnTerminal: Bool { format == .terminal || ascii || invert || plain }

    /// The flag that asks for text, if it was given.
    private var flag: String? { plain ? "--plain" : ascii ? "--ascii" : invert ? "--invert" : nil }

    private var isForPaper: Bool { size != nil || sheet != nil || paper != nil }

    /// The format that was asked for, or that the output's name shows.
    func chosenFormat() throws -> PrintCode.Format {
        if let format { return format }
        if insistsOnTerminal { return .terminal }
        guard let path = outputPath else { return isForPaper ? .pdf : .terminal }
        if let format = formatOfName { return format }
        if isForPaper { return .pdf }
        throw ValidationError(
            "cannot tell the format from the file's name. " + CodeForm.formatHint(path))
    }

    /// What to give instead of a name without a known ending.
    private static func formatHint(_ path: String) -> String {
        guard path.hasSuffix("/") || OutputFile.isDirectory(path) else {
            return "Name it with --format png, svg, pdf or text, or give a name that ends so"
        }
        let directory = path.hasSuffix("/") ? path : path + "/"
        return "That is a directory; add the file's name: -o \(shellQuoted(directory + "code.png"))"
    }

    /// The format that the end of the output's name stands for.
    private var formatOfName: PrintCode.Format? {
        guard let path = outputPath, let dot = path.lastIndex(of: ".") else { return nil }
        switch path[dot...].lowercased() {
        case ".png": return .png
        case ".svg": return .svg
        case ".pdf": return .pdf
        case ".txt": return .text
        default: return nil
        }
    }

    /// The address for the code of a hub on `port`.
    func addressHint(port: UInt16, of state: HubState) -> PairingCode.AddressHint? {
        isTooWideForAddress ? nil : address.hint(port: port, names: try? .current(of: state))
    }

    /// With an address a code has 37 modules a side: in ASCII too wide for 80 columns. The code works
    /// without.
    var isTooWideForAddress: Bool {
        ascii && address == .automatic && Console.size.columns < CodeDrawing.asciiColumns(modulesPerSide: 37)
    }

    /// - Throws: `ValidationError`: what does not go together.
    func check() throws {
        guard output != "" else {
            throw ValidationError(
                "--output takes a file, or '-' for standard output. Name one, like -o code.png")
        }
        let format = try chosenFormat()
        guard !isForPaper || format == .pdf else {
            throw ValidationError(
                "--size, --sheet and --paper are for PDF. Add --format pdf, or leave them out")
        }
        guard !(ascii || invert || plain) || format == .terminal else {
            throw ValidationError(
                "--ascii, --invert and --plain are for a terminal. Leave them out, or leave --format out")
        }
        if let flag, format == .terminal, let name = formatOfName, name != .text, self.format == nil {
            throw ValidationError(
                "\(flag) makes text, and '\(outputPath ?? "")' is a name for \(name.rawValue.uppercased()). "
                    + "Leave \(flag) out, or choose a name that ends in .txt")
        }
        guard !bare || format == .text else {
            throw ValidationError("--bare is for --format text. Add that, or leave --bare out")
        }
        guard !plain || !(ascii || invert) else {
            throw ValidationError(
                "--plain draws nothing, so there is nothing to draw in ASCII or to invert. Leave --plain out")
        }
        guard size == nil || sheet != nil || paper == nil else {
            throw ValidationError("a label is a page of its own size. Leave --paper out, or add --sheet 3x8")
        }
        if format == .png || format == .pdf, outputPath == nil, Console.outputIsTerminal {
            throw ValidationError(
                "a \(format.rawValue.uppercased()) is not for a terminal. "
                    + "Name a file: -o code.\(format.rawValue)"
            )
        }
    }
}
