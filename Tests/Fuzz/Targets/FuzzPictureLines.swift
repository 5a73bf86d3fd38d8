import QRCodes

/// Takes any bytes for a line between a program and `hubpair-picture`, in both directions. What is taken is
/// written as a line that is taken for the same.
func fuzzPictureLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let request = try? PictureRequest(line: bytes) {
        guard let line = try? request.line().dropLast() else { return 0 }
        precondition(!line.contains(0x0A))
        precondition((try? PictureRequest(line: line)) == request)
    }
    if let answer = try? PictureAnswer(line: bytes) {
        guard let line = try? answer.line().dropLast() else { return 0 }
        precondition(!line.contains(0x0A))
        precondition((try? PictureAnswer(line: line)) == answer)
        if case .lines(let lines, _) = answer { precondition(!lines.joined().contains("\u{7}")) }
    }
    return 0
}
