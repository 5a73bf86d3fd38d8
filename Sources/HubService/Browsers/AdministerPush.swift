import Pairing

/// The owner's decision whether the hub talks to the makers of browsers, so that these tell of messages while
/// the page is closed. It counts at once.
package struct AdministerPush {
    private let state: HubState

    package init(state: HubState) { self.state = state }

    package var isOn: Bool { get throws { try HubState.hub(in: state.open()).settings.push } }

    /// - Returns: false if it was so already.
    package func set(_ isOn: Bool) throws -> Bool {
        try state.open().withLock { directory in
            let settings = try HubState.hub(in: directory).settings
            guard settings.push != isOn, let bytes = try directory.read(HubSettings.fileName) else {
                return false
            }
            try directory.replace(
                HubSettings.fileName, with: settings.with(push: isOn).serialized(in: bytes))
            return true
        }
    }
}
