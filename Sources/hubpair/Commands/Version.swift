/// The version of hubpair: `--version` says it, and requests to a hub.
enum Version {
    static let text = "0.2.0"
}
