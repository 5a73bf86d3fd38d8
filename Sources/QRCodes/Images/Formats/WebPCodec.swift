import CWebP
import Identity

/// WebP (RFC 9649), lossy and lossless, through libwebp: the Y plane of its YUV output.
///
/// Always decoded at full size; smaller scales come from a box filter. libwebp scales after decoding in full,
/// which saves nothing: 12 megapixels took 0.11 s at a quarter and 0.11 to 0.14 s in full. A second scale
/// would decode again.
struct WebPCodec: ImageCodec {
    let width: Int
    let height: Int
    let hasTransparency: Bool
    private let library: WebPLibrary
    private let bytes: ArraySlice<UInt8>
    private let budget: WorkBudget

    /// Reads the header of a file with one picture, or of the chunks in one frame of an animation. When
    /// `budget` is spent, decoding ends with the rows that are there.
    init(
        _ bytes: ArraySlice<UInt8>, limits: ImageLimits, budget: WorkBudget = .unlimited
    ) throws(ImageError) {
        self.budget = budget
        self.bytes = bytes
        library = try WebPLibrary()
        let features = try library.features(of: bytes)
        width = Int(features.width)
        height = Int(features.height)
        hasTransparency = features.has_alpha != 0
        try limits.check(width: width, height: height)
    }

    /// Decodes the picture; of a truncated file the rows that are present, and of one that takes too long
    /// those that came in time, with a note in `damage`.
    func decode(scale: Int, ground: UInt8) throws(ImageError) -> LuminanceImage {
        try decoded().decode(scale: scale, ground: ground)
    }

    /// The same before it is laid on a ground.
    func decoded() throws(ImageError) -> DecodedPicture {
        // Initialised to white and opaque, for the missing part of a truncated file.
        var luma = [UInt8](repeating: 235, count: width * height)
        var alpha = [UInt8](repeating: 255, count: hasTransparency ? width * height : 0)
        // libwebp needs memory for the colours, which are not used.
        let chromaWidth = (width + 1) / 2
        var blue = [UInt8](repeating: 0, count: chromaWidth * ((height + 1) / 2))
        var red = blue
        let status = bytes.withUnsafeBufferPointer { file in
            luma.withUnsafeMutableBufferPointer { luma in
                alpha.withUnsafeMutableBufferPointer { alpha in
                    blue.withUnsafeMutableBufferPointer { blue in
                        red.withUnsafeMutableBufferPointer { red in
                            var planes = WebPYUVABuffer()
                            planes.y = luma.baseAddress
                            planes.u = blue.baseAddress
                            planes.v = red.baseAddress
                            planes.y_stride = Int32(width)
                            planes.u_stride = Int32(chromaWidth)
                            planes.v_stride = Int32(chromaWidth)
                            planes.y_size = luma.count
                            planes.u_size = blue.count
                            planes.v_size = red.count
                            if hasTransparency {
                                planes.a = alpha.baseAddress
                                planes.a_stride = Int32(width)
                                planes.a_size = alpha.count
                            }
                            return library.decode(file, into: planes, width, height, budget: budget)
                        }
                    }
                }
            }
        }
        let damage: String?
        switch status {
        case VP8_STATUS_OK: damage = nil
        case VP8_STATUS_USER_ABORT: damage = ImageError.slow
        case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: damage = "the file ends early"
        case VP8_STATUS_OUT_OF_MEMORY: throw .outOfMemory
        default: throw .broken(.webp, "the data make no sense (libwebp's status \(status.rawValue))")
        }
        // The Y of video (ITU-R BT.601) has the range 16 to 235.
        let full = (0...255).map { UInt8(clamping: ((max($0, 16) - 16) * 255 + 109) / 219) }
        luma.withUnsafeMutableBufferPointer { luma in
            for index in luma.indices { luma[index] = full[Int(luma[index])] }
        }
        guard let image = LuminanceImage(width: width, height: height, pixels: luma, damage: damage) else {
            throw .outOfMemory
        }
        return DecodedPicture(luma: image, alpha: hasTransparency ? alpha : nil)
    }
}

