package import GatewayRules

/// What a web service is, as far as it matters how to pass requests on to it: what was tried with each of
/// them. The documentation has the versions (Services.md).
package enum ServiceKind: String, CaseIterable, Sendable {
    case homeAssistant = "home-assistant"
    case syncthing
    case jupyter
    case cockpit
    case octoPrint = "octoprint"
    case nodeRED = "node-red"
    case grafana
    /// Any other.
    case plain

    package var name: String {
        switch self {
        case .homeAssistant: "Home Assistant"
        case .syncthing: "Syncthing"
        case .jupyter: "Jupyter"
        case .cockpit: "Cockpit"
        case .octoPrint: "OctoPrint"
        case .nodeRED: "Node-RED"
        case .grafana: "Grafana"
        case .plain: "a web server"
        }
    }

    /// What the server is told of its own address.
    package var host: ServiceRule.HostField {
        switch self {
        // Each compares `Host`, or `Origin`, with what it believes to be its own address.
        case .syncthing, .jupyter, .cockpit, .grafana: .server
        case .homeAssistant, .octoPrint, .nodeRED, .plain: .kept
        }
    }

    /// What the server is told of the client.
    package var told: [ServiceRule.Told] {
        switch self {
        case .octoPrint: [.xForwarded]
        case .homeAssistant, .syncthing, .jupyter, .cockpit, .nodeRED, .grafana, .plain: []
        }
    }

    /// The path at which it shows what it is, and what stands in the answer.
    var marks: (target: String, text: String)? {
        switch self {
        // Before its first user is there, `/` leads elsewhere.
        case .homeAssistant: ("/manifest.json", "\"Home Assistant\"")
        case .syncthing: ("/", "ng-app=\"syncthing\"")
        case .jupyter: ("/api", "{\"version\"")
        // Many a page has the word in it.
        case .cockpit: ("/ping", "\"service\": \"cockpit\"")
        // Once it is set up, `/` leads to its login.
        case .octoPrint: ("/static/js/app/client/wizard.js", "OctoPrint")
        case .nodeRED: ("/", "<title>Node-RED</title>")
        case .grafana: ("/api/health", "\"database\"")
        case .plain: nil
        }
    }
}
