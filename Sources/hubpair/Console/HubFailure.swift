import FoundationEssentials
import Home
import HubClient
import Identity

/// What went wrong with a hub, under its name: who has several must know which.
struct HubFailure: Error, LocalizedError, CustomStringConvertible {
    let hub: PeerName
    let error: any Error

    /// `error` under the hub's name if it is the hub's; else as it is.
    static func named(_ error: any Error, hub: PeerName) -> any Error {
        switch error {
        // The caller's own request is at fault, not the hub.
        case let error as HubConnectionError where error.isRequestAtFault: error
        case is HubConnectionError, is HubSearchError, is ServerError, is HubTooSlow:
            HubFailure(hub: hub, error: error)
        default: error
        }
    }

    var description: String { "\(hub): \((error as? any LocalizedError)?.errorDescription ?? "\(error)")" }
    var errorDescription: String? { description }
    var recoverySuggestion: String? { (error as? any LocalizedError)?.recoverySuggestion }
}

/// A hub that was asked with others, and has not answered while they were waited for.
struct HubTooSlow: Error, LocalizedError, CustomStringConvertible {
    let seconds: Double

    var description: String { "it has not answered within \(Lifetime.seconds(seconds))" }
    var errorDescription: String? { description }
    var recoverySuggestion: String? { "--timeout gives each hub more time" }
}
