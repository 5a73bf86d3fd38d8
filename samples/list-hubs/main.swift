// Lists the hubs on the local network for some seconds: Discovery without the command line.
import Discovery

var listing = HubListing(networks: LocalNetwork.current())
let start = ContinuousClock.now
let search = Task {
    for try await sighting in HubBrowser(through: .either).sightings {
        for change in listing.apply(sighting, at: start.duration(to: .now)) {
            switch change {
            case .added(let hub), .changed(let hub):
                // Whatever a hub says of itself comes from the network: debugDescription escapes it.
                let addresses = hub.addresses.map { $0.description(withPort: hub.port) }
                print(hub.name.debugDescription, addresses.joined(separator: " "), hub.id?.description ?? "-")
            case .removed(let hub): print(hub.name.debugDescription, "is gone")
            case .rejected(let service, let error): print(service.instance.name.debugDescription, error)
            case .flooded, .overflowed: print("there is more than can be listed")
            }
        }
    }
}
try await Task.sleep(for: .seconds(CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 3))
search.cancel()
try await search.value
