import CZLib
import Identity

/// The gzip format (RFC 1952) of a file of the page, made by zlib once.
///
/// Where zlib is missing, the page is served as it is.
struct GZip: @unchecked Sendable {
    // Sendable: it holds only addresses of functions, which never change. Each call has its own buffers.

    /// Never reaches a user: the page is served without it.
    private struct Missing: Error {}

    private let bound: @convention(c) (uLong) -> uLong
    private let compress:
        @convention(c) (
            UnsafeMutablePointer<Bytef>?, UnsafeMutablePointer<uLongf>?, UnsafePointer<Bytef>?, uLong, Int32
        ) -> Int32
    private let checksum: @convention(c) (uLong, UnsafePointer<Bytef>?, uInt) -> uLong

    private static let loaded = try? GZip()

    private init() throws {
        let library = try SharedLibrary("libz.so.1") { _ in Missing() }
        bound = try library.function(lazy_compressBound)
        compress = try library.function(lazy_compress2)
        checksum = try library.function(lazy_crc32)
    }

    /// Nil where zlib is missing, or saves nothing.
    static func bytes(of file: [UInt8]) -> [UInt8]? {
        guard let bytes = loaded?.packed(file), bytes.count < file.count else { return nil }
        return bytes
    }

    /// zlib's own format (RFC 1950) has two bytes in front of the same data, and an Adler-32 behind it.
    private func packed(_ file: [UInt8]) -> [UInt8]? {
        var count = bound(uLong(file.count))
        guard file.count < 1 << 24, count >= 6 else { return nil }
        var data = [UInt8](repeating: 0, count: Int(count))
        guard compress(&data, &count, file, uLong(file.count), Z_BEST_COMPRESSION) == Z_OK, count > 6 else {
            return nil
        }
        let sum = checksum(0, file, uInt(file.count))
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3] + data[2..<Int(count) - 4]
            + GZip.littleEndian(UInt32(truncatingIfNeeded: sum)) + GZip.littleEndian(UInt32(file.count))
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
    }
}
