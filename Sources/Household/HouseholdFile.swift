package import Pairing

/// What stands in one keyfile of the household. A hub on which the file does not exist has an empty one.
package protocol HouseholdFile: Sendable {
    /// The file's name in the state directory.
    static var fileName: String { get }
    /// What is in it, for people: `the rooms`.
    static var words: String { get }
    init()
    init(parsing bytes: [UInt8]) throws(KeyFileError)
    /// The bytes of the file: what was read, with the changes.
    var serialized: [UInt8] { get }
    /// The same as groups and keys.
    var file: KeyFile { get set }
}
