import Addresses
import Discovery

/// A mark by which this computer knows the network again that it is in.
enum NetworkMark {
    /// Eight hexadecimal digits of the prefixes of all networks; loopback and link-local ones, which are the
    /// same everywhere, count for nothing. Two homes may share a mark: it decides an order, and no more.
    static func of(_ networks: [LocalNetwork]) -> String {
        let prefixes = networks.filter { !$0.address.isLoopback && !$0.address.isLinkLocal }.map { network in
            network.address.bytes.enumerated().map { $1 & network.mask(at: $0) } + [
                UInt8(network.prefixLength)
            ]
        }
        // FNV-1a, 32 bits.
        var hash: UInt32 = 2_166_136_261
        for bytes in Set(prefixes).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
