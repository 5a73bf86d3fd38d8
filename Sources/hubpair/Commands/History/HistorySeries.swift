import FoundationEssentials
import Home
import Household
import JSON

/// How the state of one activator went through a span of time, as steps.
struct HistorySeries {
    /// From `time` on the state was this; nil: it is not known, or is no number.
    struct Step: Equatable {
        let time: Date
        let value: Double?
    }

    let name: String
    /// On and off alone.
    let isSwitch: Bool
    /// Rising in time; the first is at the beginning of the span.
    let steps: [Step]
    /// The lowest and the highest value that it is drawn with.
    let range: ClosedRange<Double>
    private let isLevel: Bool
    private let unit: StateUnit?

    /// - Parameters:
    ///   - changes: of this activator, oldest first.
    ///   - unit: what its levels count; nil if that is not known.
    init(
        _ activator: Activator, _ changes: [StateChange], in unit: StateUnit?, from start: Date, to end: Date
    ) {
        name = activator.name
        self.unit = unit
        isSwitch = activator.kind == .bool
        // The state before the first change is known from that change; without any it is as it is now.
        let first: JSONValue? = changes.isEmpty ? activator.state : changes[0].before
        var steps = [Step(time: start, value: first.flatMap { HistorySeries.value($0) })]
        for change in changes where change.time > start && change.time <= end {
            steps.append(Step(time: change.time, value: HistorySeries.value(change.state)))
        }
        self.steps = steps
        let values = steps.compactMap(\.value)
        let (low, high) = (values.min() ?? 0, values.max() ?? 1)
        isLevel = low >= 0 && high <= 1
        range = isLevel ? 0...1 : low...max(high, low + 1)
    }

    private static func value(_ state: JSONValue) -> Double? {
        if case .boolean(let isOn) = state { return isOn ? 1 : 0 }
        return state.asDouble.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The share of the range at which a value stands, 0 to 1.
    func height(_ value: Double) -> Double {
        min(1, max(0, (value - range.lowerBound) / (range.upperBound - range.lowerBound)))
    }

    /// The words for the ends of the range.
    var labels: (low: String, high: String) {
        if isSwitch { return ("off", "on") }
        if isLevel, let unit { return (unit.text(ofLevel: 0), unit.text(ofLevel: 1)) }
        return isLevel
            ? ("0%", "100%") : (HistorySeries.text(range.lowerBound), HistorySeries.text(range.upperBound))
    }

    private static func text(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\((value * 10).rounded() / 10)"
    }

    /// The highest value within each of `count` equal parts of the span: a lamp that was on for a second
    /// shows.
    func columns(_ count: Int, from start: Date, to end: Date) -> [Double?] {
        let part = end.timeIntervalSince(start) / Double(count)
        var columns = [Double?](repeating: nil, count: count)
        for (index, step) in steps.enumerated() {
            guard let value = step.value, part > 0 else { continue }
            let until = index + 1 < steps.count ? steps[index + 1].time : end
            let first = Int((step.time.timeIntervalSince(start) / part).rounded(.down))
            let last = Int((until.timeIntervalSince(start) / part).rounded(.up)) - 1
            guard first < count else { continue }
            for column in max(0, first)...max(0, min(count - 1, max(first, last))) {
                columns[column] = max(columns[column] ?? value, value)
            }
        }
        return columns
    }
}
