/// The message from the child that searched a file to its parent. The parent does not trust it.
///
///     reply   = 0 text(format) number(width) number(height) list(text)(damage) number(cut, 0 or 1)
///                 number(partials) number(empties) number(unread) list(code) list(text)(others)
///                 list(diagnosis) list(text)(drawing)
///             / 1 error / 2 error / 3 error                    file, image and search
///     code    = text list(number number) list(text)            payload, corners, stated bytes
///     error   = number list(number) list(text)                 the case and its values; a diagnosis too
///     text    = number *byte
///     list(x) = number *x
///     number  = 8 bytes, two's complement, big endian
///
/// Rejected: a reply that ends early, bytes after its end, a negative count, a corner beyond 32 bits.
enum ScanReply {
    /// Enough for the codes of any picture, and the drawing at a coarse scale.
    static let maximumByteCount = 16_000_000

    static func encode(_ outcome: Result<ImageScanOutcome, any Error>) -> [UInt8] {
        var writer = ReplyWriter()
        switch outcome {
        case .success(let outcome):
            writer.bytes = [0]
            writer.put(outcome.format.rawValue)
            writer.put(outcome.width)
            writer.put(outcome.height)
            writer.list(outcome.damage.map { [$0] } ?? []) { $0.put($1) }
            writer.put(outcome.isCut ? 1 : 0)
            writer.put(outcome.result.incompleteStructuredAppends)
            writer.put(outcome.result.emptyCodes)
            writer.put(outcome.result.unread)
            writer.list(outcome.result.codes) { writer, code in
                writer.put(code.payload)
                writer.list(code.corners) { writer, corner in
                    writer.put(corner.x)
                    writer.put(corner.y)
                }
                writer.list(code.stated.map { [$0] } ?? []) { $0.put($1) }
            }
            writer.list(outcome.result.otherSymbologies) { $0.put($1) }
            writer.list(outcome.result.diagnosis.map { [$0] } ?? []) { $0.put($1.fields) }
            writer.list(outcome.explanation.map { [$0] } ?? []) { $0.put($1) }
        case .failure(let error as InputFileError):
            writer.bytes = [1]
            writer.put(error.fields)
        case .failure(let error as ImageError):
            writer.bytes = [2]
            writer.put(error.fields)
        case .failure(let error):
            writer.bytes = [3]
            writer.put((error as? QRScanError ?? .refused).fields)
        }
        return writer.bytes
    }

    /// Nil for anything that `encode` cannot write.
    static func decode(_ bytes: [UInt8]) -> Result<ImageScanOutcome, any Error>? {
        guard let kind = bytes.first else { return nil }
        var reader = ReplyReader(bytes.dropFirst())
        let reply: Result<ImageScanOutcome, any Error>?
        switch kind {
        case 0: reply = outcome(&reader).map { .success($0) }
        case 1: reply = reader.fields().flatMap(InputFileError.init(fields:)).map { .failure($0) }
        case 2: reply = reader.fields().flatMap(ImageError.init(fields:)).map { .failure($0) }
        case 3: reply = reader.fields().flatMap(QRScanError.init(fields:)).map { .failure($0) }
        default: reply = nil
        }
        return reader.isAtEnd ? reply : nil
    }

    private static func outcome(_ reader: inout ReplyReader) -> ImageScanOutcome? {
        func corner(_ reader: inout ReplyReader) -> PixelPoint? {
            guard let x = reader.number(), let y = reader.number() else { return nil }
            return Int32(exactly: x) == nil || Int32(exactly: y) == nil ? nil : PixelPoint(x: x, y: y)
        }
        func code(_ reader: inout ReplyReader) -> ScannedQRCode? {
            guard let payload = reader.bytes(), !payload.isEmpty, let corners = reader.list(corner),
                let stated = reader.list({ $0.bytes() }), stated.count <= 1
            else { return nil }
            return ScannedQRCode(payload: payload, stated: stated.first, corners: corners)
        }
        guard let format = reader.text().flatMap(ImageFormat.init(rawValue:)), let width = reader.number(),
            let height = reader.number(), let damage = reader.list({ $0.text() }), damage.count <= 1,
            let cut = reader.number(), (0...1).contains(cut), let partials = reader.number(), partials >= 0,
            let empties = reader.number(), empties >= 0,
            let unread = reader.number(), unread >= 0, let codes = reader.list(code),
            let others = reader.list({ $0.text() }),
            let diagnoses = reader.list({ $0.fields().flatMap(ScanDiagnosis.init(fields:)) }),
            diagnoses.count <= 1, let drawings = reader.list({ $0.bytes() }), drawings.count <= 1
        else { return nil }
        var result = QRScanResult()
        result.incompleteStructuredAppends = partials
        result.emptyCodes = empties
        result.unread = unread
        result.codes = codes
        result.otherSymbologies = others
        result.diagnosis = diagnoses.first
        return ImageScanOutcome(
            format: format, width: width, height: height, damage: damage.first, isCut: cut == 1,
            result: result,
            explanation: drawings.first)
    }
}
