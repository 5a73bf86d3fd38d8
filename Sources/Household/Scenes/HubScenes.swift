package import Identity
package import Pairing

/// The hub's file `scenes`. On computers hubpair 0.1 kept one of that name in another format
/// (`HubClient.OldScenes`).
///
///     [keyfile]
///     format=1
///
///     [scene Movie night]
///     at=sunset+30
///     days=fri sat
///     arms=["Front door"]
///     state.1={"activator":"6b4d5d","device":"6b4d5c","name":"Lamp: On/Off","state":true}
///
/// `at` is a ``SceneTime``, `days` are ``SceneDays``, `arms` is a JSON array of names of rules; each may be
/// missing, and without `at` there are no `days`. The states are numbered from 1 on without a gap; each is a
/// JSON object of the ids, the names of both for people, which may be missing, and the state: true, false or
/// a number. `made` and `changed`, each an ``AuthorMark``, may be missing. A scene's name is a
/// `PeerName(known:)` without brackets; no two have the same, whatever its
/// case.
///
/// Accepted: the above. Rejected: `at=25:00`, `days` without `at`, two states of one activator, another kind
/// of group, `format=2`.
package struct HubScenes: HouseholdFile, Equatable {
    package static let fileName = "scenes"
    package static let words = "the scenes"

    package var file: KeyFile
    package var list = KeptList<HubScene>()
    /// The scenes in the file's order.
    package var scenes: [HubScene] { list.all }

    package func scene(_ name: PeerName) -> HubScene? { list[name.description] }

    package init() {
        file = .empty(comment: "The scenes of this house; 'hubpair home scene' changes them.")
    }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try HubScenes.parse(bytes, groupsOf: .scene)
        list = try KeptList(in: file)
        try checkAuthors()
    }
}

extension SceneTime {
    /// What is wrong with a refused text.
    static let rule = "neither HH:MM nor sunrise or sunset with up to 720 minutes (sunset-30)"
}

extension SceneDays {
    /// What is wrong with a refused text.
    static let rule = "not days like mon, tue or sun, each once at most"
}
