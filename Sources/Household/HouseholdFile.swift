package import Pairing

/// What stands in one keyfile of the household. A hub on which the file does not exist has an empty one.
package protocol HouseholdFile: Sendable {
    /// The file's name in the state directory.
    static var fileName: String { get }
    /// What is in it, for people: `the rooms`.
    static var words: String { get }
    init()
    init(parsing bytes: [UInt8]) throws(KeyFileError)
    /// What was read, with the changes.
    var file: KeyFile { get set }
}

extension HouseholdFile {
    /// The bytes of the file.
    package var serialized: [UInt8] { file.serialized }
}
