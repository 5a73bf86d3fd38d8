import FoundationEssentials

/// The bytes between the lines of PEM (RFC 7468); empty if they are not Base64.
func derBytes(ofPEM pem: [UInt8]) -> [UInt8] {
    let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter {
        !$0.hasPrefix("-----")
    }
    return Data(base64Encoded: lines.joined()).map { Array($0) } ?? []
}
