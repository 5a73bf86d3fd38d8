import Glibc

/// write(2) until all is written; false with errno set if something is not.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0 && errno != EINTR { return false }
        rest = rest.dropFirst(max(0, count))
    }
    return true
}
