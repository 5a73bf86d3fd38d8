import NIOCore
import Testing

@testable import HubService

struct MetricsTests {
    @Test(arguments: [
        ("127.0.0.1:9464", "127.0.0.1:9464"), ("[::1]:9464", "[::1]:9464"), ("localhost:80", "127.0.0.1:80"),
        ("9464", "127.0.0.1:9464"), ("/run/hubpair/metrics", "/run/hubpair/metrics"),
    ])
    func placesOnThisComputer(text: String, place: String) {
        #expect(MetricsPlace(text)?.description == place)
    }

    @Test(arguments: [
        "", ":", "0", "65536", "127.0.0.1", "127.0.0.1:", "127.0.0.1:+1", "127.0.0.1:0", "192.0.2.1:1",
        "[::]:1",
        "::1",
        "host:1", "/", "/metrics", "/run/", "run/metrics", "localhost:١",
    ])
    func otherPlaces(text: String) {
        #expect(MetricsPlace(text) == nil)
    }

    @Test func textIsWrittenAsPrometheusReadsIt() {
        var text = PrometheusText()
        text.add("b_total", .counter, "Help.", [([("a", "2")], 2), ([("a", "\"\\\n")], 1)])
        text.add("none", .gauge, "Help.", [([], 1)].filter { _ in false })
        var times = TimeHistogram()
        for seconds in [0.005, 0.0051, 31] { times.add(seconds) }
        text.add("t_seconds", "Help.", [([("by", "hub")], times)])
        #expect(
            text.text == """
                # HELP b_total Help.
                # TYPE b_total counter
                b_total{a="2"} 2
                b_total{a="\\"\\\\\\n"} 1
                # HELP t_seconds Help.
                # TYPE t_seconds histogram
                t_seconds_bucket{by="hub",le="0.005"} 1
                t_seconds_bucket{by="hub",le="0.025"} 2
                t_seconds_bucket{by="hub",le="0.1"} 2
                t_seconds_bucket{by="hub",le="0.25"} 2
                t_seconds_bucket{by="hub",le="1"} 2
                t_seconds_bucket{by="hub",le="2.5"} 2
                t_seconds_bucket{by="hub",le="10"} 2
                t_seconds_bucket{by="hub",le="30"} 2
                t_seconds_bucket{by="hub",le="+Inf"} 3
                t_seconds_sum{by="hub"} \(0.005 + 0.0051 + 31)
                t_seconds_count{by="hub"} 3

                """)
    }

    @Test func aProcessOfAnyName() {
        let rest = (3...52).map { "\($0)" }.joined(separator: " ")
        let figures = ProcessFigures(
            stat: "1 (a) b) (c) \(rest)", statm: "10 3 2 1 0 4 0", openFiles: 7, ticks: 100,
            pageByteCount: 4096)
        #expect(figures?.processorSeconds == 0.29)
        #expect(figures?.residentByteCount == 12_288)
        for stat in ["", "1 (a", "1 (a) 2 3", "1 (a) " + String(repeating: "x ", count: 60)] {
            #expect(
                ProcessFigures(stat: stat, statm: "1 2", openFiles: 1, ticks: 100, pageByteCount: 1) == nil)
        }
        #expect(ProcessFigures.now() != nil)
    }
}
