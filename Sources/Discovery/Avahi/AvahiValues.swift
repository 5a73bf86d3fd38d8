import CAvahi
import Glibc

/// avahi's error codes as `Int32`, the C `int` that its functions take; Swift imports the constants as `Int`.
enum AvahiCode {
    static let failure = Int32(AVAHI_ERR_FAILURE)
    static let collision = Int32(AVAHI_ERR_COLLISION)
    static let dbusError = Int32(AVAHI_ERR_DBUS_ERROR)
    static let disconnected = Int32(AVAHI_ERR_DISCONNECTED)
    static let noMemory = Int32(AVAHI_ERR_NO_MEMORY)
    static let noDaemon = Int32(AVAHI_ERR_NO_DAEMON)
    static let accessDenied = Int32(AVAHI_ERR_ACCESS_DENIED)
    static let notPermitted = Int32(AVAHI_ERR_NOT_PERMITTED)
    static let notSupported = Int32(AVAHI_ERR_NOT_SUPPORTED)
}

/// The bytes of a C string without its terminating zero, at most 1,013 (avahi's limit for names); empty for
/// NULL.
func boundedBytes(_ string: UnsafePointer<CChar>?) -> [UInt8] {
    guard let string else { return [] }
    return UnsafeBufferPointer(start: string, count: strnlen(string, 1_013)).map(UInt8.init(bitPattern:))
}

func cString(_ bytes: [UInt8]) -> [CChar] {
    bytes.map(CChar.init(bitPattern:)) + [0]
}

/// What a callback has a pointer to; nil for none.
func object<Object: AnyObject>(at pointer: UnsafeMutableRawPointer?) -> Object? {
    pointer.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}

extension ServiceInstance {
    /// The instance that a browser callback reports; nil for an event without an instance.
    init?(name: UnsafePointer<CChar>?, of type: String, interface: AvahiIfIndex, family: AvahiProtocol) {
        guard let name, interface > 0 else { return nil }
        self.init(
            nameBytes: boundedBytes(name), interface: NetworkInterface(index: UInt32(interface)),
            family: family == Int32(AVAHI_PROTO_INET) ? .ipv4 : .ipv6, service: "\(type).local")
    }
}

extension ResolvedService {
    /// The service that a resolver callback reports; nil if resolving failed.
    init?(
        _ instance: ServiceInstance, _ event: AvahiResolverEvent, host: UnsafePointer<CChar>?,
        address: UnsafePointer<AvahiAddress>?, port: UInt16, txt: UnsafeMutablePointer<AvahiStringList>?
    ) {
        guard event == AVAHI_RESOLVER_FOUND,
            let address = address.flatMap({ NetworkAddress($0.pointee, on: instance.interface) })
        else { return nil }
        self.init(
            instance: instance, host: String(decoding: boundedBytes(host), as: UTF8.self), port: port,
            address: address, txt: TXTRecord(strings: strings(of: txt)))
    }
}

extension NetworkAddress {
    /// The address with `interface` as its scope: avahi does not report the scope of a link-local address.
    init?(_ address: AvahiAddress, on interface: NetworkInterface) {
        let count = address.proto == Int32(AVAHI_PROTO_INET) ? 4 : 16
        let bytes = withUnsafeBytes(of: address.data) { Array($0.prefix(count)) }
        self.init(bytes: bytes, scope: interface.name)
    }
}

/// The strings of an avahi list, in list order. For a received record that is the order on the wire.
///
/// Strings are copied one at a time on demand, so a caller that stops early copies no more. A string is cut
/// at 256 bytes, one more than a TXT string can hold (RFC 6763 § 6.1), so that a caller can detect the
/// excess.
func strings(of list: UnsafeMutablePointer<AvahiStringList>?) -> some Sequence<[UInt8]> {
    sequence(state: list) { next in
        guard let list = next else { return nil }
        next = avahi_string_list_get_next(list)
        guard let text = avahi_string_list_get_text(list) else { return [] }
        return Array(UnsafeBufferPointer(start: text, count: min(avahi_string_list_get_size(list), 256)))
    }
}
