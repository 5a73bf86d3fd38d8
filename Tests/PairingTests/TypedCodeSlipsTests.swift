import FoundationEssentials
import Pairing
import TestSupport
import Testing

/// Which texts are taken for a typed code: names and sentences are not, codes with slips are.
@Suite struct TypedCodeSlipsTests {
    private static func lines(_ name: String) throws -> [String] {
        let path = packageRoot + "/Tests/Words/\(name)"
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [("names.txt", 600), ("sentences.txt", 400)])
    func namesAndSentencesAreNone(file: String, least: Int) throws {
        let lines = try TypedCodeSlipsTests.lines(file)
        #expect(lines.count >= least)
        #expect(lines.filter { TypedCode.isSuspected(in: $0) } == [])
    }

    /// Words of a sentence that stand for themselves, as a shell hands them on, in groups of any number.
    @Test func wordsOfSentencesAreNone() throws {
        for line in try TypedCodeSlipsTests.lines("sentences.txt") {
            let words = line.split(separator: " ")
            for start in words.indices {
                for end in start..<min(words.count, start + 6) {
                    let text = words[start...end].joined(separator: " ")
                    #expect(!TypedCode.isSuspected(in: text), "\(text)")
                }
            }
        }
    }

    private enum Slip: String, CaseIterable {
        case none, wrong, swapped, missing, doubled, inserted, lookAlike, twoLookAlikes, wrongAndGrouped
        case twoWrong
    }

    /// Codes with each slip, written in six ways. Two wrong characters leave only the shape.
    @Test func codesWithSlipsAreCodes() throws {
        var random = SplitMix64(seed: 13)
        for slip in Slip.allCases {
            var missed: [String] = []
            let count =
                ProcessInfo.processInfo.environment["HUBPAIR_CODES"].flatMap(Int.init) ?? 300
            for _ in 0..<count {
                let bytes = (0..<10).map { _ in UInt8.random(in: 0...255, using: &random) }
                let secret = try #require(TicketSecret(bytes: bytes))
                let text = written(
                    TypedCodeSlipsTests.mistyped(TypedCode(secret: secret).text, slip, &random), slip, &random
                )
                if !TypedCode.isSuspected(in: text) { missed.append(text) }
            }
            print("typed codes, \(slip.rawValue): \(missed.count) of \(count) not seen")
            let allowed =
                switch slip {
                case .none: 0
                case .twoWrong: count / 8
                // One code in 1,700 has no digit, and passes as a name.
                default: count / 100
                }
            #expect(missed.count <= allowed, "\(slip): \(missed.prefix(5))")
        }
    }

    private static func mistyped(_ text: String, _ slip: Slip, _ random: inout SplitMix64) -> [Character] {
        var symbols = text.filter { $0 != "-" }.map(\.self)
        let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let place = Int.random(in: 0..<20, using: &random)
        let alike: [Character: Character] = [
            "8": "B", "B": "8", "5": "S", "S": "5", "2": "Z", "Z": "2", "6": "G", "G": "6", "0": "D",
            "D": "0",
            "V": "U", "1": "7", "7": "1", "M": "N", "N": "M",
        ]
        let places = symbols.indices.filter { alike[symbols[$0]] != nil }.shuffled(using: &random)
        func other(than symbol: Character) -> Character {
            letters.filter { $0 != symbol }.randomElement(using: &random) ?? "0"
        }
        switch slip {
        case .none: break
        case .wrong, .wrongAndGrouped: symbols[place] = other(than: symbols[place])
        case .twoWrong:
            for place in [place, (place + 7) % 20] { symbols[place] = other(than: symbols[place]) }
        case .swapped: symbols.swapAt(max(0, place - 1), max(1, place))
        case .missing: symbols.remove(at: place)
        case .doubled: symbols.insert(symbols[place], at: place)
        case .inserted: symbols.insert(other(than: " "), at: place)
        case .lookAlike: for place in places.prefix(1) { symbols[place] = alike[symbols[place]] ?? "0" }
        case .twoLookAlikes: for place in places.prefix(2) { symbols[place] = alike[symbols[place]] ?? "0" }
        }
        return symbols
    }

    /// In groups with hyphens or spaces, or as one word, in capitals or small letters.
    private func written(_ symbols: [Character], _ slip: Slip, _ random: inout SplitMix64) -> String {
        let separator = slip == .wrongAndGrouped ? "-" : ["-", " ", ""].randomElement(using: &random) ?? ""
        let groups = stride(from: 0, to: symbols.count, by: 4)
            .map { String(symbols[$0..<min($0 + 4, symbols.count)]) }
        let text = groups.joined(separator: separator)
        return Bool.random(using: &random) ? text : text.lowercased()
    }
}
