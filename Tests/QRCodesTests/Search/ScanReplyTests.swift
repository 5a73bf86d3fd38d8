import Testing

@testable import QRCodes

/// The message of a child that searched a picture to its parent.
@Suite struct ScanReplyTests {
    private func outcome(_ diagnosis: ScanDiagnosis?) -> ImageScanOutcome {
        var result = QRScanResult()
        result.codes = [
            ScannedQRCode(
                payload: Array(0...255), corners: [PixelPoint(x: -3, y: 7), PixelPoint(x: 65_535, y: 0)]),
            ScannedQRCode(payload: [0], corners: []),
            ScannedQRCode(payload: Array("é".utf8), stated: [0xE9], corners: []),
        ]
        result.incompleteStructuredAppends = 2
        result.emptyCodes = 3
        result.unread = 4
        result.otherSymbologies = ["EAN-13", "CODE-39"]
        result.diagnosis = diagnosis
        return ImageScanOutcome(
            format: .heic, width: 3, height: 4, damage: "cut off", isCut: true, result: result,
            explanation: [1, 2, 3])
    }

    @Test(
        arguments: [
            nil, .noFinderPattern, .fewFinderPatterns(2), .tooSmall(hundredthsOfPixelsPerModule: 143),
            .blurred,
            .tooDark(brightest: 9), .lowContrast(steps: 12), .cutOff, .damaged, .microQR, .model1,
            .otherSymbology(name: "CODE-128", payload: [0, 65, 255]),
        ] as [ScanDiagnosis?])
    func `a reply survives the way`(diagnosis: ScanDiagnosis?) throws {
        let reply = ScanReply.encode(.success(outcome(diagnosis)))
        #expect(try ScanReply.decode(reply)?.get() == outcome(diagnosis))
    }

    @Test func `a broken reply is refused`() throws {
        let reply = ScanReply.encode(.success(outcome(.blurred)))
        for count in 0..<reply.count { #expect(ScanReply.decode(Array(reply.prefix(count))) == nil) }
        #expect(ScanReply.decode(reply + [0]) == nil)
        for position in 0..<reply.count {
            var bytes = reply
            bytes[position] ^= 0x80
            _ = ScanReply.decode(bytes)
        }
        for kind: UInt8 in 0...4 {
            #expect(ScanReply.decode([kind] + [UInt8](repeating: 0xFF, count: 64)) == nil)
            #expect(ScanReply.decode([kind] + [UInt8](repeating: 0x7F, count: 64)) == nil)
            #expect(ScanReply.decode([kind]) == nil)
        }
    }

    @Test(arguments: [
        InputFileError.missing, .notPermitted, .directory, .noImages, .nameNotUTF8, .tooLarge, .system(5),
        .silentPipe,
    ])
    func `an error with the file survives the way`(error: InputFileError) {
        #expect(throws: error) { try ScanReply.decode(ScanReply.encode(.failure(error)))?.get() }
    }

    @Test(arguments: [
        ImageError.empty, .notAnImage, .outOfMemory, .zeroDimensions(width: 0, height: 9),
        .tooManyPixels(width: 5, height: 6, limit: 7), .otherFormat(.tiff), .missing(.pdf),
        .broken(.gif, "no end"), .unsupported(.bmp, ""),
    ])
    func `an error with the image survives the way`(error: ImageError) {
        #expect(throws: error) { try ScanReply.decode(ScanReply.encode(.failure(error)))?.get() }
    }

    @Test(arguments: [QRScanError.outOfMemory, .refused, .crashed, .tookTooLong])
    func `an error with the search survives the way`(error: QRScanError) {
        #expect(throws: error) { try ScanReply.decode(ScanReply.encode(.failure(error)))?.get() }
    }
}
