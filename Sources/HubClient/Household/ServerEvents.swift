/// Reads a stream of server-sent events, piece by piece.
///
///     stream = [ BOM ] *( event )                        ; WHATWG HTML § 9.2.5
///     event  = *( comment / field ) end-of-line
///     field  = name [ ":" [ SP ] value ] end-of-line
///     end-of-line = CR LF / LF / CR
///
/// `event`, `id` and `data` count; `retry` and other fields are ignored. An event without data is left
/// out, but its id counts. Accepted: `id: 5f-17\ndata: {}\n\n`. Refused: a line, or the data of an event,
/// above ``maximumByteCount``.
package struct ServerEvents: Sendable {
    package struct Event: Equatable, Sendable {
        /// `message` if the stream does not say.
        package let type: String
        package let data: [UInt8]
        /// The last id that the stream has given, with this event or before it.
        package let id: String?
    }

    /// An event exceeds ``maximumByteCount``. Never reaches a user: ``FollowEvents`` says what is too long.
    package struct TooLong: Error, Equatable {}

    /// All states of a house with 1,000 appliances take 1 MB.
    package static let maximumByteCount = 16 << 20

    private var line: [UInt8] = []
    private var endsWithReturn = false
    private var isFirstLine = true
    private var type = ""
    private var data: [UInt8]?
    private var id: String?

    package init() {}

    /// The events that are whole with this piece.
    package mutating func take(_ piece: [UInt8]) throws(TooLong) -> [Event] {
        var events: [Event] = []
        for byte in piece {
            if byte == UInt8(ascii: "\n"), endsWithReturn {
                endsWithReturn = false
                continue
            }
            endsWithReturn = byte == UInt8(ascii: "\r")
            if endsWithReturn || byte == UInt8(ascii: "\n") {
                if let event = try endLine() { events.append(event) }
            } else {
                guard line.count < ServerEvents.maximumByteCount else { throw TooLong() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() throws(TooLong) -> Event? {
        defer { line.removeAll(keepingCapacity: line.count < 65_536) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else {
            defer { (type, data) = ("", nil) }
            return data.map { Event(type: type.isEmpty ? "message" : type, data: $0, id: id) }
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        if name.elementsEqual("data".utf8) {
            guard (data?.count ?? 0) + value.count < ServerEvents.maximumByteCount else { throw TooLong() }
            data = data.map { $0 + [UInt8(ascii: "\n")] + value } ?? Array(value)
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8), !value.contains(0) {
            id = String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
