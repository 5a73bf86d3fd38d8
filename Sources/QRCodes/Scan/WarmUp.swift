/// A first search, of a small picture of our own, before processes are started for the pictures of others.
///
/// A process that runs code for the first time makes the metadata of its generic types, binds the symbols of
/// its libraries, and makes the tables of versions. A child of fork(2) inherits what its parent has made, so
/// with many files that is done once and not for each of them.
enum WarmUp {
    /// The text in `code`.
    static let text = "HUBPAIR"

    /// A code of version 1, as a plain PBM without a quiet zone.
    static let code = """
        P1 21 21
        111111101011101111111
        100000100111001000001
        101110100100101011101
        101110101100001011101
        101110101010101011101
        100000101001001000001
        111111101010101111111
        000000001011100000000
        100010111011011111001
        101011010111100101100
        010111111001001111001
        110110011010011011010
        000001101100111001111
        000000001100111000100
        111111101110110001001
        100000100011100100011
        101110101001001111011
        101110100111100001111
        101110100101001110000
        100000100110011001001
        111111101000111011111
        """

    /// Reads `code` where it fills the picture, and where it is a part of one; then searches for it where a
    /// finder pattern is missing. Returns what was read.
    @discardableResult
    static func run() throws -> [ScannedQRCode] {
        let file = Array(code.utf8)
        let drawn = try ImageScan().run(ImageBytes(file))
        let part = try ImageSource(file).luminance(scale: 1).framed(width: 24, shade: 255, factor: 4)
        let whole = try SymbolSearch.run(part, limits: .quick(pixels: part.pixels.count))
        let cut = part.part(x: 0, y: 0, width: part.width, height: part.height * 3 / 5)
        _ = try SymbolSearch.run(cut, limits: .normal(pixels: cut.pixels.count))
        // Places without a code look like one of any version.
        for version in 1...40 { _ = GridRegistration.of(version) }
        return drawn.result.codes + whole.result.codes
    }
}
