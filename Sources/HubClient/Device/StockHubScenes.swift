import Home
package import Identity
import Pairing

/// A stock hub has no key, so that its scenes are kept by its name: they go with it when it is renamed, and when it is
/// forgotten. Else they would be lost, or be given to the next hub of that name.
///
/// The scenes are written first. If it is cut off in between, the hub still has its old name, and doing it again ends it.
extension ManageHubs {
    /// Gives a hub another name on this device.
    ///
    /// - Returns: the hub with its old name.
    package func renameWithScenes(_ selector: PeerSelector, to name: PeerName) throws -> ListedHub {
        try rename(selector, to: name) { directory, hub in
            guard let stock = hub.stockName else { return }
            var scenes = try KeepScenes.read(directory)
            guard scenes.scenes.contains(where: { $0.hub == .stock(stock) }) else { return }
            scenes.rename(stock: stock, to: name)
            try directory.replace(Scenes.fileName, with: scenes.serialized)
        }
    }

    /// Forgets a hub.
    ///
    /// - Returns: the hub, and the scenes that were forgotten with it.
    package func forgetWithScenes(_ selector: PeerSelector) throws -> (hub: ListedHub, scenes: [PeerName]) {
        var names: [PeerName] = []
        let hub = try forget(selector) { directory, hub in
            guard let stock = hub.stockName else { return }
            var scenes = try KeepScenes.read(directory)
            names = scenes.scenes.filter { $0.hub == .stock(stock) }.map(\.name)
            guard !names.isEmpty else { return }
            for name in names { scenes.remove(name) }
            try directory.replace(Scenes.fileName, with: scenes.serialized)
        }
        return (hub, names)
    }
}

extension ListedHub {
    /// The name by which scenes know it; nil if it is no stock hub.
    fileprivate var stockName: PeerName? {
        if case .added(let hub) = self, hub.kind == .stock { hub.name } else { nil }
    }
}
