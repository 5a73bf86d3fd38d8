// RequestFraming and GatewayPath are HubService's, linked into this directory: with NIO and BoringSSL the build with
// sanitizers would take many times as long.

/// Reads any bytes as requests on one connection, whole and byte by byte: both must come to the same, and of what is
/// taken as a request's head no line may have a second reading. The targets must not lead to the hub's own names.
func fuzzRequests(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let whole = readRequests(bytes, step: .max)
    precondition(readRequests(bytes, step: 1) == whole, "the cuts between reads do not matter")
    precondition(readRequests(bytes, step: 7) == whole, "the cuts between reads do not matter")
    var start = 0
    for end in whole.ends {
        checkHead(bytes[start..<end])
        start = end
    }
    checkPath(bytes)
    return 0
}

private struct Reading: Equatable {
    /// Where each request ends.
    var ends: [Int] = []
    var error: RequestFramingError?
}

private func readRequests(_ bytes: [UInt8], step: Int) -> Reading {
    var reading = Reading()
    var framing = RequestFraming()
    var (taken, arrived) = (0, 0)
    while arrived < bytes.count {
        arrived = step >= bytes.count - arrived ? bytes.count : arrived + step
        var isStuck = false
        while taken < arrived, !isStuck {
            do {
                let count = try bytes[taken..<arrived].withUnsafeBytes { try framing.consume($0) }
                precondition(count <= arrived - taken, "no more is taken than there is")
                taken += count
                isStuck = count == 0
            } catch {
                reading.error = error as? RequestFramingError
                return reading
            }
            if framing.isComplete {
                reading.ends.append(taken)
                framing.startNext()
                isStuck = false
            }
        }
    }
    return reading
}

private func checkHead(_ request: ArraySlice<UInt8>) {
    let text = Array(request)
    guard let end = text.firstRange(of: Array("\r\n\r\n".utf8)) else {
        preconditionFailure("a head has an end")
    }
    let lines = String(decoding: text[..<end.lowerBound], as: UTF8.self).lowercased()
        .split(separator: "\r\n", omittingEmptySubsequences: true)
    precondition(!lines.contains { $0.utf8.contains(10) || $0.utf8.contains(13) || $0.utf8.contains(0) })
    let isField = { (name: String) in lines.dropFirst().filter { $0.utf8.starts(with: (name + ":").utf8) } }
    let (lengths, codings) = (isField("content-length"), isField("transfer-encoding"))
    precondition(lengths.count + codings.count <= 1, "one way to say where the body ends")
    precondition(isField("host").count <= 1)
    let target = lines.first?.split(separator: " ").dropFirst().first
    precondition(target?.utf8.first == UInt8(ascii: "/"), "a target is a path")
}

private func checkPath(_ bytes: [UInt8]) {
    let target = "/" + String(decoding: bytes, as: UTF8.self)
    guard GatewayPath(target: target) == .upstream else { return }
    // A simple server: it cuts the query off, decodes, ignores case and doubled slashes.
    var path = Array(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    for _ in 0..<2 {
        var decoded: [UInt8] = []
        var rest = path[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let high = hexValue(rest[rest.startIndex]), let low = hexValue(rest[rest.startIndex + 1])
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        path = decoded
        let segments = path.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        let first = String(decoding: segments.first ?? [], as: UTF8.self).lowercased()
        precondition(!first.utf8.starts(with: "hubpair".utf8), "the hub's names are withheld")
    }
}