/// The functions of libwebp that are used here.
struct WebPLibrary {
    private static let interface = Int32(WEBP_DECODER_ABI_VERSION)
    private let getFeatures:
        @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<WebPBitstreamFeatures>?, Int32)
            -> VP8StatusCode
    private let initialise: @convention(c) (UnsafeMutablePointer<WebPDecoderConfig>?, Int32) -> Int32
    private let makeDecoder:
        @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<WebPDecoderConfig>?)
            -> OpaquePointer?
    private let update: @convention(c) (OpaquePointer?, UnsafePointer<UInt8>?, Int) -> VP8StatusCode
    private let delete: @convention(c) (OpaquePointer?) -> Void

    init() throws(ImageError) {
        let library = try SharedLibrary("libwebp.so.7") { _ in ImageError.missing(.webp) }
        getFeatures = try library.function(lazy_WebPGetFeaturesInternal)
        initialise = try library.function(lazy_WebPInitDecoderConfigInternal)
        makeDecoder = try library.function(lazy_WebPIDecode)
        update = try library.function(lazy_WebPIUpdate)
        delete = try library.function(lazy_WebPIDelete)
    }

    func features(of bytes: ArraySlice<UInt8>) throws(ImageError) -> WebPBitstreamFeatures {
        var features = WebPBitstreamFeatures()
        let status = bytes.withUnsafeBufferPointer {
            getFeatures($0.baseAddress, $0.count, &features, WebPLibrary.interface)
        }
        switch status {
        case VP8_STATUS_OK: return features
        case VP8_STATUS_NOT_ENOUGH_DATA: throw .broken(.webp, "it ends before the picture begins")
        default: throw .broken(.webp, "its header makes no sense (libwebp's status \(status.rawValue))")
        }
    }

    /// In how many parts a file is given to the decoder if the time is limited, and how small they may be.
    /// After a part that ends within a row of blocks, that row is begun again.
    private static let parts = 32
    private static let leastPart = 65_536

    /// Uses the incremental decoder, because only it returns the part that a truncated file holds, or what
    /// was decoded when the budget was spent (`VP8_STATUS_USER_ABORT`).
    func decode(
        _ file: UnsafeBufferPointer<UInt8>, into planes: WebPYUVABuffer, _ columns: Int, _ rows: Int,
        budget: WorkBudget
    ) -> VP8StatusCode {
        var config = WebPDecoderConfig()
        guard initialise(&config, WebPLibrary.interface) != 0 else { return VP8_STATUS_INVALID_PARAM }
        return withUnsafeMutablePointer(to: &config) { config in
            config.pointee.output.colorspace = planes.a == nil ? MODE_YUV : MODE_YUVA
            config.pointee.output.is_external_memory = 1
            config.pointee.output.u.YUVA = planes
            config.pointee.output.width = Int32(columns)
            config.pointee.output.height = Int32(rows)
            guard let decoder = makeDecoder(nil, 0, config) else { return VP8_STATUS_OUT_OF_MEMORY }
            defer { delete(decoder) }
            let part =
                budget.left < .infinity
                ? max(WebPLibrary.leastPart, file.count / WebPLibrary.parts) : max(1, file.count)
            var status = VP8_STATUS_SUSPENDED
            for end in stride(from: part, to: file.count, by: part) where status == VP8_STATUS_SUSPENDED {
                // All bytes stay where they are: the decoder is told of more of them.
                status = update(decoder, file.baseAddress, end)
                if status == VP8_STATUS_SUSPENDED, budget.isSpent { return VP8_STATUS_USER_ABORT }
            }
            return status == VP8_STATUS_SUSPENDED ? update(decoder, file.baseAddress, file.count) : status
        }
    }
}
