import Home
import HubClient
import Identity

/// An error of a hub with the name of the hub, since a device may know several.
struct HubFailure: UserError {
    let hub: PeerName
    let error: any UserError

    /// `error` with the hub's name if it comes from the hub; else as it is.
    static func named(_ error: any Error, hub: PeerName) -> any Error {
        switch error {
        // The caller's own request is at fault, not the hub.
        case let error as HubConnectionError where error.isRequestAtFault: error
        case let error as HubConnectionError: HubFailure(hub: hub, error: error)
        case let error as SoughtHubError: HubFailure(hub: hub, error: error)
        case let error as ListFailure: HubFailure(hub: hub, error: error)
        case let error as ServerError: HubFailure(hub: hub, error: error)
        case let error as HubTooSlow: HubFailure(hub: hub, error: error)
        case let error as SilentServer: HubFailure(hub: hub, error: error)
        default: error
        }
    }

    var description: String { "\(hub): \(error)" }
    var kind: UserErrorKind { error.kind }
    var hint: String? { error.hint }
}

/// A hub that was asked together with others, and has not answered in time.
struct HubTooSlow: UserError {
    let time: Duration

    var description: String { "it has not answered within \(time.words)" }
    var kind: UserErrorKind { .unavailable }
    var hint: String? { "--timeout gives each hub more time" }
}
