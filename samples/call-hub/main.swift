// Pairs with a hub, if a code comes on standard input, and asks it for its appliances: HubClient.
//
//   call-hub [TARGET] [<CODE]      TARGET: default /devices/
import Foundation
import HubClient
import Pairing

let device = LocalDevice()
do {
    // Never as an argument: every user of the machine can read those.
    if let code = readLine(), !code.isEmpty {
        let hub = try await device.pair(with: code) { left in print("waiting for approval:", left) }
        print("paired with", hub.name.description.debugDescription, hub.fingerprint)
    }
    let hub = try await device.connect()
    let answer = try await hub.send("GET", CommandLine.arguments.dropFirst().first ?? "/devices/")
    print(answer.status, String(decoding: answer.body, as: UTF8.self))
} catch let error as any UserError {
    print("error: \(error)\(error.hint.map { "; \($0)" } ?? "")")
    exit(1)
}
