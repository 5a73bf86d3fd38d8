/// What a child that searched a picture tells its parent. The parent reads it as it reads any stranger's bytes.
///
///     reply   = 0 partials empties list(code) list(text)      a search that came to its end
///             / error                                         1 byte: which error
///     code    = text list(number number)                      payload, corners
///     text    = number *byte
///     list(x) = number *x
///     number  = 8 bytes, two's complement, big endian
///
/// Rejected: a reply that ends early, bytes after its end, a negative count.
enum ScanReply {
    /// More than the codes of any picture hold.
    static let maximumByteCount = 16_000_000

    private static let errors: [QRScanError] = [.outOfMemory, .refused]

    static func encode(_ outcome: Result<QRScanResult, QRScanError>) -> [UInt8] {
        let result: QRScanResult
        switch outcome {
        case .success(let found): result = found
        case .failure(let error): return [UInt8(truncatingIfNeeded: 1 + (errors.firstIndex(of: error) ?? 1))]
        }
        var bytes: [UInt8] = [0]
        func put(_ number: Int) { withUnsafeBytes(of: Int64(number).bigEndian) { bytes += $0 } }
        func put(_ text: [UInt8]) {
            put(text.count)
            bytes += text
        }
        put(result.incompleteStructuredAppends)
        put(result.emptyCodes)
        put(result.codes.count)
        for code in result.codes {
            put(code.payload)
            put(code.corners.count)
            for corner in code.corners {
                put(corner.x)
                put(corner.y)
            }
        }
        put(result.otherSymbologies.count)
        for name in result.otherSymbologies { put(Array(name.utf8)) }
        return bytes
    }

    /// Nil for anything that `encode` does not write.
    static func decode(_ bytes: [UInt8]) -> Result<QRScanResult, QRScanError>? {
        guard let status = bytes.first else { return nil }
        guard status == 0 else {
            let index = Int(status) - 1
            return bytes.count == 1 && index < errors.count ? .failure(errors[index]) : nil
        }
        var rest = bytes.dropFirst()
        func number() -> Int? {
            guard rest.count >= 8 else { return nil }
            defer { rest = rest.dropFirst(8) }
            return Int(truncatingIfNeeded: rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        // Each element takes at least 8 bytes, so that no count is believed that the bytes cannot bear out.
        func list<Element>(_ element: () -> Element?) -> [Element]? {
            guard let count = number(), count >= 0, count <= rest.count / 8 else { return nil }
            var elements: [Element] = []
            for _ in 0..<count {
                guard let next = element() else { return nil }
                elements.append(next)
            }
            return elements
        }
        func text() -> [UInt8]? {
            guard let count = number(), count >= 0, count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func point() -> PixelPoint? {
            guard let x = number(), let y = number() else { return nil }
            return Int32(exactly: x) == nil || Int32(exactly: y) == nil ? nil : PixelPoint(x: x, y: y)
        }
        func code() -> ScannedQRCode? {
            guard let payload = text(), !payload.isEmpty, let corners = list(point) else { return nil }
            return ScannedQRCode(payload: payload, corners: corners)
        }
        var result = QRScanResult()
        guard let partials = number(), partials >= 0, let empties = number(), empties >= 0,
            let codes = list(code), let names = list(text), rest.isEmpty
        else { return nil }
        result.incompleteStructuredAppends = partials
        result.emptyCodes = empties
        result.codes = codes
        result.otherSymbologies = names.map { String(decoding: $0, as: UTF8.self) }
        return .success(result)
    }
}
