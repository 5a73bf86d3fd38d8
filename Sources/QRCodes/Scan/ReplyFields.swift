/// An enumeration's value as it is sent through a pipe.
struct ReplyFields: Equatable {
    /// The number of the case.
    var which: Int
    var numbers: [Int] = []
    var texts: [[UInt8]] = []

    init(_ which: Int, _ numbers: [Int] = [], text: String? = nil) {
        self.which = which
        self.numbers = numbers
        texts = text.map { [Array($0.utf8)] } ?? []
    }

    var text: String { String(decoding: texts.first ?? [], as: UTF8.self) }

    func number(_ index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }

    fileprivate var format: ImageFormat? {
        ImageFormat.allCases.indices.contains(number(0)) ? ImageFormat.allCases[number(0)] : nil
    }
}

/// Writes a reply.
struct ReplyWriter {
    var bytes: [UInt8] = []

    mutating func put(_ number: Int) { withUnsafeBytes(of: Int64(number).bigEndian) { bytes += $0 } }

    mutating func put(_ text: [UInt8]) {
        put(text.count)
        bytes += text
    }

    mutating func put(_ text: String) { put(Array(text.utf8)) }

    mutating func put(_ fields: ReplyFields) {
        put(fields.which)
        list(fields.numbers) { $0.put($1) }
        list(fields.texts) { $0.put($1) }
    }

    mutating func list<Element>(_ elements: [Element], _ put: (inout ReplyWriter, Element) -> Void) {
        self.put(elements.count)
        for element in elements { put(&self, element) }
    }
}

/// Reads a reply. A result is nil if the bytes do not hold it.
struct ReplyReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() -> Int? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return Int(truncatingIfNeeded: rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    mutating func bytes() -> [UInt8]? {
        guard let count = number(), count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func text() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }

    /// Each element takes at least 8 bytes: a count above that is refused before anything is allocated.
    mutating func list<Element>(_ element: (inout ReplyReader) -> Element?) -> [Element]? {
        guard let count = number(), count >= 0, count <= rest.count / 8 else { return nil }
        var elements: [Element] = []
        for _ in 0..<count {
            guard let next = element(&self) else { return nil }
            elements.append(next)
        }
        return elements
    }

    mutating func fields() -> ReplyFields? {
        guard let which = number(), let numbers = list({ $0.number() }), let texts = list({ $0.bytes() })
        else { return nil }
        var fields = ReplyFields(which, numbers)
        fields.texts = texts
        return fields
    }
}

extension InputFileError {
    var fields: ReplyFields {
        switch self {
        case .missing: ReplyFields(0)
        case .notPermitted: ReplyFields(1)
        case .directory: ReplyFields(2)
        case .noImages: ReplyFields(3)
        case .nameNotUTF8: ReplyFields(4)
        case .tooLarge: ReplyFields(5)
        case .system(let code): ReplyFields(6, [Int(code)])
        case .longer(let limit): ReplyFields(7, [limit])
        case .silentPipe: ReplyFields(8)
        }
    }

    init?(fields: ReplyFields) {
        let plain: [InputFileError] = [
            .missing, .notPermitted, .directory, .noImages, .nameNotUTF8, .tooLarge,
        ]
        if fields.which == 6 {
            self = .system(Int32(truncatingIfNeeded: fields.number(0)))
        } else if fields.which == 7 {
            self = .longer(than: fields.number(0))
        } else if fields.which == 8 {
            self = .silentPipe
        } else {
            guard plain.indices.contains(fields.which) else { return nil }
            self = plain[fields.which]
        }
    }
}

extension ImageError {
    var fields: ReplyFields {
        func number(_ format: ImageFormat) -> Int { ImageFormat.allCases.firstIndex(of: format) ?? 0 }
        return switch self {
        case .empty: ReplyFields(0)
        case .notAnImage: ReplyFields(1)
        case .outOfMemory: ReplyFields(2)
        case .zeroDimensions(let width, let height): ReplyFields(3, [width, height])
        case .tooManyPixels(let width, let height, let limit): ReplyFields(4, [width, height, limit])
        case .otherFormat(let format): ReplyFields(5, [number(format)])
        case .missing(let format): ReplyFields(6, [number(format)])
        case .broken(let format, let words): ReplyFields(7, [number(format)], text: words)
        case .unsupported(let format, let words): ReplyFields(8, [number(format)], text: words)
        }
    }

    init?(fields: ReplyFields) {
        switch (fields.which, fields.format) {
        case (0, _): self = .empty
        case (1, _): self = .notAnImage
        case (2, _): self = .outOfMemory
        case (3, _): self = .zeroDimensions(width: fields.number(0), height: fields.number(1))
        case (4, _):
            self = .tooManyPixels(
                width: fields.number(0), height: fields.number(1), limit: fields.number(2))
        case (5, let format?): self = .otherFormat(format)
        case (6, let format?): self = .missing(format)
        case (7, let format?): self = .broken(format, fields.text)
        case (8, let format?): self = .unsupported(format, fields.text)
        default: return nil
        }
    }
}

extension QRScanError {
    private static let all: [QRScanError] = [
        .outOfMemory, .refused, .crashed, .tookTooLong, .missingLibrary,
    ]

    var fields: ReplyFields { ReplyFields(QRScanError.all.firstIndex(of: self) ?? 1) }

    init?(fields: ReplyFields) {
        guard QRScanError.all.indices.contains(fields.which) else { return nil }
        self = QRScanError.all[fields.which]
    }
}

extension ScanDiagnosis {
    var fields: ReplyFields {
        switch self {
        case .noFinderPattern: ReplyFields(0)
        case .fewFinderPatterns(let count): ReplyFields(1, [count])
        case .tooSmall(let hundredths): ReplyFields(2, [hundredths])
        case .blurred: ReplyFields(3)
        case .tooDark(let brightest): ReplyFields(4, [brightest])
        case .lowContrast(let steps): ReplyFields(5, [steps])
        case .cutOff: ReplyFields(6)
        case .damaged: ReplyFields(7)
        case .otherSymbology(let name, let payload):
            ReplyFields(8, payload.map(Int.init), text: name)
        case .microQR: ReplyFields(9)
        case .model1: ReplyFields(10)
        }
    }

    init?(fields: ReplyFields) {
        switch fields.which {
        case 0: self = .noFinderPattern
        case 1: self = .fewFinderPatterns(fields.number(0))
        case 2: self = .tooSmall(hundredthsOfPixelsPerModule: fields.number(0))
        case 3: self = .blurred
        case 4: self = .tooDark(brightest: fields.number(0))
        case 5: self = .lowContrast(steps: fields.number(0))
        case 6: self = .cutOff
        case 7: self = .damaged
        case 8:
            let payload = fields.numbers.map { UInt8(truncatingIfNeeded: $0) }
            self = .otherSymbology(name: fields.text, payload: payload)
        case 9: self = .microQR
        case 10: self = .model1
        default: return nil
        }
    }
}
