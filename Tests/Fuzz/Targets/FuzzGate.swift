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
