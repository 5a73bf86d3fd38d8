/// Splits a stream of JPEG files into frames: Motion JPEG as `ffmpeg -f mjpeg` and `rpicam-vid --codec mjpeg`
/// write it.
///
/// A frame is read marker by marker (ITU-T T.81 § B.1.1). A search for the end marker would find the end of
/// the thumbnail in an Exif segment. Bytes between frames are skipped, and so is a truncated frame.
package struct JPEGFrames {
    /// The maximum size of a frame in bytes, more than any camera's.
    static let maximumByteCount = 64 << 20

    private enum State {
        /// Looking for a start of image.
        case between
        /// At a marker.
        case marker
        /// In entropy-coded data, where 0xFF 0x00 and restart markers do not end the data.
        case data
    }

    private var buffer: [UInt8] = []
    private var position = 0
    private var state = State.between

    package init() {}

    /// Takes the next bytes of the stream.
    package mutating func append(_ bytes: [UInt8]) { buffer += bytes }

    /// The bytes that do not belong to a complete frame yet.
    package var rest: [UInt8] { buffer }

    /// The next whole frame, or nil if more bytes are needed.
    package mutating func next() -> [UInt8]? {
        while position + 1 < buffer.count {
            let marker = buffer[position + 1]
            switch state {
            case .between:
                if buffer[position] == 0xFF, marker == 0xD8 {
                    begin()
                } else {
                    position += 1
                }
            case .data:
                // 0xFF followed by anything but a stuffed 0, a restart or a fill byte is a marker.
                if buffer[position] != 0xFF {
                    position += 1
                } else if marker == 0 || (0xD0...0xD7).contains(marker) {
                    position += 2
                } else if marker == 0xFF {
                    position += 1
                } else {
                    state = .marker
                }
            case .marker:
                switch (buffer[position], marker) {
                case (0xFF, 0xD9):
                    let frame = Array(buffer.prefix(position + 2))
                    buffer.removeFirst(position + 2)
                    position = 0
                    state = .between
                    return frame
                case (0xFF, 0xD8): begin()
                case (0xFF, 0xFF): position += 1
                case (0xFF, 0x01), (0xFF, 0xD0...0xD7): position += 2
                case (0xFF, 0x02...0xFE):
                    guard position + 3 < buffer.count else { return dropped() }
                    let length = Int(buffer[position + 2]) << 8 | Int(buffer[position + 3])
                    position += 2 + max(2, length)
                    if marker == 0xDA { state = .data }
                default:
                    // A required marker is missing: the rest of this frame is skipped.
                    state = .between
                }
            }
        }
        return dropped()
    }

    /// A frame begins here.
    private mutating func begin() {
        buffer.removeFirst(position)
        position = 2
        state = .marker
    }

    /// Removes bytes that cannot belong to a frame any more.
    private mutating func dropped() -> [UInt8]? {
        if buffer.count > JPEGFrames.maximumByteCount { state = .between }
        if state == .between {
            buffer.removeFirst(min(position, buffer.count))
            position = 0
        }
        return nil
    }
}
