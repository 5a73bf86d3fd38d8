import QRCodes

/// Takes any bytes for the data of a QR code of each size class, and guesses what text they are. A message is
/// never longer than its bits allow, and what is guessed is UTF-8.
func fuzzSymbols(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for version in [1, 10, 27] {
        if case .bytes(let message, let stated) = SymbolMessage(bytes, version: version) {
            // Ten bits are three digits, and thirteen one Chinese character of three bytes.
            precondition(!message.isEmpty && message.count <= 3 * bytes.count)
            if let stated {
                precondition(stated != message && stated.count <= 3 * bytes.count)
                precondition(String(validating: message, as: UTF8.self) != nil || !stated.isEmpty)
            }
        }
    }
    if let text = Charset.text(of: bytes) {
        precondition(text.utf8.count <= 3 * bytes.count + 4)
    }
    return 0
}
