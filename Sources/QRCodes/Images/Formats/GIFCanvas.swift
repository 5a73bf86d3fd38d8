/// The canvas on which the frames of a GIF are drawn.
struct GIFCanvas {
    let width: Int
    let height: Int
    private(set) var luma: [UInt8]
    private var alpha: [UInt8]
    /// The last frame's disposal method and area, and the canvas before it (for method 3).
    private var disposal = 0
    private var area: GIFFrame?
    private var before: (luma: [UInt8], alpha: [UInt8])?

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        luma = [UInt8](repeating: 255, count: width * height)
        alpha = [UInt8](repeating: 0, count: width * height)
    }

    /// Removes the last frame if its disposal method says so: 2 clears its area, 3 restores what was there
    /// before.
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

    /// Draws a row of palette indices; pixels outside the canvas are omitted.
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

/// The contents of a frame's header.
struct GIFFrame {
    var left: Int
    var top: Int
    var width: Int
    var height: Int
    var isInterlaced: Bool
    /// The luma of 256 colours; colours that the palette lacks are black.
    var palette: [UInt8]
    /// The index that is transparent, or −1.
    var transparent: Int
    /// The disposal method of the graphic control extension, 0 to 3.
    var disposal: Int

    /// The rows in the order of the file. An interlaced frame has four passes.
    var rows: [Int] {
        guard isInterlaced else { return Array(0..<height) }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { stride(from: $0.0, to: height, by: $0.1) }
    }
}
