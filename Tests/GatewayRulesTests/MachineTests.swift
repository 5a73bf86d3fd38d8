import TestSupport
import Testing

@testable import GatewayRules

/// The client's connection and the exchange with the upstream, together, in every order of events.
@Suite struct MachineTests {
    @Test func aMillionSteps() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SplitMix64(seed: seed)
        var (steps, connections, requests) = (0, 0, 0)
        let start = ContinuousClock.now
        while steps < 1_000_000 {
            let world = GateWorld { Int(truncatingIfNeeded: generator.next() >> 1) % $0 }
            let length = world.choose(1_000)
            while world.stepCount < length, !world.isOver { world.step() }
            world.end()
            (steps, connections) = (steps + world.stepCount, connections + 1)
            requests += world.requestCount
            if let fault = world.fault {
                Issue.record("\(fault) (connection \(connections), step \(world.stepCount), seed \(seed))")
                return
            }
        }
        let rate = Int(Double(steps) / ((ContinuousClock.now - start) / .seconds(1)))
        print("\(rate) steps a second, \(connections) connections, \(requests) requests, seed \(seed)")
    }
}
