extension ChartDrawing {
    /// The drawing in SVG 1.1. Text is text: neither markup nor anything to be loaded.
    package var svg: String {
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(n(width)) \(n(height))\" "
        text += "font-family=\"sans-serif\" fill=\"\(hex(ChartDrawing.ink))\">\n"
        text += "<title>\(xmlText(title))</title>\n"
        text += "<rect width=\"\(n(width))\" height=\"\(n(height))\" fill=\"#ffffff\"/>\n"
        for each in lines {
            let path = each.lines.map { points in
                points.enumerated().map { "\($0 == 0 ? "M" : "L")\(n($1.x)) \(n($1.y))" }.joined()
            }
            text += "<path d=\"\(path.joined())\" fill=\"none\" stroke=\"\(hex(each.colour))\" "
            text += "stroke-width=\"\(n(each.width))\"/>\n"
        }
        for each in texts {
            text += "<text x=\"\(n(each.origin.x))\" y=\"\(n(each.origin.y))\" font-size=\"\(n(each.size))\""
            text += each.endsThere ? " text-anchor=\"end\">" : ">"
            text += "\(xmlText(each.text))</text>\n"
        }
        return text + "</svg>\n"
    }

    /// A length to a tenth.
    private func n(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }

    private func hex(_ colour: Colour) -> String {
        let digits = Array("0123456789abcdef")
        return [colour.red, colour.green, colour.blue].reduce(into: "#") { text, part in
            text.append(digits[Int(part >> 4)])
            text.append(digits[Int(part & 0xF)])
        }
    }
}
