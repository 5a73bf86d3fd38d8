import CZBar

/// The functions of libzbar that are used here, loaded with the first picture.
///
/// libzbar brings the libraries of cameras and of X11 with it, some 18 in all: linked, every command would wait 3 to 4 ms
/// for them at its start, and hold 3 MB of them, whether it looks at a picture or not. Never unloaded.
///
/// Sendable because it holds nothing but addresses of functions, which are never written again and never go away; the
/// functions keep no state of their own beside what they are given.
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

    /// The library; loads it if it is not there yet. A process that forks searches loads it before, once for all.
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
