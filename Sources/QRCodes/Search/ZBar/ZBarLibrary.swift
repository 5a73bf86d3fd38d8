import CZBar
import Identity

/// The functions of libzbar that are used here, loaded with the first picture.
///
/// libzbar loads about 18 libraries for cameras and X11. If it were linked, they would cost every command 3
/// to 4 ms at its start and 3 MB, even without a picture.
///
/// Sendable: it holds only addresses of functions, which never change, and the functions keep no state of
/// their own.
struct ZBarLibrary: @unchecked Sendable {
    let makeScanner: @convention(c) () -> OpaquePointer?
    let freeScanner: @convention(c) (OpaquePointer?) -> Void
    let configure: @convention(c) (OpaquePointer?, zbar_symbol_type_t, zbar_config_t, Int32) -> Int32
    let makeImage: @convention(c) () -> OpaquePointer?
    let freeImage: @convention(c) (OpaquePointer?) -> Void
    let setFormat: @convention(c) (OpaquePointer?, UInt) -> Void
    let setSize: @convention(c) (OpaquePointer?, UInt32, UInt32) -> Void
    let setData:
        @convention(c) (
            OpaquePointer?, UnsafeRawPointer?, UInt, (@convention(c) (OpaquePointer?) -> Void)?
        ) -> Void
    let scan: @convention(c) (OpaquePointer?, OpaquePointer?) -> Int32
    let firstSymbol: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let nextSymbol: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let type: @convention(c) (OpaquePointer?) -> zbar_symbol_type_t
    let quality: @convention(c) (OpaquePointer?) -> Int32
    let data: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    let dataLength: @convention(c) (OpaquePointer?) -> UInt32
    let pointCount: @convention(c) (OpaquePointer?) -> UInt32
    let x: @convention(c) (OpaquePointer?, UInt32) -> Int32
    let y: @convention(c) (OpaquePointer?, UInt32) -> Int32
    let name: @convention(c) (zbar_symbol_type_t) -> UnsafePointer<CChar>?

    private static let loaded = Result { () throws(QRScanError) in try ZBarLibrary() }

    /// The library, loaded on the first call.
    static func load() throws(QRScanError) -> ZBarLibrary { try loaded.get() }

    private init() throws(QRScanError) {
        let library = try SharedLibrary("libzbar.so.0") { _ in QRScanError.missingLibrary }
        makeScanner = try library.function(lazy_zbar_image_scanner_create)
        freeScanner = try library.function(lazy_zbar_image_scanner_destroy)
        configure = try library.function(lazy_zbar_image_scanner_set_config)
        makeImage = try library.function(lazy_zbar_image_create)
        freeImage = try library.function(lazy_zbar_image_destroy)
        setFormat = try library.function(lazy_zbar_image_set_format)
        setSize = try library.function(lazy_zbar_image_set_size)
        setData = try library.function(lazy_zbar_image_set_data)
        scan = try library.function(lazy_zbar_scan_image)
        firstSymbol = try library.function(lazy_zbar_image_first_symbol)
        nextSymbol = try library.function(lazy_zbar_symbol_next)
        type = try library.function(lazy_zbar_symbol_get_type)
        quality = try library.function(lazy_zbar_symbol_get_quality)
        data = try library.function(lazy_zbar_symbol_get_data)
        dataLength = try library.function(lazy_zbar_symbol_get_data_length)
        pointCount = try library.function(lazy_zbar_symbol_get_loc_size)
        x = try library.function(lazy_zbar_symbol_get_loc_x)
        y = try library.function(lazy_zbar_symbol_get_loc_y)
        name = try library.function(lazy_zbar_get_symbol_name)
    }
}
