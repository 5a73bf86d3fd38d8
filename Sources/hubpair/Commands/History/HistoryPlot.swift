import FoundationEssentials
import Home
import Identity

/// A history as a picture: in the terminal, or as a drawing.
struct HistoryPlot {
    let title: String
    let series: [HistorySeries]
    let start: Date
    let end: Date

    // MARK: Terminal

    /// The rows of a level; a switch has one.
    private static let levelRows = 6
    private static let eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Lines of at most `width` columns. What is not known is drawn as dots.
    func lines(width: Int) -> [String] {
        let labelWidth =
            series.flatMap { [$0.labels.low, $0.labels.high] }.map { columnWidth(of: $0) }.max() ?? 0
        let count = max(10, width - labelWidth - 2)
        func pad(_ text: String) -> String {
            String(repeating: " ", count: labelWidth - columnWidth(of: text)) + text
        }
        var lines: [String] = []
        for each in series {
            let columns = each.columns(count, from: start, to: end)
            let rows = each.isSwitch ? 1 : HistoryPlot.levelRows
            lines.append(SafeText.escaped(shortened(each.name)))
            for row in (0..<rows).reversed() {
                let label = row == rows - 1 ? each.labels.high : row == 0 ? each.labels.low : ""
                let cells = columns.map { value -> String in
                    guard let value else { return row == 0 ? "·" : " " }
                    let filled = Int((each.height(value) * Double(rows * 8)).rounded()) - row * 8
                    // A state of 0 is a line, so that it is no gap.
                    return HistoryPlot.eighths[max(row == 0 ? 1 : 0, min(8, filled))]
                }
                lines.append("\(pad(label)) │\(cells.joined())")
            }
        }
        let from = LocalTime(start).text(seenAt: end)
        let to = LocalTime(end).text(seenAt: end)
        let gap = count - columnWidth(of: from) - columnWidth(of: to)
        lines.append(
            String(repeating: " ", count: labelWidth + 1) + "└" + String(repeating: "─", count: count))
        if gap > 0 {
            lines.append(
                String(repeating: " ", count: labelWidth + 2) + from + String(repeating: " ", count: gap) + to
            )
        }
        return lines
    }

    // MARK: SVG

    private static let size = (width: 800.0, panel: 120.0, left: 70.0, right: 20.0, top: 50.0, gap: 40.0)

    /// A drawing in SVG 1.1, in the colours of the page that shows it.
    var svg: String {
        let size = HistoryPlot.size
        let height = size.top + Double(series.count) * (size.panel + size.gap) + 20
        var text = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(n(size.width)) \(n(height))\" "
        text += "font-family=\"sans-serif\" font-size=\"13\" fill=\"#333\">\n"
        text += "<title>\(HistoryPlot.escaped(title))</title>\n"
        text += "<rect width=\"\(n(size.width))\" height=\"\(n(height))\" fill=\"#fff\"/>\n"
        text += label(title, x: size.left, y: 24, more: " font-size=\"16\"")
        for (index, each) in series.enumerated() {
            text += panel(each, top: size.top + Double(index) * (size.panel + size.gap))
        }
        return text + "</svg>\n"
    }

    private func panel(_ each: HistorySeries, top: Double) -> String {
        let size = HistoryPlot.size
        let (left, right) = (size.left, size.width - size.right)
        let bottom = top + size.panel
        var text = label(each.name, x: left, y: top - 6)
        text += "<path d=\"M\(n(left)) \(n(top))V\(n(bottom))H\(n(right))\" fill=\"none\" stroke=\"#999\"/>\n"
        text += label(each.labels.high, x: left - 6, y: top + 10, more: " text-anchor=\"end\"")
        text += label(each.labels.low, x: left - 6, y: bottom, more: " text-anchor=\"end\"")
        let from = LocalTime(start).text(seenAt: end)
        text += label(from, x: left, y: bottom + 16)
        text += label(
            LocalTime(end).text(seenAt: end), x: right, y: bottom + 16, more: " text-anchor=\"end\"")
        let steps = path(each, left: left, right: right, top: top, bottom: bottom)
        if !steps.isEmpty {
            text += "<path d=\"\(steps)\" fill=\"none\" stroke=\"#0a58ca\" stroke-width=\"2\"/>\n"
        }
        return text
    }

    /// Steps; a gap where the state is not known.
    private func path(
        _ each: HistorySeries, left: Double, right: Double, top: Double, bottom: Double
    ) -> String {
        let span = max(1, end.timeIntervalSince(start))
        func x(_ time: Date) -> Double {
            left + (right - left) * time.timeIntervalSince(start) / span
        }
        var path = ""
        var isDrawing = false
        for (index, step) in each.steps.enumerated() {
            guard let value = step.value else {
                isDrawing = false
                continue
            }
            let y = bottom - (bottom - top) * each.height(value)
            let until = index + 1 < each.steps.count ? each.steps[index + 1].time : end
            path += isDrawing ? "V\(n(y))" : "M\(n(x(step.time))) \(n(y))"
            path += "H\(n(x(until)))"
            isDrawing = true
        }
        return path
    }

    private func label(_ text: String, x: Double, y: Double, more: String = "") -> String {
        "<text x=\"\(n(x))\" y=\"\(n(y))\"\(more)>\(HistoryPlot.escaped(text))</text>\n"
    }

    /// A length to a tenth.
    private func n(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }

    /// Names from the network are text, and neither markup nor control characters (XML 1.0 § 2.2).
    static func escaped(_ text: String) -> String {
        SafeText.escaped(shortened(text)).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
    }
}
