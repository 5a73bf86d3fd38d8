#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// Secret bytes in a single allocation, which is overwritten when the last reference goes.
///
/// Copies are not overwritten: `[UInt8]`, `Data` and `String` leave their content in freed memory, and so do
/// output buffers and the working memory of the cryptographic library.
final class SecretBytes: Sendable {
    // Written only in the initializers, before another reference exists.
    nonisolated(unsafe) private let start: UnsafeMutableRawPointer
    let count: Int

    /// Allocates `count` bytes; `fill` must write all of them.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        self.count = count
        start = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        let buffer = UnsafeMutableRawBufferPointer(start: start, count: count)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        fill(buffer)
    }

    /// Copies a sequence; nil unless it has exactly `count` bytes.
    convenience init?(_ bytes: some Sequence<UInt8>, count: Int) {
        var written = 0
        self.init(count: count) { buffer in
            for byte in bytes {
                if written < count { buffer[written] = byte }
                written += 1
                if written > count { return }
            }
        }
        guard written == count else { return nil }
    }

    deinit {
        erase(start, count)
        start.deallocate()
    }

    /// Calls `body` with the bytes in place; `body` should not copy them.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A copy; it is not overwritten.
    var copy: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension SecretBytes: Equatable {
    /// Runs in constant time.
    static func == (one: SecretBytes, other: SecretBytes) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes and empties the array. Works only if this is the sole reference to the array's
    /// storage; other references keep the bytes.
    package mutating func overwrite() {
        withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { erase(start, buffer.count) }
        }
        removeAll()
    }
}

/// Overwrites memory in a way that the compiler does not leave out.
private func erase(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
    memset_s(start, count, 0, count)
    #else
    explicit_bzero(start, count)
    #endif
}
