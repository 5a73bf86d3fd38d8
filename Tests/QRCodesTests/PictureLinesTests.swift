import FoundationEssentials
import Identity
import Testing

@testable import QRCodes

/// The lines between a program and `hubpair-picture`.
@Suite struct PictureLinesTests {
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
            format: .heic, width: 3, height: 4, damage: "cut off", isCut: true, result: result)
    }

    private func isKept(_ answer: PictureAnswer) throws -> Bool {
        let line = try answer.line()
        #expect(line.last == 0x0A && !line.dropLast().contains(0x0A))
        return try PictureAnswer(line: line.dropLast()) == answer
    }

    @Test(
        arguments: [
            nil, .noFinderPattern, .fewFinderPatterns(2), .tooSmall(hundredthsOfPixelsPerModule: 143),
            .blurred, .tooDark(brightest: 9), .lowContrast(steps: 12), .cutOff, .damaged, .microQR, .model1,
            .otherSymbology(name: "CODE-128", payload: [0, 65, 255]),
        ] as [ScanDiagnosis?])
    func `an outcome survives the way`(diagnosis: ScanDiagnosis?) throws {
        #expect(try isKept(.kept(outcome(diagnosis))))
        #expect(try isKept(.found(outcome(diagnosis), explanation: Data([1, 2, 3]))))
    }

    @Test(
        arguments: [
            .image(.empty), .image(.zeroDimensions(width: 0, height: 9)),
            .image(.tooManyPixels(width: 5, height: 6, limit: 7)), .image(.otherFormat(.tiff)),
            .image(.missing(.pdf)), .image(.broken(.gif, "no end\n")), .search(.tookTooLong),
            .encoding(.tooLong(9)), .drawing(.unreadable("PDF")), .program(.notLocked(38)),
            .page(.labelTooSmall(LabelSize(width: 20, height: 30.5), enough: nil)),
        ] as [PictureFailure])
    func `an error survives the way`(failure: PictureFailure) throws {
        #expect(try isKept(.failed(failure)))
    }

    @Test func `a request survives the way`() throws {
        let search = ImageScan(
            limits: .init(maximumPixels: 7), effort: .quick, explains: true, sought: [[65]])
        let drawing = CodeDrawing(
            [[0, 255]],
            as: .pdf([[LabelText("Küche\n", .title)]], .sheet(SheetGrid("3x8")!, .letter, nil), title: "x"))
        for request in [PictureRequest.search(search, .png), .draw(drawing)] {
            let line = try request.line()
            #expect(!line.dropLast().contains(0x0A))
            #expect(try PictureRequest(line: line.dropLast()) == request)
        }
    }

    @Test func `a broken answer is refused`() throws {
        let line = try PictureAnswer.kept(outcome(.blurred)).line().dropLast()
        for count in 0..<line.count {
            #expect(throws: PictureProgramError.nonsense) { try PictureAnswer(line: line.prefix(count)) }
        }
        for position in line.indices {
            var bytes = line
            bytes[position] ^= 0x80
            _ = try? PictureAnswer(line: bytes)
        }
    }

    @Test func `an answer that no program writes is refused`() throws {
        var negative = outcome(nil)
        negative.result.unread = -1
        var empty = outcome(nil)
        empty.result.codes = [ScannedQRCode(payload: [], corners: [])]
        var far = outcome(nil)
        far.result.codes = [ScannedQRCode(payload: [1], corners: [PixelPoint(x: 1 << 40, y: 0)])]
        let answers: [PictureAnswer] = [
            .kept(negative), .found(empty, explanation: nil), .kept(far),
            .lines(["██", "\u{1B}]0;title\u{7}"], columns: 2), .lines([], columns: 2),
            .lines(["█"], columns: -1), .file(Data(), unknownCharacters: -1),
        ]
        for answer in answers {
            let line = try answer.line().dropLast()
            #expect(throws: PictureProgramError.nonsense) { try PictureAnswer(line: line) }
        }
    }

    @Test(arguments: [TerminalStyle.colours, .sixteen, .reversed, .blocks, .ascii])
    func `a drawing is made apart as it is here, on any thread`(style: TerminalStyle) async throws {
        for style in [style, style.inverted] {
            let drawing = CodeDrawing([Array("HUBPAIR".utf8)], as: .terminal(style, columns: 80))
            let here = try drawing.run()
            #expect(try await Task.detached { try drawing.runApart() }.value == here)
        }
    }

    @Test func `a picture is read apart as it is here, on several threads at once`() async throws {
        let png = try QRSymbol.encode([1, 2, 3]).png()
        let here = try ScannedQRCode.all(inImage: png)
        #expect(here.map(\.payload) == [[1, 2, 3]])
        try await withThrowingTaskGroup(of: [ScannedQRCode].self) { group in
            for _ in 0..<4 {
                group.addTask { try ScannedQRCode.all(inImage: png, isApart: true) }
            }
            for try await codes in group { #expect(codes == here) }
        }
        #expect(throws: ImageError.notAnImage) { try ScannedQRCode.all(inImage: [1], isApart: true) }
    }
}
