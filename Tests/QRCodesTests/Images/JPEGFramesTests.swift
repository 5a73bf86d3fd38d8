import QRCodes
import Testing

/// A stream of JPEG files, split at the end of each one.
@Suite struct JPEGFramesTests {
    private func frames(_ bytes: [UInt8], chunk: Int = .max) -> [[UInt8]] {
        var frames = JPEGFrames()
        var found: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            frames.append(Array(rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
            while let frame = frames.next() { found.append(frame) }
        }
        return found
    }

    @Test(arguments: [1, 2, 3, 7, 1000, Int.max])
    func `whole frames come out as they went in`(chunk: Int) throws {
        let files = try pillow(
            """
            noise = Image.effect_noise((64, 48), 80).convert('RGB')
            noise.resize((16, 16)).save('thumbnail.jpg')
            exif = b'Exif\\0\\0' + open('thumbnail.jpg', 'rb').read()
            noise.save('0.jpg', exif=exif)
            noise.save('1.jpg', progressive=True)
            # Pillow writes restart markers from 10.2 on.
            import subprocess
            noise.save('2.ppm')
            options = ['-quality', '100', '-restart', '1B', '-outfile', '2.jpg']
            subprocess.check_call(['cjpeg', *options, '2.ppm'])
            """)
        let parts = try (0...2).map { try files.read("\($0).jpg") }
        #expect(
            parts[2].indices.dropLast().contains {
                parts[2][$0] == 0xFF && (0xD0...0xD7).contains(parts[2][$0 + 1])
            })
        #expect(frames(parts.flatMap { $0 }, chunk: chunk) == parts)
        let junk: [UInt8] = [0, 0xFF, 0xFF, 0xD9, 0x42, 0xFF]
        #expect(frames(junk + parts.flatMap { $0 + junk }, chunk: chunk) == parts)
        // A frame that breaks off is left out, and the next one is whole.
        #expect(frames(Array(parts[0].dropLast(9)) + parts[2], chunk: chunk) == [parts[2]])
        #expect(frames(Array(parts[1].dropLast()), chunk: chunk).isEmpty)
    }

    @Test func `nothing traps and nothing piles up`() {
        for length: UInt8 in [0, 1, 2, 255] {
            #expect(frames([0xFF, 0xD8, 0xFF, 0xE0, 0, length, 0xFF, 0xD9]).count <= 1)
        }
        var stream = JPEGFrames()
        for _ in 0..<100 {
            stream.append([UInt8](repeating: 0xFF, count: 10_000))
            #expect(stream.next() == nil)
            #expect(stream.rest.count <= 1)
        }
    }
}
