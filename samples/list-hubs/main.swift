// Lists the hubs on the local network: Discovery without the command line.
//
//   list-hubs [SECONDS]      default 2
import Discovery

let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 2
for hub in try await HubBrowser().hubs(for: .seconds(seconds)) {
    // Whatever a hub says of itself comes from the network: debugDescription escapes it.
    let addresses = hub.addresses.map { $0.description(withPort: hub.port) }
    print(hub.name.debugDescription, addresses.joined(separator: " "), hub.id?.description ?? "-")
}
