extension QRSymbol {
    /// An SVG 1.1 document of the symbol and its quiet zone: a white square, and one path with a black
    /// rectangle for each run of dark modules in a row. One unit of the view box is one module.
    ///
    /// - Parameters:
    ///   - title: The title for screen readers and browsers. It is escaped; characters that XML 1.0 § 2.2
    ///     forbids become U+FFFD.
    ///   - millimetresPerModule: The printed size; at 1 mm a code of 33 modules is 41 mm wide.
    public func svg(title: String? = nil, millimetresPerModule: Int = 1) -> String {
        let side = framedSide
        let size = max(1, min(millimetresPerModule, 1000)) * side
        var path = ""
        for run in darkRuns {
            let (x, y) = (run.x + QRSymbol.quietZone, run.y + QRSymbol.quietZone)
            path += "M\(x) \(y)h\(run.length)v1h-\(run.length)z"
        }
        let caption = title.map { "<title>\(xmlText($0))</title>\n" } ?? ""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size)mm" height="\(size)mm" \
            viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">
            \(caption)<rect width="\(side)" height="\(side)" fill="#fff"/>
            <path d="\(path)" fill="#000"/>
            </svg>

            """
    }

    /// Draws the document again from its text, and checks that it holds this symbol's payload.
    package func verify(svg document: String) throws(RenderError) {
        guard let drawing = SVGDrawing(document),
            let image = drawing.image(scale: DrawingCheck.pixelsPerModule)
        else { throw .unreadable("SVG") }
        try verify(modules: image, drawnAs: "SVG")
    }
}

/// `text` as XML character data (XML 1.0 § 2.4). What XML 1.0 § 2.2 forbids becomes U+FFFD.
func xmlText(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": escaped += "&amp;"
        case "<": escaped += "&lt;"
        case ">": escaped += "&gt;"
        case "\t", "\n": escaped.unicodeScalars.append(scalar)
        case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
