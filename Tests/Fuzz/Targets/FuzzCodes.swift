import Pairing

/// Parses any bytes as the text of a QR code and as a typed code. What is accepted must be serialised to the
/// same code; everything else must be refused without a trap.
func fuzzCodes(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    if let code = try? PairingCode(text: text) {
        precondition(
            code.text == text || code.address == text, "a pairing code has one text and one address")
        _ = (code.secret.ticketID, code.secret.proofKey, code.hub.fingerprint.description)
    }
    if let code = try? TypedCode(typed: text) {
        precondition((try? TypedCode(typed: code.text)) == code, "a typed code is written as it is read")
    }
    if let pin = try? Pin(text: text) { precondition(pin.text == text, "a pin has exactly one text") }
    if let fingerprint = Fingerprint(forgiving: text) {
        precondition(
            Fingerprint(fingerprint.description) == fingerprint, "a fingerprint is written as it is read")
    }
    if let name = try? PeerName(text) {
        precondition(name.description.utf8.count <= PeerName.maximumByteCount)
    }
    return 0
}
