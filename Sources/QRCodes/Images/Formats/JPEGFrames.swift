/// Cuts a stream of JPEG files, one after the other, into frames: Motion JPEG as `ffmpeg -f mjpeg` and
/// `rpicam-vid --codec mjpeg` write it.
///
/// A frame is followed marker by marker (ITU-T T.81 § B.1.1), not searched for its end: the thumbnail inside an
/// Exif segment has an end of its own. What stands between frames is left out, and so is a frame that breaks
/// off for the next one.
package struct JPEGFrames {
    /// More than a frame of any camera has.
    static let maximumByteCount = 64 << 20

    private enum State {
        /// Looking for a start of image.
        case between
        /// At a marker.
        case marker
        /// In entropy-coded data, where 0xFF 0x00 and restart markers are no end.
        case data
    }

    private var buffer: [UInt8] = []
    private var position = 0
    private var state = State.between

    package init() {}

    /// Takes the next bytes of the stream.
    package mutating func append(_ bytes: [UInt8]) { buffer += bytes }

    /// The bytes that belong to no whole frame yet.
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
                // Anything but a stuffed byte, a restart or a fill byte is a marker.
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
                    // No marker where one must stand: the rest of this frame is worth nothing.
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

    /// Forgets what can no longer be a part of a frame.
    private mutating func dropped() -> [UInt8]? {
        if buffer.count > JPEGFrames.maximumByteCount { state = .between }
        if state == .between {
            buffer.removeFirst(min(position, buffer.count))
            position = 0
        }
        return nil
    }
}
