import Testing

@testable import hubpair

@Suite struct TableTests {
    private static let table = Table(
        columns: ["HUB", "ADDRESS", ""],
        rows: [["A hub with a long name", "10.0.0.1:8000", "default"], ["漢字", "-", ""]])

    @Test func whatFitsIsWhole() {
        let lines = [
            "HUB                     ADDRESS", "A hub with a long name  10.0.0.1:8000  default",
            "漢字                    -",
        ]
        #expect(Self.table.lines(within: nil) == lines)
        #expect(Self.table.lines(within: 46) == lines)
    }

    @Test func namesAreCutAndNothingElse() {
        #expect(
            Self.table.lines(within: 40) == [
                "HUB               ADDRESS", "A hub with a lo…  10.0.0.1:8000  default", "漢字              -",
            ])
        #expect(Self.table.narrowestWidth == 36)
        #expect(Self.table.lines(within: 36).map(columnWidth(of:)).max() == 36)
        #expect(Self.table.lines(within: 20) == Self.table.lines(within: 36))
    }

    @Test func aRowInAFewLines() {
        #expect(
            Self.table.blocks == [
                "A hub with a long name", "  ADDRESS  10.0.0.1:8000", "  default", "漢字",
            ])
    }

    @Test func namesAreEscaped() {
        let table = Table(columns: ["HUB", "ID"], rows: [["a\u{1B}[2J", "\u{9B}"]])
        #expect(table.lines(within: nil) == ["HUB         ID", "a\\u{1B}[2J  \\u{9B}"])
        #expect(table.blocks == ["a\\u{1B}[2J", "  ID  \\u{9B}"])
    }
}
