import Identity
import Testing

@testable import QRCodes

@Suite struct RenderingTests {
    static let label = Array("HUBPAIR:".utf8) + [UInt8](repeating: UInt8(ascii: "7"), count: 80)
    static let payloads = [
        label, label + Array("ABCDEFGHJK".utf8), [0], Array(0...255), Array("Küche 😀".utf8),
    ]

    static let styles = [TerminalStyle.colours, .sixteen, .reversed, .blocks, .ascii].flatMap {
        [$0, $0.inverted]
    }

    @Test(arguments: payloads) func `zbarimg reads our PNG`(payload: [UInt8]) throws {
        let directory = try TemporaryDirectory()
        for pixelsPerModule in [3, 8] {
            let file = try QRSymbol.encode(payload).png(pixelsPerModule: pixelsPerModule)
            try directory.write(file, to: "code.png")
            #expect(try zbarimg("code.png", in: directory) == payload)
        }
    }

    @Test(arguments: payloads) func `zbarimg reads our SVG as rsvg-convert draws it`(payload: [UInt8]) throws
    {
        let directory = try TemporaryDirectory()
        let document = try QRSymbol.encode(payload).svg(title: "a <b> & \"c\" ]]> \u{0} \u{1B}[31m é")
        try directory.write(Array(document.utf8), to: "code.svg")
        for zoom in ["1", "3"] {
            let arguments = ["--zoom", zoom, "-o", "code.png", "code.svg"]
            try #require(try run("rsvg-convert", arguments, in: directory).status == 0)
            #expect(try zbarimg("code.png", in: directory) == payload)
        }
    }

