import CWebP

/// The pictures of a WebP file: the one that it has, or the frames of an animation as they are shown, each
/// over the frames before it.
///
///     "RIFF" size (4) "WEBP" *chunk          chunk: name (4) size (4, little endian) data, padded to even
///     VP8X: flags (1) reserved (3) width - 1 (3) height - 1 (3)                     RFC 9649 § 2.7
///     ANMF: x / 2 (3) y / 2 (3) width - 1 (3) height - 1 (3) duration (3) flags (1) *chunk       § 2.7.1.1
struct WebPPictures: PictureSequence {
    /// As of a GIF.
    static let maximumFrames = GIFPictures.maximumFrames

    private let bytes: [UInt8]
    private let limits: ImageLimits
    private let budget: WorkBudget
    /// Of a file without animation.
    private var only: WebPCodec?
    let isAnimation: Bool
    private var canvas: Canvas
    private var position = 12
    private var frames = 0
    private var last: DecodedPicture?

    init(_ bytes: [UInt8], limits: ImageLimits, budget: WorkBudget = .unlimited) throws(ImageError) {
        (self.bytes, self.limits, self.budget) = (bytes, limits, budget)
        let features = try WebPLibrary().features(of: bytes[...])
        isAnimation = features.has_animation != 0
        guard isAnimation else {
            only = try WebPCodec(bytes[...], limits: limits, budget: budget)
            canvas = Canvas(width: 0, height: 0)
            position = bytes.count
            return
        }
        try limits.check(width: Int(features.width), height: Int(features.height))
        canvas = Canvas(width: Int(features.width), height: Int(features.height))
    }

    /// The next frame that differs from the one before it. A damaged frame is returned as far as it was read,
    /// and is the last one.
    mutating func next(found: Bool) throws(ImageError) -> (any ImageCodec)? {
        if let only {
            self.only = nil
            return only
        }
        while !found, frames < WebPPictures.maximumFrames, frames == 0 || !budget.isSpent,
            let frame = nextFrame()
        {
            frames += 1
            let codec: WebPCodec
            let part: DecodedPicture
            do throws(ImageError) {
                codec = try WebPCodec(bytes[frame.chunks], limits: limits, budget: budget)
                part = try codec.decoded()
            } catch {
                // What was shown before it is whole.
                guard frames > 1 else { throw error }
                return nil
            }
            if part.luma.damage != nil { frames = WebPPictures.maximumFrames }
            canvas.draw(part, frame)
            guard let picture = canvas.picture(damage: part.luma.damage) else { throw .outOfMemory }
            canvas.dispose(frame, width: part.width, height: part.height)
            if picture == last { continue }
            last = picture
            return picture
        }
        if isAnimation, frames == 0, !found { throw .broken(.webp, "it has no frames") }
        return nil
    }

    private struct Frame {
        /// The chunks inside, which libwebp reads like a file.
        let chunks: Range<Int>
        let left: Int
        let top: Int
        /// Its transparent parts leave what is there.
        let blends: Bool
        /// Its place is transparent after it.
        let isDisposed: Bool
    }

    private mutating func nextFrame() -> Frame? {
        func number(_ start: Int, _ count: Int) -> Int {
            bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        while position + 8 <= bytes.count {
            let (chunk, size) = (position, number(position + 4, 4))
            let data = chunk + 8
            // At most 2³² + 9 more: no overflow.
            position = data + size + size % 2
            guard bytes[chunk..<chunk + 4].elementsEqual("ANMF".utf8) else { continue }
            let end = min(data + size, bytes.count)
            guard data + 16 < end else { return nil }
            let flags = bytes[data + 15]
            return Frame(
                chunks: data + 16..<end, left: 2 * number(data, 3), top: 2 * number(data + 3, 3),
                blends: flags & 2 == 0, isDisposed: flags & 1 != 0)
        }
        return nil
    }

    /// What is shown.
    private struct Canvas {
        let width: Int
        let height: Int
        private var luma: [UInt8]
        private var alpha: [UInt8]

        init(width: Int, height: Int) {
            (self.width, self.height) = (width, height)
            luma = [UInt8](repeating: 255, count: width * height)
            alpha = [UInt8](repeating: 0, count: width * height)
        }

        /// Draws what of the frame is on the canvas. What is less than half opaque is transparent.
        mutating func draw(_ picture: DecodedPicture, _ frame: Frame) {
            let columns = max(0, min(picture.width, width - frame.left))
            for y in 0..<max(0, min(picture.height, height - frame.top)) {
                let (from, to) = (y * picture.width, (frame.top + y) * width + frame.left)
                for x in 0..<columns {
                    let isOpaque = picture.alpha.map { $0[from + x] > 127 } ?? true
                    guard isOpaque || !frame.blends else { continue }
                    luma[to + x] = picture.luma.pixels[from + x]
                    alpha[to + x] = isOpaque ? 255 : 0
                }
            }
        }

        mutating func dispose(_ frame: Frame, width columns: Int, height rows: Int) {
            guard frame.isDisposed else { return }
            let end = min(width, frame.left + columns)
            for y in frame.top..<max(frame.top, min(height, frame.top + rows)) {
                for x in frame.left..<max(frame.left, end) { alpha[y * width + x] = 0 }
            }
        }

        func picture(damage: String?) -> DecodedPicture? {
            LuminanceImage(width: width, height: height, pixels: luma, damage: damage).map {
                DecodedPicture(luma: $0, alpha: alpha.contains { $0 != 255 } ? alpha : nil)
            }
        }
    }
}
