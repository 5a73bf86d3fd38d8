import Addresses
import ArgumentParser
import HubService
import Pairing
import QRCodes

extension PrintCode.Format: ExpressibleByArgument {}
extension PaperSize: ExpressibleByArgument {}

/// Where and how a code is drawn: for `print`, and for the first code of `setup`.
struct CodeOptions: ParsableArguments {
    @Option(
        help: "How to draw it. (default: by the ending of --output, without that terminal)")
    var format: PrintCode.Format?

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Write it to a file (mode 0600, as it holds a secret). (default: standard output)",
            valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "PDF: the label's width and height in millimetres, 10 to 500.", valueName: "WxHmm"),
        transform: optionValue("not a size", give: "millimetres from 10 to 500, like 40mm or 62x29mm") {
            // `62 mm × 29 mm`
            LabelSize(
                $0.lowercased().filter { !$0.isWhitespace }.replacing("mm", with: "").replacing(
                    "×", with: "x"))
        })
    var size: LabelSize?

    @Option(
        help: ArgumentHelp("PDF: a sheet of so many columns and rows of labels.", valueName: "COLSxROWS"),
        transform: optionValue("not columns x rows", give: "two numbers from 1 to 99, like 3x8") {
            SheetGrid($0.filter { !$0.isWhitespace })
        })
    var sheet: SheetGrid?

    @Option(help: "PDF: the paper. (default: a4)")
    var paper: PaperSize?

    @Flag(help: "Terminal: ## and spaces, for consoles without Unicode; stands right on a dark ground.")
    var ascii = false

    @Flag(help: "Terminal: exchange light and dark, where the code shows the wrong way round.")
    var invert = false

    @Flag(help: "Terminal: no drawing; the typed code spelled in sentences, for screen readers.")
    var plain = false

    @Flag(help: "Text: the bare code that begins with HUBPAIR:, not the address.")
    var bare = false

    @Option(
        help: ArgumentHelp(
            "The place in the code that a phone opens: this host's (auto), none, or another. (default: auto)",
            valueName: "auto|none|host[:port]"),
        transform: optionValue(
            "not a place for a code",
            give: "auto, none, an IPv4 address like 192.168.1.5:8000, or a name like kitchen.local",
            AddressChoice.init(argument:)))
    var address = AddressChoice.automatic

    /// What was said, without the parts that read it.
    var form: CodeForm {
        CodeForm(
            format: format, output: output, size: size, sheet: sheet, paper: paper, ascii: ascii,
            invert: invert, plain: plain, bare: bare, address: address)
    }

    func validate() throws { try form.check() }
}
