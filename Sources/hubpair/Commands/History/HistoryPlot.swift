import FoundationEssentials
import Home
import Identity

/// A history as a picture in the terminal.
struct HistoryPlot {
    let series: [HistorySeries]
    let start: Date
    let end: Date

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
}
