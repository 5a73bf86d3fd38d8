/// The fields of requests between the gate and the house, beside those of HTTP and ``DeviceFields``.
package enum HouseFields {
    /// The pin of the device that asks.
    package static let pin = "X-Hubpair-Pin"
    /// Through which door it came in (`JournalEntry.Door`).
    package static let door = "X-Hubpair-Door"
    /// The gate's standing, as JSON.
    package static let standing = "X-Hubpair-Standing"
    /// In milliseconds: how long the upstream may take.
    package static let time = "X-Hubpair-Time"
    /// `poll`: nobody has asked for it just now, and people come first.
    package static let lane = "X-Hubpair-Lane"
    /// The value of `Accept` of who asks for a picture.
    package static let pictures = "image/*"
    /// Why a request has no answer of the upstream's, as JSON.
    package static let error = "X-Hubpair-Error"
    /// The error's code, for the gate's log.
    package static let word = "X-Hubpair-Word"
    /// The path of the stream of the gate's standing. No request to an upstream begins like it.
    package static let standingPath = "/hubpair/gate/standing"
    /// Takes lines for the journal, of the household alone.
    package static let journalPath = "/hubpair/gate/journal"
    /// The bytes of a file that the house is told of; its name follows.
    package static let filePath = "/hubpair/gate/file/"
    /// Tells the gate that the household's files are others than before.
    package static let changedPath = "/hubpair/gate/changed"
    /// Says who has let devices in or kept them out, and since when the gate runs:
    /// `{"authors": {device: author}, "began": time}`.
    package static let authorsPath = "/hubpair/gate/authors"
    /// Reads and changes what the houses of several gates share (`SiteRecords`).
    package static let recordsPath = "/hubpair/gate/records"
    /// Asks the house whether guests may set an appliance: `{"appliance": id}`.
    package static let guestsPath = "/hubpair/house/guests"
    /// Asks the house what people call an activator: `{"appliance": id, "activator": id}`.
    package static let namePath = "/hubpair/house/name"
    /// Asks the house what a ``HouseQuestion`` asks.
    package static let questionPath = "/hubpair/house/question"
}
