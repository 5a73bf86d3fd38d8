import Glibc

/// Bytes that are secret: in one place of their own, which is overwritten when the last reference goes.
///
/// Copies that are made of them are not: `[UInt8]`, `Data` and `String` leave what they held where it was,
/// and so do what is printed, drawn or sent, and the working memory of the cryptography underneath.
final class SecretBytes: Sendable {
    // Written in the initializers only, before anybody else has a reference.
    nonisolated(unsafe) private let start: UnsafeMutableRawPointer
    let count: Int

    /// Fills `count` bytes by `fill`, which must write all of them.
    init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        self.count = count
        start = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        let buffer = UnsafeMutableRawBufferPointer(start: start, count: count)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        fill(buffer)
    }

    /// The bytes of a sequence, or nil if there are not exactly `count`.
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
        explicit_bzero(start, count)
        start.deallocate()
    }

    /// Hands the bytes to `body`, which should not copy them.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A copy, which is not overwritten.
    var copy: [UInt8] { withUnsafeBytes { Array($0) } }
}

extension SecretBytes: Equatable {
    /// Takes the same time wherever they differ.
    static func == (one: SecretBytes, other: SecretBytes) -> Bool {
        one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
            }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes, and leaves none. Only where there is no other reference to the array: what is
    /// shared stays.
    package mutating func overwrite() {
        withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        }
        removeAll()
    }
}
