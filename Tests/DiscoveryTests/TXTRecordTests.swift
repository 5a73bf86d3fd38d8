import Discovery
import Testing

@Suite struct TXTRecordTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let strings: [[UInt8]]
        let entries: [String: [UInt8]?]
        var testDescription: String {
            strings.map { String(decoding: $0.prefix(20), as: UTF8.self) }.description
        }

        init(_ strings: [[UInt8]], _ entries: [String: [UInt8]?]) {
            self.strings = strings
            self.entries = entries
        }

        init(_ strings: [String], _ entries: [String: String?]) {
            self.init(strings.map { Array($0.utf8) }, entries.mapValues { $0.map { Array($0.utf8) } })
        }
    }

    @Test(arguments: [
        Case([String](), [:]),
        Case([""], [:]),
        Case(["api_level=0.7"], ["api_level": "0.7"]),
        Case(["flag", "empty=", "a=b=c"], ["flag": nil, "empty": "", "a": "b=c"]),
        Case(["id=1", "ID=2", "Id"], ["id": "1"]),
        Case(["id", "id=2"], ["id": nil]),
        Case(["=value", "=", "good=1"], ["good": "1"]),
        Case(["ключ=1", "tab\t=2", "del\u{7F}", "good=1"], ["good": "1"]),
        Case([" key =  value "], [" key ": "  value "]),
        Case([[0x61, 0x3D, 0x00, 0xFF, 0x3D]], ["a": [0x00, 0xFF, 0x3D]]),
        Case([[0x61, 0xFF], [0x00], [0x62]], ["b": nil]),
    ])
    func entries(_ example: Case) {
        let record = TXTRecord(strings: example.strings)
        #expect(!record.isTruncated)
        #expect(record.entries.count == example.entries.count)
        for (key, value) in example.entries {
            #expect(record[key] != nil)
            #expect(record[key.uppercased()]?.value == value)
        }
    }

    @Test func keepsTheOrderOfTheWire() {
        let record = TXTRecord(strings: ["z=1", "a=2", "m"].map { Array($0.utf8) })
        #expect(record.entries.map(\.key) == ["z", "a", "m"])
    }

    @Test func textIsStrictUTF8() {
        let record = TXTRecord(strings: [Array("good=Küche".utf8), [0x62, 0x3D, 0xC3], Array("flag".utf8)])
        #expect(record.text("good") == "Küche")
        #expect(record.text("b") == nil)
        #expect(record.text("flag") == nil)
        #expect(record.text("absent") == nil)
    }

    @Test(arguments: [
        ("id=K7QF-2M9D-X0TW-8RHC", "K7QF-2M9D-X0TW-8RHC"), ("ID=K7QF-2M9D-X0TW-8RHC", "K7QF-2M9D-X0TW-8RHC"),
        ("id=k7qf-2m9d-x0tw-8rhc", nil), ("id=", nil), ("id", nil), ("idx=K7QF-2M9D-X0TW-8RHC", nil),
    ])
    func fingerprint(string: String, expected: String?) {
        #expect(
            TXTRecord(strings: [Array(string.utf8)]).fingerprint.map { String(describing: $0) } == expected)
    }

    @Test(arguments: [
        // Strings of how many bytes each, how many are read, whether something was cut off.
        ([255], 1, false), ([256], 0, true), ([10, 256, 10], 1, true),
        ([Int](repeating: 99, count: 89), 89, false), ([Int](repeating: 99, count: 90), 89, true),
        ([Int](repeating: 255, count: 1_000), 34, true),
    ])
    func bounds(lengths: [Int], read: Int, isTruncated: Bool) {
        let strings = lengths.enumerated().map { index, length in
            let key = Array("k\(index)=".utf8)
            return key + [UInt8](repeating: 0x78, count: length - key.count)
        }
        let record = TXTRecord(strings: strings)
        #expect(record.entries.count == read)
        #expect(record.isTruncated == isTruncated)
    }
}
