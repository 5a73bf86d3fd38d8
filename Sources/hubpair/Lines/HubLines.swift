import Pairing

/// A paired hub as `hubs --json` writes it.
struct KnownHubLine: Encodable {
    let hub: String
    let name: String
    @Nullable var address: String?
    @Nullable var paired: String?
    let `default`: Bool
    /// `paired`, or `pending` until its owner has approved this device.
    let status: String

    init(_ hub: KnownHub, isDefault: Bool) {
        self.hub = hub.fingerprint.description
        name = hub.name.description
        address = hub.address
        paired = hub.paired?.timestamp
        self.default = isDefault
        status = hub.isPending ? "pending" : "paired"
    }
}

/// An added hub as `hubs --json` writes it: with the keys of a paired one.
struct AddedHubLine: Encodable {
    /// What it says that it is; null for a stock hub.
    @Nullable var hub: String?
    let name: String
    let address: String
    @Nullable var paired: String?
    let `default`: Bool
    /// `unpaired`, or `unprotected` for a stock hub, which nobody can pair with.
    let status: String

    init(_ hub: AddedHub, isDefault: Bool) {
        self.default = isDefault
        self.hub = hub.id?.description
        name = hub.name.description
        address = hub.address
        status = hub.kind == .stock ? "unprotected" : "unpaired"
    }
}
