package import Identity

/// Speech as a recogniser takes it: one channel, 16 bits, 16,000 samples a second.
///
///     "RIFF" size "WAVE" *( id size bytes [ pad ] )     ; sizes are 32 bits, little endian
///     "fmt " = format (1: PCM), channels, rate (4), bytes a second (4), block, bits (16)
///     "data" = the samples
///
/// Other rates and two channels are converted, simply: for speech it is enough.
///
/// Accepted: PCM of 16 bits, 1 or 2 channels, 8,000 to 48,000 samples a second. Rejected: other formats, a
/// file without `data`, one larger than 64 MiB.
package enum SoundFile {
    package static let rate = 16_000
    package static let maximumByteCount = 64 << 20

    package static func samples(parsing bytes: [UInt8]) throws(SoundFileError) -> [Int16] {
        guard bytes.count <= maximumByteCount else { throw .tooLarge }
        guard bytes.count >= 12, bytes[0..<4].elementsEqual("RIFF".utf8),
            bytes[8..<12].elementsEqual("WAVE".utf8)
        else { throw .notWave }
        func number(_ at: Int, _ count: Int) -> Int {
            bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        var format: (channels: Int, rate: Int)?
        var at = 12
        while at + 8 <= bytes.count {
            let id = bytes[at..<at + 4]
            // A program that writes to a pipe does not know the size, and writes a huge one.
            let size = min(number(at + 4, 4), bytes.count - at - 8)
            let body = at + 8
            if id.elementsEqual("fmt ".utf8), size >= 16 {
                let (kind, channels, rate) = (number(body, 2), number(body + 2, 2), number(body + 4, 4))
                guard kind == 1, (1...2).contains(channels), (8_000...48_000).contains(rate),
                    number(body + 14, 2) == 16
                else { throw .otherFormat }
                format = (channels, rate)
            } else if id.elementsEqual("data".utf8) {
                guard let format else { throw .notWave }
                let block = 2 * format.channels
                let mono = (0..<size / block).map { index in
                    let sum = (0..<format.channels).reduce(0) { sum, channel in
                        sum + Int(Int16(truncatingIfNeeded: number(body + index * block + channel * 2, 2)))
                    }
                    return Int16(clamping: sum / format.channels)
                }
                return resampled(mono, from: format.rate)
            }
            at = body + size + size % 2
        }
        throw .notWave
    }

    private static func resampled(_ samples: [Int16], from rate: Int) -> [Int16] {
        guard rate != SoundFile.rate, samples.count > 1 else { return samples }
        let count = samples.count * SoundFile.rate / rate
        return (0..<count).map { index in
            let place = Double(index) * Double(rate) / Double(SoundFile.rate)
            let before = min(Int(place), samples.count - 2)
            let part = place - Double(before)
            return Int16(
                clamping: Int(Double(samples[before]) * (1 - part) + Double(samples[before + 1]) * part))
        }
    }

    /// The samples as bytes without a header, little endian.
    package static func raw(_ samples: [Int16]) -> [UInt8] {
        samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
}

/// Why a file is no sound that can be listened to.
package enum SoundFileError: Equatable, UserError {
    case notWave, otherFormat, tooLarge

    package var description: String {
        switch self {
        case .notWave: "this is no WAV file, or it breaks off"
        case .otherFormat: "the WAV file is not of 16-bit samples with one or two channels"
        case .tooLarge: "the WAV file has more than \(SoundFile.maximumByteCount >> 20) MiB"
        }
    }

    package var kind: UserErrorKind { .data }

    package var hint: String? {
        switch self {
        case .notWave, .otherFormat: "convert it: ffmpeg -i FILE -ar 16000 -ac 1 speech.wav"
        case .tooLarge: "cut it into parts"
        }
    }
}
