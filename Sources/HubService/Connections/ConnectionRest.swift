import Synchronization

/// Whether a device's connection rests between two requests. Only then may it be closed for a newer one of
/// the same device. Safe to use from every event loop.
final class ConnectionRest: Sendable {
    private static let (resting, working, leaving): (UInt8, UInt8, UInt8) = (0, 1, 2)
    private let state = Atomic(ConnectionRest.resting)

    /// Called when a request begins.
    ///
    /// - Returns: false if the connection is about to be closed: the request must not be carried out, and is
    ///   one that the client sent to a connection that was closing.
    func begin() -> Bool {
        let (expected, desired) = (ConnectionRest.resting, ConnectionRest.working)
        let result = state.compareExchange(expected: expected, desired: desired, ordering: .relaxed)
        return result.original != ConnectionRest.leaving
    }

    /// Called when an answer is made.
    func rest() {
        _ = state.compareExchange(
            expected: ConnectionRest.working, desired: ConnectionRest.resting, ordering: .relaxed)
    }

    /// Gives the connection up if it rests.
    func leave() -> Bool {
        state.compareExchange(
            expected: ConnectionRest.resting, desired: ConnectionRest.leaving, ordering: .relaxed
        ).exchanged
    }
}
