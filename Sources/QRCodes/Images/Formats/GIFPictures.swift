import CGIF

/// The frames of a GIF (87a and 89a), each as a person sees it: over the frames before it. Read with giflib,
/// row by row; its own reading of whole files makes room for every frame that a file claims.
struct GIFPictures: PictureSequence {
    /// How many frames are looked at; a code stands still for longer than that.
    static let maximumFrames = 64

    private let file: GIFFile
    private let limits: ImageLimits
    private var canvas: GIFCanvas
    private var frames = 0
    private var last: DecodedPicture?

    init(_ bytes: [UInt8], limits: ImageLimits) throws(ImageError) {
        // Told here, since giflib has no words for it. "GIF89a" width (2) height (2), little endian.
        guard bytes.count >= 13 else { throw .broken(.gif, "it ends before the picture begins") }
        let width = Int(bytes[6]) | Int(bytes[7]) << 8
        let height = Int(bytes[8]) | Int(bytes[9]) << 8
        try limits.check(width: width, height: height)
        file = try GIFFile(bytes)
        canvas = GIFCanvas(width: width, height: height)
        self.limits = limits
    }

    /// The next frame that differs from the one before it. A cut-off frame is given as far as it goes, and is
    /// the last.
    mutating func next(found: Bool) throws(ImageError) -> (any ImageCodec)? {
        while !found, frames < GIFPictures.maximumFrames {
            guard let frame = try file.nextFrame(limits: limits, isFirst: frames == 0) else { return nil }
            frames += 1
            canvas.dispose()
            let damage = try file.draw(frame, on: &canvas)
            if damage != nil { frames = GIFPictures.maximumFrames }
            guard let picture = canvas.picture(damage: damage) else { throw .outOfMemory }
            if picture == last { continue }
            last = picture
            return picture
        }
        return nil
    }
}

/// What the frames of a GIF are drawn on.
struct GIFCanvas {
    let width: Int
    let height: Int
    private(set) var luma: [UInt8]
    private var alpha: [UInt8]
    /// What is to be done before the next frame, and what was there before this one.
    private var disposal = 0
    private var area: GIFFrame?
    private var before: (luma: [UInt8], alpha: [UInt8])?

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        luma = [UInt8](repeating: 255, count: width * height)
        alpha = [UInt8](repeating: 0, count: width * height)
    }

    /// Takes away the last frame, if it said so: 2 is "leave nothing", 3 "as it was before".
    mutating func dispose() {
        if disposal == 3, let before { (luma, alpha) = before }
        if disposal == 2, let area {
            for y in area.top..<min(area.top + area.height, height) {
                for x in area.left..<min(area.left + area.width, width) { alpha[y * width + x] = 0 }
            }
        }
    }

    /// Prepares for `frame`.
    mutating func begin(_ frame: GIFFrame) {
        disposal = frame.disposal
        area = frame
        before = disposal == 3 ? (luma, alpha) : nil
    }

    /// One row of palette indices; what lies outside is cut off.
    mutating func draw(_ row: [UInt8], y: Int, of frame: GIFFrame) {
        guard frame.top + y < height else { return }
        for (x, index) in row.enumerated() where frame.left + x < width && Int(index) != frame.transparent {
            let position = (frame.top + y) * width + frame.left + x
            luma[position] = frame.palette[Int(index)]
            alpha[position] = 255
        }
    }

    func picture(damage: String?) -> DecodedPicture? {
        LuminanceImage(width: width, height: height, pixels: luma, damage: damage).map {
            DecodedPicture(luma: $0, alpha: alpha.contains { $0 != 255 } ? alpha : nil)
        }
    }
}

/// What a frame says of itself.
struct GIFFrame {
    var left: Int
    var top: Int
    var width: Int
    var height: Int
    var isInterlaced: Bool
    /// The luma of 256 colours; those that the palette lacks are black.
    var palette: [UInt8]
    /// The index that draws nothing, or −1.
    var transparent: Int
    /// 0 to 3, as in the graphic control extension.
    var disposal: Int

    /// The rows in the order of the file; an interlaced frame has four passes.
    var rows: [Int] {
        guard isInterlaced else { return Array(0..<height) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { stride(from: $0.0, to: height, by: $0.1) }
    }
}
