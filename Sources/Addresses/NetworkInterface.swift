import Glibc

/// A network interface of this machine. Two are the same if their index is: an interface that is unplugged
/// has lost its name by the time its services are gone.
public struct NetworkInterface: Hashable, Sendable {
    /// The kernel's index, above 0.
    public let index: UInt32
    /// The name, such as `eth0`; the index in digits if the interface is gone.
    public let name: String

    /// An interface by index and name.
    public init(index: UInt32, name: String) {
        self.index = index
        self.name = name
    }

    /// True if the indexes are equal.
    public static func == (one: NetworkInterface, other: NetworkInterface) -> Bool {
        one.index == other.index
    }

    /// Hashes the index, as `==` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}

extension NetworkInterface {
    /// The interface with this index, by its current name.
    package init(index: UInt32) {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &name) != nil else {
            self.init(index: index, name: String(index))
            return
        }
        let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        self.init(index: index, name: String(decoding: bytes, as: UTF8.self))
    }

    /// The interface with this name; nil if this machine has none.
    package init?(named name: String) {
        let index = if_nametoindex(name)
        guard index > 0 else { return nil }
        self.init(index: index, name: name)
    }
}
