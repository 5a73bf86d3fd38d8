import FoundationEssentials
import JSON
import Pairing

/// A hub that this computer knows, as `hubs` shows it.
struct HubLine {
    /// The fingerprint; nil for a stock hub. Of an added hub it is only what the hub says of itself.
    let hub: String?
    let name: String
    let address: String?
    let paired: Date?
    let isDefault: Bool
    /// `paired`, or `pending` until the hub's owner has approved this computer; of an added hub `unpaired`,
    /// or `unprotected` for a stock hub, with which no device can pair.
    let status: String
    /// The fingerprint of the hub of its site that has told of it.
    let by: String?

    init(_ hub: KnownHub, isDefault: Bool) {
        self.hub = hub.fingerprint.description
        name = hub.name.description
        address = hub.address
        paired = hub.paired
        self.isDefault = isDefault
        status = hub.isPending ? "pending" : "paired"
        by = hub.by?.description
    }

    init(_ hub: AddedHub, isDefault: Bool) {
        self.hub = hub.id?.description
        name = hub.name.description
        address = hub.address
        paired = nil
        self.isDefault = isDefault
        status = hub.kind == .stock ? "unprotected" : "unpaired"
        by = nil
    }

    /// The line of `hubs --json`.
    var json: JSONValue {
        .object([
            "hub": .text(hub), "name": .string(name), "address": .text(address),
            "paired": .text(paired?.timestamp),
            "default": .boolean(isDefault), "status": .string(status), "by": .text(by),
        ])
    }

    /// When this computer was paired with it, by the clock of the person who reads it now; nil if it is not.
    var pairedText: String? { paired.map { LocalTime($0).text(seenAt: Date()) } }

    /// The row of the table: HUB, FINGERPRINT, ADDRESS, PAIRED, and what is special about it.
    var cells: [String] {
        let words = [
            status == "paired" ? nil : status, isDefault ? "default" : nil,
            by.map { Texts.words("by \($0)") },
        ]
        return [
            name, hub ?? "-", address ?? "-", pairedText ?? "-",
            words.compactMap(\.self).joined(separator: ", "),
        ]
    }
}
