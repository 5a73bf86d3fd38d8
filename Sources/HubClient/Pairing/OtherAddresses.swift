// Where else the hub answers to which a code has led.
extension PairWithHub {
    /// Another connection to the same hub, at an address of this kind; nil if there is none.
    func again(
        _ connection: HubConnection, _ finder: HubDialer, _ kind: AddressKind
    ) async -> HubConnection? {
        // Whatever keeps it from being reached there: the caller has an address at which it was.
        try? await finder.connect(
            again: connection.pin, code: code, place: place, kind: kind, deadline: .seconds(3))
    }

    /// Where to look for the hub next time: where it was reached, or if that was a link-local address, at a better one
    /// where it answers too.
    func lastingAddress(of connection: HubConnection, _ finder: HubDialer) async -> HubAddress {
        guard !connection.address.isLasting else { return connection.address }
        return await again(connection, finder, .lasting)?.address ?? connection.address
    }
}
