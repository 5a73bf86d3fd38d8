import FoundationEssentials
import Identity
import QRCodes

extension HistoryPlot {
    private static let size = (width: 800.0, panel: 120.0, left: 70.0, right: 20.0, top: 50.0, gap: 40.0)
    private static let axis = ChartDrawing.Colour(0x99, 0x99, 0x99)
    private static let steps = ChartDrawing.Colour(0x0A, 0x58, 0xCA)

    /// A panel for each activator, one below the other. What is not known is a gap.
    var drawing: ChartDrawing {
        let size = HistoryPlot.size
        var drawing = ChartDrawing(
            title: HistoryPlot.shown(title), width: size.width,
            height: size.top + Double(series.count) * (size.panel + size.gap) + 20)
        drawing.add(.init(HistoryPlot.shown(title), at: .init(size.left, 24), size: 16))
        for (index, each) in series.enumerated() {
            add(each, top: size.top + Double(index) * (size.panel + size.gap), to: &drawing)
        }
        return drawing
    }

    private func add(_ each: HistorySeries, top: Double, to drawing: inout ChartDrawing) {
        let size = HistoryPlot.size
        let (left, right, bottom) = (size.left, size.width - size.right, top + size.panel)
        drawing.add(
            ChartDrawing.Lines(
                [[.init(left, top), .init(left, bottom), .init(right, bottom)]], width: 1,
                colour: HistoryPlot.axis))
        drawing.add(.init(HistoryPlot.shown(each.name), at: .init(left, top - 6)))
        for (label, y) in [(each.labels.high, top + 10), (each.labels.low, bottom)] {
            drawing.add(.init(HistoryPlot.shown(label), at: .init(left - 6, y), endsThere: true))
        }
        drawing.add(.init(LocalTime(start).text(seenAt: end), at: .init(left, bottom + 16)))
        drawing.add(
            .init(LocalTime(end).text(seenAt: end), at: .init(right, bottom + 16), endsThere: true))
        drawing.add(
            ChartDrawing.Lines(
                lines(each, left: left, right: right, top: top, bottom: bottom), width: 2,
                colour: HistoryPlot.steps))
    }

    /// Steps; a new line begins behind each gap.
    private func lines(
        _ each: HistorySeries, left: Double, right: Double, top: Double, bottom: Double
    ) -> [[ChartDrawing.Point]] {
        let span = max(1, end.timeIntervalSince(start))
        func x(_ time: Date) -> Double {
            left + (right - left) * time.timeIntervalSince(start) / span
        }
        var lines: [[ChartDrawing.Point]] = []
        var isDrawing = false
        for (index, step) in each.steps.enumerated() {
            guard let value = step.value else {
                isDrawing = false
                continue
            }
            let y = bottom - (bottom - top) * each.height(value)
            let until = index + 1 < each.steps.count ? each.steps[index + 1].time : end
            if !isDrawing { lines.append([]) }
            lines[lines.count - 1] += [.init(x(step.time), y), .init(x(until), y)]
            isDrawing = true
        }
        return lines
    }

    /// Names from the network are text without control characters (XML 1.0 § 2.2).
    private static func shown(_ text: String) -> String { SafeText.escaped(shortened(text)) }
}
