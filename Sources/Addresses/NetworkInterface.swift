#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// A network interface of this machine. Equality compares only the index: the name of a removed interface is
/// lost before its services are reported as gone.
public struct NetworkInterface: Hashable, Sendable {
    /// The kernel's index, above 0; 0 for what was not received on an interface.
    public let index: UInt32
    /// The name, such as `eth0`; the index in digits if the interface no longer exists.
    public let name: String

    /// Creates an interface from its index and name.
    public init(index: UInt32, name: String) {
        self.index = index
        self.name = name
    }

    /// Stands for no interface: what was learned from a name server did not come in on one.
    package static let none = NetworkInterface(index: 0, name: "")

    /// True if both have the same index.
    public static func == (one: NetworkInterface, other: NetworkInterface) -> Bool {
        one.index == other.index
    }

    /// Hashes the index, consistent with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}

extension NetworkInterface {
    /// The interface with this index and its current name.
    package init(index: UInt32) {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &name) != nil else {
            self.init(index: index, name: String(index))
            return
        }
        let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        self.init(index: index, name: String(decoding: bytes, as: UTF8.self))
    }

    /// The interface with this name; nil if it does not exist.
    package init?(named name: String) {
        let index = if_nametoindex(name)
        guard index > 0 else { return nil }
        self.init(index: index, name: name)
    }
}
