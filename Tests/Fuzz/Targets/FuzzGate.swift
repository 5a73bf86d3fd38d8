import GatewayRules
import TestSupport

/// Lets any bytes choose what a client, an upstream and the hub do, and holds what the gateway's machines
/// make of it against what must be true whatever happens.
func fuzzGate(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var rest = Array(UnsafeBufferPointer(start: data, count: count))[...]
    let world = GateWorld { limit in rest.popFirst().map { Int($0) % limit } ?? 0 }
    while !rest.isEmpty, !world.isOver { world.step() }
    world.end()
    if let fault = world.fault { preconditionFailure(fault) }
    return 0
}

/// Reads any bytes as the beginning of a caller's connection, and of one that a relay has brought. A name has
/// a server name's length, and what is complete stays what it is when more follows.
func fuzzHellos(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let verdict = ClientHello.read(bytes)
    switch verdict {
    case .name(let name, _):
        precondition((1...253).contains(name.utf8.count))
        precondition(ClientHello.read(bytes + [0x17]) == verdict, "a name does not change")
    case .more: precondition(count < ClientHello.maximumByteCount, "it goes on without an end")
    case .noName, .malformed: break
    }
    if case .source(let address, let port, let byteCount) = ProxyHeader.readEither(bytes) {
        precondition(byteCount <= count)
        let again = ProxyHeader.bytes(source: address, port: port)
        precondition(ProxyHeader.read(again) == .source(address, port: port, byteCount: again.count))
    }
    return 0
}
