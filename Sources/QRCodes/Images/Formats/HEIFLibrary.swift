import CHEIF
import Glibc
import Identity

/// The functions of libheif that are used here.
struct HEIFLibrary {
    let makeContext: @convention(c) () -> OpaquePointer?
    let freeContext: @convention(c) (OpaquePointer?) -> Void
    let read: @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int, OpaquePointer?) -> heif_error
    let setSideLimit: @convention(c) (OpaquePointer?, Int32) -> Void
    let setThreads: @convention(c) (OpaquePointer?, Int32) -> Void
    let primaryHandle: @convention(c) (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> heif_error
    let releaseHandle: @convention(c) (OpaquePointer?) -> Void
    let handleWidth: @convention(c) (OpaquePointer?) -> Int32
    let handleHeight: @convention(c) (OpaquePointer?) -> Int32
    let hasAlpha: @convention(c) (OpaquePointer?) -> Int32
    let makeOptions: @convention(c) () -> UnsafeMutablePointer<heif_decoding_options>?
    let freeOptions: @convention(c) (UnsafeMutablePointer<heif_decoding_options>?) -> Void
    let decode:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, heif_colorspace, heif_chroma,
            UnsafePointer<heif_decoding_options>?
        ) -> heif_error
    let releaseImage: @convention(c) (OpaquePointer?) -> Void
    let width: @convention(c) (OpaquePointer?, heif_channel) -> Int32
    let height: @convention(c) (OpaquePointer?, heif_channel) -> Int32
    let hasChannel: @convention(c) (OpaquePointer?, heif_channel) -> Int32
    let depth: @convention(c) (OpaquePointer?, heif_channel) -> Int32
    let plane:
        @convention(c) (OpaquePointer?, heif_channel, UnsafeMutablePointer<Int32>?) -> UnsafePointer<UInt8>?

    /// Loads libheif for a picture of this format, which is named if libheif is missing.
    init(_ format: ImageFormat) throws(ImageError) {
        let library = try SharedLibrary("libheif.so.1") { _ in ImageError.missing(format) }
        makeContext = try library.function(lazy_heif_context_alloc)
        freeContext = try library.function(lazy_heif_context_free)
        read = try library.function(lazy_heif_context_read_from_memory_without_copy)
        setSideLimit = try library.function(lazy_heif_context_set_maximum_image_size_limit)
        setThreads = try library.function(lazy_heif_context_set_max_decoding_threads)
        primaryHandle = try library.function(lazy_heif_context_get_primary_image_handle)
        releaseHandle = try library.function(lazy_heif_image_handle_release)
        handleWidth = try library.function(lazy_heif_image_handle_get_width)
        handleHeight = try library.function(lazy_heif_image_handle_get_height)
        hasAlpha = try library.function(lazy_heif_image_handle_has_alpha_channel)
        makeOptions = try library.function(lazy_heif_decoding_options_alloc)
        freeOptions = try library.function(lazy_heif_decoding_options_free)
        decode = try library.function(lazy_heif_decode_image)
        releaseImage = try library.function(lazy_heif_image_release)
        width = try library.function(lazy_heif_image_get_width)
        height = try library.function(lazy_heif_image_get_height)
        hasChannel = try library.function(lazy_heif_image_has_channel)
        depth = try library.function(lazy_heif_image_get_bits_per_pixel_range)
        plane = try library.function(lazy_heif_image_get_plane_readonly)
    }

    /// Throws libheif's error, if there is one.
    func check(_ error: heif_error, _ format: ImageFormat) throws(ImageError) {
        guard error.code != heif_error_Ok else { return }
        let message = error.message.map { text in
            boundedMessage(UnsafeRawBufferPointer(start: text, count: strnlen(text, 200)))
        }
        switch error.code {
        case heif_error_Memory_allocation_error: throw .outOfMemory
        case heif_error_Unsupported_filetype, heif_error_Unsupported_feature:
            throw .unsupported(format, message ?? "no reason given")
        default: throw .broken(format, message ?? "no reason given")
        }
    }
}
