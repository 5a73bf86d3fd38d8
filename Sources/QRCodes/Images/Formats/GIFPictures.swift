import CGIF

/// The frames of a GIF (87a and 89a) as they are shown, each over the frames before it. Read row by row with
/// giflib: its function for whole files allocates memory for every frame that a file claims.
struct GIFPictures: PictureSequence {
    /// The maximum number of frames that are read. An animation shows a code for longer than that.
    static let maximumFrames = 64

    private let file: GIFFile
    private let limits: ImageLimits
    private let budget: WorkBudget
    private var canvas: GIFCanvas
    private var frames = 0
    private var last: DecodedPicture?

    init(_ bytes: [UInt8], limits: ImageLimits, budget: WorkBudget = .unlimited) throws(ImageError) {
        // Checked here, since giflib has no message for it. "GIF89a" width (2) height (2), little endian.
        guard bytes.count >= 13 else { throw .broken(.gif, "it ends before the picture begins") }
        let width = Int(bytes[6]) | Int(bytes[7]) << 8
        let height = Int(bytes[8]) | Int(bytes[9]) << 8
        try limits.check(width: width, height: height)
        file = try GIFFile(bytes)
        canvas = GIFCanvas(width: width, height: height)
        self.limits = limits
        self.budget = budget
    }

    /// The next frame that differs from the one before it. A truncated frame is returned as far as it was
    /// read, and is the last one.
    mutating func next(found: Bool) throws(ImageError) -> (any ImageCodec)? {
        while !found, frames < GIFPictures.maximumFrames, frames == 0 || !budget.isSpent {
            guard let frame = try file.nextFrame(limits: limits, isFirst: frames == 0) else { return nil }
            frames += 1
            canvas.dispose()
            let damage = try file.draw(frame, on: &canvas, budget: budget)
            if damage != nil { frames = GIFPictures.maximumFrames }
            guard let picture = canvas.picture(damage: damage) else { throw .outOfMemory }
            if picture == last { continue }
            last = picture
            return picture
        }
        return nil
    }
}
