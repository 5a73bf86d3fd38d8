import Testing

@testable import QRCodes

/// What a child tells the process that started it to search a picture.
@Suite struct ScanReplyTests {
    @Test func `a reply survives the way, and a broken one is refused`() throws {
        var result = QRScanResult()
        result.codes = [
            ScannedQRCode(
                payload: Array(0...255), corners: [PixelPoint(x: -3, y: 7), PixelPoint(x: 65_535, y: 0)]),
            ScannedQRCode(payload: [0], corners: []),
        ]
        result.incompleteStructuredAppends = 2
        result.emptyCodes = 3
        result.otherSymbologies = ["EAN-13", "CODE-39"]
        let reply = ScanReply.encode(.success(result))
        #expect(ScanReply.decode(reply) == .success(result))
        #expect(ScanReply.decode(ScanReply.encode(.failure(.refused))) == .failure(.refused))

        for count in 0..<reply.count { #expect(ScanReply.decode(Array(reply.prefix(count))) == nil) }
        #expect(ScanReply.decode(reply + [0]) == nil)
        for position in 1..<reply.count {
            var bytes = reply
            bytes[position] ^= 0x80
            _ = ScanReply.decode(bytes)
        }
        #expect(ScanReply.decode([0] + [UInt8](repeating: 0xFF, count: 64)) == nil)
        #expect(ScanReply.decode([0] + [UInt8](repeating: 0x7F, count: 64)) == nil)
        #expect(ScanReply.decode([3]) == nil)
    }
}