    @Test(arguments: payloads) func `every drawing passes its own check, and only its own`(payload: [UInt8])
        throws
    {
        let symbol = try QRSymbol.encode(payload)
        let other = try QRSymbol.encode(payload + [0x30])
        for pixelsPerModule in [1, 2, 3, 4, 5, 8, 13, 64] {
            let file = try symbol.png(pixelsPerModule: pixelsPerModule)
            try symbol.verify(png: file)
            #expect(throws: RenderError.unreadable("PNG")) { try other.verify(png: file) }
        }
        let document = symbol.svg(title: "hub")
        try symbol.verify(svg: document)
        #expect(throws: RenderError.unreadable("SVG")) { try other.verify(svg: document) }
        for style in RenderingTests.styles {
            let lines = symbol.terminalLines(style: style)
            try symbol.verify(terminalLines: lines, style: style)
            // libzbar reads what the terminal shows, too.
            let shown = try #require(LuminanceImage.terminal(lines, scale: 4))
            try symbol.verify(picture: style.isInverted ? shown.inverted : shown, drawnAs: "terminal")
            #expect(throws: RenderError.unreadable("terminal")) {
                try other.verify(terminalLines: lines, style: style)
            }
        }
    }

    @Test func `every version passes the check`() throws {
        var version = 0
        for count in 1...2331 where count % 8 == 1 || count == 2331 {
            let symbol = try QRSymbol.encode((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 128) })
            guard symbol.version > version else { continue }
            #expect(symbol.version == version + 1)
            version = symbol.version
            try symbol.verify(svg: symbol.svg())
            try symbol.verify(terminalLines: symbol.terminalLines(style: .colours), style: .colours)
        }
        #expect(version == 40)
    }

    @Test func `one wrong pixel in a module is seen`() throws {
        let symbol = try QRSymbol.encode(RenderingTests.label)
        let lines = symbol.terminalLines(style: .colours)
        let image = try #require(LuminanceImage.terminal(lines, scale: DrawingCheck.pixelsPerModule))
        try symbol.verify(modules: image, drawnAs: "terminal")
        for index in stride(from: 0, to: image.pixels.count, by: 61) {
            let spoilt = LuminanceImage(width: image.width, height: image.height) { pixels in
                _ = pixels.update(fromContentsOf: image.pixels)
                pixels[index] = 255 - pixels[index]
            }
            #expect(throws: RenderError.unreadable("terminal")) {
                try symbol.verify(modules: spoilt, drawnAs: "terminal")
            }
        }
    }

    @Test func `a PNG is small, and its size in pixels is right`() throws {
        let symbol = try QRSymbol.encode(RenderingTests.label)
        let ours = try symbol.png()
        let image = try LuminanceImage.decode(ours)
        #expect(image.width == 41 * 8 && image.height == 41 * 8)
        // Palette of one bit, as qrencode writes; ISO/IEC 15948 § 11.2.2.
        #expect(ours[24] == 1)
        let theirs = try qrencode(RenderingTests.label, ["-s", "8", "-l", "M"])
        #expect(Double(ours.count) <= 1.1 * Double(theirs.count))
        for count in [0, -1, 65, .max, .min] {
            #expect(throws: RenderError.pixelsPerModule(count)) { try symbol.png(pixelsPerModule: count) }
        }
        #expect(RenderError.pixelsPerModule(65).recoverySuggestion == "choose 1 to 64")
    }

    @Test(arguments: [(88, 41, 21), (98, 45, 23)])
    func `a code fits a terminal, with room for captions`(count: Int, columns: Int, lines: Int) throws {
        let symbol = try QRSymbol.encode([UInt8](repeating: UInt8(ascii: "Z"), count: count))
        let plain = symbol.terminalLines(style: .blocks)
        #expect(plain.count == lines)
        #expect(plain.allSatisfy { $0.count == columns })
        // The quiet zone is light: it is filled when the terminal's own colours are used.
        #expect(plain[0] == String(repeating: "█", count: columns))
        #expect(plain[lines - 1] == plain[0])

        for (style, start) in [
            (TerminalStyle.colours, "\u{1B}[38;5;16;48;5;231m"), (.sixteen, "\u{1B}[30;47m"),
            (.reversed, "\u{1B}[7m"),
        ] {
            let coloured = symbol.terminalLines(style: style)
            #expect(coloured[0] == start + String(repeating: " ", count: columns) + "\u{1B}[0m")
            #expect(coloured.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix("\u{1B}[0m") })
            #expect(coloured.allSatisfy { $0.replacing(/\u{1B}\[[0-9;]+m/, with: "").count == columns })
            #expect(coloured.allSatisfy(TerminalStyle.isDrawn))
        }
        for line in ["m", "\u{1B}", "\u{1B}[31m ", " \u{1B}[7", "\u{1B}[7;5m", "\u{1B}]0;x\u{7}", " \n"] {
            #expect(!TerminalStyle.isDrawn(line))
        }
    }

    @Test func `the terminal drawing is the symbol`() throws {
        let symbol = try QRSymbol.encode(RenderingTests.label)
        for style in RenderingTests.styles {
            let shown = try #require(LuminanceImage.terminal(symbol.terminalLines(style: style), scale: 1))
            let image = style.isInverted ? shown.inverted : shown
            for y in 0..<41 {
                for x in 0..<41 {
                    let isDark = image.pixels[y * image.width + x] == 0
                    #expect(isDark == symbol.isDark(x: x - 4, y: y - 4), "\(x), \(y)")
                }
            }
        }
    }

    @Test func `ASCII takes two columns a module, and its quiet zone can be smaller`() throws {
        let symbol = try QRSymbol.encode(RenderingTests.label)
        for (quietZone, columns) in [(4, 82), (3, 78), (2, 74)] {
            let lines = symbol.terminalLines(style: .ascii, quietZone: quietZone)
            #expect(lines.count == columns / 2 && lines.allSatisfy { $0.utf8.count == columns })
            #expect(lines[0] == String(repeating: "#", count: columns))
            try symbol.verify(terminalLines: lines, style: .ascii)
        }
        for spoilt in [["#"], ["## "], ["# #"], ["##", "####"], ["#=#="]] {
            #expect(LuminanceImage.terminal(spoilt, scale: 1) == nil)
        }
    }

    @Test func `a spoilt drawing is refused`() throws {
        let symbol = try QRSymbol.encode(RenderingTests.label)
        let lines = symbol.terminalLines(style: .colours)
        let blank = String(repeating: " ", count: 41)
        for spoilt: [String] in [
            [], Array(lines.prefix(10)), lines.map { $0 + "█" } + [""], lines.map { $0.lowercased() + "x" },
            lines.map { String($0.dropFirst(19)) }, [String](repeating: blank, count: 21),
            lines.map { $0.replacing("231m", with: "230m") },
        ] {
            #expect(throws: RenderError.unreadable("terminal")) {
                try symbol.verify(terminalLines: spoilt, style: .colours)
            }
        }

        let document = symbol.svg()
        for spoilt in [
            "", document + " ", document.replacing("M4 4h7", with: "M4 4h8"),
            document.replacing("M4 4h7v1h-7z", with: ""), document.replacing("#fff", with: "#000"),
            document.replacing("v1h", with: "v2h"), document.replacing("<path", with: "<path transform=\"\""),
            document.replacing("M4 4h7v1h-7z", with: "M4 4h99v1h-99z"),
            document.replacing("M4 4h7v1h-7z", with: "M4 999999h7v1h-7z"),
            document.replacing("M4 4h7v1h-7z", with: "M4 4h7v1h-7zM99999999999999999999 4h7v1h-7z"),
            document.replacing("0 0 41 41", with: "0 0 0 0"),
        ] {
            #expect(spoilt != document)
            #expect(throws: RenderError.unreadable("SVG"), "\(spoilt.prefix(300))") {
                try symbol.verify(svg: spoilt)
            }
        }
        #expect(throws: RenderError.unreadable("PNG")) { try symbol.verify(png: []) }
        let strip = try PNGCodec.encode(bilevel: [UInt8](repeating: 0, count: 900), width: 900, height: 1)
        #expect(throws: RenderError.unreadable("PNG")) { try symbol.verify(png: strip) }
        #expect(throws: RenderError.unreadable("PNG")) {
            try symbol.verify(png: Array(try symbol.png().prefix(200)))
        }
    }

    @Test func `an SVG's title cannot break out of it`() throws {
        let symbol = try QRSymbol.encode([0x41])
        let document = symbol.svg(title: "</title><script>&amp; \u{0}\u{8}\u{FFFE}\t\u{7F}é")
        #expect(
            document.contains(
                "<title>&lt;/title&gt;&lt;script&gt;&amp;amp; \u{FFFD}\u{FFFD}\u{FFFD}\t\u{7F}é</title>"))
        try symbol.verify(svg: document)
        #expect(!symbol.svg().contains("<title>"))
        #expect(
            symbol.svg(millimetresPerModule: 2).contains(
                "width=\"58mm\" height=\"58mm\" viewBox=\"0 0 29 29\""))
        #expect(symbol.svg(millimetresPerModule: .max).contains("width=\"29000mm\""))
    }
}
