// Whether a text is a typed code, with or without slips. A program that is given names and sentences must not
// take one of those for a code, and must not let a code through that is only mistyped.

extension TypedCode {
    /// No longer text is looked at: a code has 24 characters with its hyphens.
    private static let maximumByteCount = 64

    /// True if `text` is a typed code, or most likely one with slips.
    ///
    /// - A code whose checksum holds is one, whatever it looks like: of other texts of its length and
    ///   alphabet one in a million has such a head and checksum.
    /// - With a digit in it, and in groups as a code: a text that one slip makes from a code (a wrong, a
    ///   missing or one character more, two neighbours exchanged, two look-alikes). Of all names with 20
    ///   letters that begin with G or H one in a hundred would be one as well; but few of them have a digit,
    ///   and one code in 1,700 has none.
    /// - With more slips the checksum says nothing: five groups of about four characters or one long word,
    ///   with letters and digits mixed as in no name; or five groups as the hub writes them.
    package static func isSuspected(in text: String) -> Bool {
        guard text.utf8.count <= maximumByteCount, let typed = TypedSymbols(text) else { return false }
        if isWrittenAsCode(text) { return true }
        guard (18...22).contains(typed.values.count) else { return false }
        if typed.isCode { return true }
        return typed.digitCount > 0 && typed.isInGroups && typed.isOneSlipFromCode || typed.hasShapeOfCode
    }

    /// `ABCD-EFGH-JKMN-PQRS-TVWX`: in capitals and with hyphens, nothing else of a home is written so.
    private static func isWrittenAsCode(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.count == 5
            && groups.allSatisfy { group in
                group.count == 4
                    && group.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            }
    }

    /// True if 20 values from 0 to 31 are a code.
    fileprivate static func isCode(_ values: [UInt8]) -> Bool {
        // The head's four bits are in the first character: nearly every text ends here.
        guard values.count == characterCount, values[0] >> 1 == head else { return false }
        var bytes = [head]
        bytes.reserveCapacity(13)
        // Of the head's five bits the last is the secret's first.
        var bits = UInt32(values[0] & 1)
        var bitCount = 1
        for value in values.dropFirst() {
            guard value < 32 else { return false }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return Array(bytes.suffix(2)) == checksum(of: bytes.dropLast(2))
    }
}

/// What was typed, as values from 0 to 31.
private struct TypedSymbols {
    /// The value of a character that no code has.
    private static let foreign: UInt8 = 32

    let values: [UInt8]
    /// The characters between hyphens and white space: how many, and which of them are digits.
    private let groups: [[Bool]]
    let digitCount: Int

    /// Nil if more than one character is no letter or digit of ASCII.
    init?(_ text: String) {
        var values: [UInt8] = []
        var groups: [[Bool]] = [[]]
        for character in text.unicodeScalars {
            switch character {
            case "-", " ", "\t", "\n", "\r", "\u{B}", "\u{C}":
                if groups.last?.isEmpty == false { groups.append([]) }
                continue
            default: break
            }
            // U is in no code: it is V, misread.
            let letter: Unicode.Scalar = character == "U" || character == "u" ? "V" : character
            let value = CrockfordBase32.symbols(typed: String(letter))?.first.flatMap(CrockfordBase32.value)
            values.append(value ?? TypedSymbols.foreign)
            groups[groups.count - 1].append(("0"..."9").contains(character))
        }
        guard values.count(where: { $0 == TypedSymbols.foreign }) <= 1 else { return nil }
        self.values = values
        self.groups = groups.filter { !$0.isEmpty }
        digitCount = self.groups.joined().count(where: \.self)
    }

    var isCode: Bool { TypedCode.isCode(values) }

    /// True if it is written as a code is: as one word, in groups of four or a multiple of that, one of them
    /// with the slip; or spelled. Most names of several words are not.
    var isInGroups: Bool {
        groups.count { $0.count % 4 != 0 } <= 1 || groups.allSatisfy { $0.count == 1 }
    }

    /// True if one slip makes this text from a code.
    var isOneSlipFromCode: Bool {
        switch values.count {
        case TypedCode.characterCount - 1:
            return (0...values.count).contains { position in
                (UInt8(0)..<32).contains { value in
                    var changed = values
                    changed.insert(value, at: position)
                    return TypedCode.isCode(changed)
                }
            }
        case TypedCode.characterCount:
            return values.indices.contains { position in
                var changed = values
                if position > 0 {
                    changed.swapAt(position - 1, position)
                    if TypedCode.isCode(changed) { return true }
                    changed = values
                }
                return (UInt8(0)..<32).contains { value in
                    changed[position] = value
                    return TypedCode.isCode(changed)
                }
            } || hasTwoLookAlikes
        case TypedCode.characterCount + 1:
            return values.indices.contains { position in
                var changed = values
                changed.remove(at: position)
                return TypedCode.isCode(changed)
            }
        default: return false
        }
    }

    /// True if it is a code with two characters read as what looks like them.
    private var hasTwoLookAlikes: Bool {
        values.indices.contains { first in
            (TypedSymbols.lookAlikes[values[first]] ?? []).contains { one in
                var changed = values
                changed[first] = one
                return values.indices.dropFirst(first + 1).contains { second in
                    (TypedSymbols.lookAlikes[values[second]] ?? []).contains { other in
                        var both = changed
                        both[second] = other
                        return TypedCode.isCode(both)
                    }
                }
            }
        }
    }

    /// Pairs that are taken for each other on paper and screens.
    private static let lookAlikes: [UInt8: [UInt8]] = {
        var table: [UInt8: [UInt8]] = [:]
        for pair in ["8B", "5S", "2Z", "6G", "0D", "0Q", "17", "MN", "VY", "VW"] {
            let values = pair.utf8.compactMap(CrockfordBase32.value)
            table[values[0], default: []].append(values[1])
            table[values[1], default: []].append(values[0])
        }
        return table
    }()

    /// True if letters and digits are mixed as in a code, and hardly in a name.
    var hasShapeOfCode: Bool {
        let mixed = groups.count { $0.contains(true) && $0.contains(false) }
        if groups.count == 5, groups.allSatisfy({ (3...5).contains($0.count) }) {
            return digitCount >= 3 && mixed >= 2
        }
        guard groups.count == 1, let word = groups.first else { return false }
        // A serial number has its digits at the end.
        let changes = zip(word, word.dropFirst()).count { $0 != $1 }
        return digitCount >= 3 && changes >= 5 && [16, 17].contains(values[0])
    }
}
