/// Figures in Prometheus's text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
struct PrometheusText: Equatable, Sendable {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    enum Kind: String, Sendable { case counter, gauge }

    typealias Labels = [(name: String, value: String)]

    private(set) var text = ""

    /// One metric without labels.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        add(name, kind, help, [([], value)])
    }

    /// One metric; its rows in the order of their labels, so that two answers can be compared.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ rows: [(Labels, Double)]) {
        guard !rows.isEmpty else { return }
        head(name, kind.rawValue, help)
        text += rows.map { name + PrometheusText.braces($0) + " " + PrometheusText.number($1) + "\n" }
            .sorted().joined()
    }

    mutating func add(_ name: String, _ help: String, _ rows: [(Labels, TimeHistogram)]) {
        guard !rows.isEmpty else { return }
        head(name, "histogram", help)
        let sorted = rows.sorted { PrometheusText.braces($0.0) < PrometheusText.braces($1.0) }
        for (labels, histogram) in sorted {
            var count: UInt64 = 0
            let ends = TimeHistogram.bounds.map(PrometheusText.number) + ["+Inf"]
            for (end, more) in zip(ends, histogram.counts) {
                count += more
                text += name + "_bucket" + PrometheusText.braces(labels + [("le", end)]) + " \(count)\n"
            }
            text += name + "_sum" + PrometheusText.braces(labels) + " \(histogram.sum)\n"
            text += name + "_count" + PrometheusText.braces(labels) + " \(count)\n"
        }
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private static func number(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func braces(_ labels: Labels) -> String {
        if labels.isEmpty { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
