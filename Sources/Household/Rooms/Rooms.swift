package import Home
import Identity
package import Pairing

/// The hub's file `rooms`: which appliances are in which room, what the levels of some count, what some do,
/// and what some see.
///
///     [keyfile]
///     format=1
///
///     [room kitchen]
///     name=Kitchen
///     area=Ground floor
///     devices=["6b4d5c","6b4d5d"]
///
///     [unit 6b4d5c/6b4d5e]
///     symbol=°C
///     from=5
///     to=30
///
///     [kind 6b4d5c]
///     kind=gate
///     guests=true
///
///     [picture 6b4d5c]
///     url=http://192.168.1.30/snapshot.jpg
///
/// The room's id, 1 to 64 unreserved characters of RFC 3986 § 2.3, but neither `.` nor `..`, which clients
/// take out of a path. `name` and `area` are a `PeerName(known:)`; `area` may be missing. `devices` is a JSON
/// array of the appliances' ids, each of 1 to 256 bytes, and may be missing. No two rooms have the same name,
/// whatever its case, and no appliance is in two.
///
/// `made` and `changed` may be in every group: an ``AuthorMark``.
///
/// A unit is a ``StateUnit`` of the activator whose id stands behind the appliance's; both are ids as of a
/// room. A kind is an ``ApplianceKind`` of an appliance; `guests` is `true` or `false`, and may be missing.
/// A picture is a ``DevicePicture``.
///
/// Accepted: the above. Rejected: no `name`, `[room küche]`, `devices=6b4d5c`, a second room `KITCHEN`, an
/// appliance that stands twice, `[unit 6b4d5c]`, `to=5`, `kind=portal`, another kind of group, `format=2`.
package struct Rooms: HouseholdFile, Equatable {
    package static let fileName = "rooms"
    package static let words = "the rooms"

    package var file: KeyFile
    package var roomList = KeptList<Room>()
    package var unitList = KeptList<ActivatorUnit>()
    package var kindList = KeptList<DeviceKind>()
    package var pictureList = KeptList<DevicePicture>()
    // In the file's order.
    package var rooms: [Room] { roomList.all }
    package var units: [ActivatorUnit] { unitList.all }
    package var kinds: [DeviceKind] { kindList.all }
    package var pictures: [DevicePicture] { pictureList.all }

    package init() { file = .empty(comment: "The rooms of this house; 'hubpair home room' changes them.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try Rooms.parse(bytes, groupsOf: .room, and: .unit, .kind, .picture)
        unitList = try KeptList(in: file)
        kindList = try KeptList(in: file)
        pictureList = try KeptList(in: file)
        roomList = try KeptList(in: file)
        var seen: Set<String> = []
        for room in rooms {
            for device in room.devices where !seen.insert(device).inserted {
                throw .invalidValue("\(quoted(device)) stands twice", key: "devices", group: room.group)
            }
        }
        try checkAuthors()
    }
}
